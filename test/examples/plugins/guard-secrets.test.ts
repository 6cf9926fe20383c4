import { expect, it } from "vitest";
import { guardSecrets } from "../../../examples/hooks/plugins/guard-secrets/plugin";
import { openSession } from "../../durable-objects/session-driver";
import { lastWords } from "../../support/world";
import { configured, worldWith } from "./deploy";

const world = worldWith(configured(guardSecrets, { hidden: [String.raw`\bC-\d{6}\b`], withheld: ["project falcon"] }));

it("blacks out what must not be read before a message is sent", async () => {
  const session = openSession(world(), 78_011);
  world().say = () => ({ text: "It is customer C-204117, since May." });
  await session.say("who is it?");
  expect(await session.shown(1)).toEqual(["It is customer [secret], since May."]);
});

it("sends nothing of a message that speaks of what is withheld, and the next one again", async () => {
  const session = openSession(world(), 78_012);
  world().say = (asked) => ({ text: lastWords(asked).includes("show") ? "Project Falcon is late." : "all well" });
  await session.say("show it");
  await session.say("and now?");
  expect(await session.shown(1)).toEqual(["all well"]);
});
