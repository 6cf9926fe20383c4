import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { utf8 } from "#src/lib/encoding";
import { boot } from "../../../examples/hooks/plugins/boot/plugin";
import { openSandbox } from "../../../durable-objects/sandbox-client";
import { environmentFor } from "../../../durable-objects/environment";
import { openSession } from "../../durable-objects/session-driver";
import { lastWords } from "../../support/world";
import { worldWith } from "./deploy";

const world = worldWith(boot);

it("works through BOOT.md as a turn of its own, for the owner alone", async () => {
  await env.PROFILES.getByName("main").approve("telegram:7001", "Ada", true);
  environmentFor.forget("main", Number.POSITIVE_INFINITY);
  const session = openSession(world(), 78_071);
  await session.say("/boot");
  expect((await session.shown(1))[0]).toContain("BOOT.md");
  expect(world().asked).toHaveLength(0);

  await openSandbox(env, "main").writeFile("/workspace/BOOT.md", utf8("- look at the queue\n"), "boot-test");
  world().say = (asked) => ({ text: `working on: ${lastWords(asked)}` });
  await session.say("/boot");
  expect((await session.shown(2))[1]).toContain("look at the queue");
});
