import { expect, it } from "vitest";
import { guardSecrets } from "../../../examples/plugins/guard-secrets/plugin";
import { openSession } from "../../durable-objects/session-driver";
import { lastWords } from "../../support/world";
import { worldWith } from "./deploy";

const world = worldWith(guardSecrets);

it("blacks keys out before a message is sent", async () => {
  const key = `sk-${"a1".repeat(12)}`;
  const session = openSession(world(), 78_011);
  world().say = () => ({ text: `The key is ${key}, keep it.` });
  await session.say("which key?");
  expect(await session.shown(1)).toEqual(["The key is [secret], keep it."]);
});

it("sends nothing of a message with a private key, and the next one again", async () => {
  const session = openSession(world(), 78_012);
  world().say = (asked) => ({
    text: lastWords(asked).includes("show") ? "-----BEGIN RSA PRIVATE KEY-----\nMIIE" : "all well",
  });
  await session.say("show it");
  await session.say("and now?");
  expect(await session.shown(1)).toEqual(["all well"]);
});
