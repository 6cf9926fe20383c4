import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { openRedaction, redactGrowing, redactLogs } from "../../durable-objects/redaction";
import { type World, openWorld } from "../support/world";
import { WORLD } from "../support/world-settings";
import { openSession } from "./session-driver";

// put together here, so that scanners of this repository stay quiet
const KEY = ["sk-proj-", "u8jzPde0IgxLd6GncfBAep", "fJBd0Kh8oOOL8dKLzdocJ2isAj"].join("");

let world: World;
beforeEach(() => {
  world = openWorld();
});
afterEach(() => {
  vi.restoreAllMocks();
});

const environment = { names: ["ADMIN_TOKEN"], get: () => "a-very-own-secret-value" };

it("keeps a key that a command printed from the model, and one that the model says from the chat", async () => {
  const session = openSession(world, 88_001);
  world.say = (asked) =>
    asked.messages.at(-1)?.role === "tool"
      ? { text: `the key is ${KEY}, and ours ${WORLD.TELEGRAM_WEBHOOK_SECRET}` }
      : { calls: [{ name: "terminal", arguments: { command: `echo OPENAI_KEY=${KEY}` } }] };
  await session.say("go");
  const [text] = await session.shown(1);
  expect(text).not.toContain(KEY);
  expect(text).not.toContain(WORLD.TELEGRAM_WEBHOOK_SECRET);
  expect(JSON.stringify(world.asked[1]?.messages.at(-1))).not.toContain(KEY.slice(12, 40));
  expect(JSON.stringify(await session.transcript())).not.toContain(KEY.slice(12, 40));
});

it("lets a growing answer through only as far as it can hold no secret", () => {
  const grow = redactGrowing(openRedaction(true, environment));
  const whole = `Here it is: ${KEY} and that is all there is to say about it.`;
  for (let end = 1; end <= whole.length; end++) expect(grow(whole.slice(0, end))).not.toContain(KEY.slice(0, 20));
  expect(grow(`${whole}\n\n`)).toContain("and that is all");
});

it("begins anew when an answer does", () => {
  const grow = redactGrowing(openRedaction(true, environment));
  expect(grow("one two three.\n\nfour")).toContain("one two");
  expect(grow("other words now.\n\nfour")).not.toContain("one two");
});

it("takes a deployment's own secrets out even where the rest is left alone", () => {
  const redaction = openRedaction(false, environment);
  expect(redaction.text("x a-very-own-secret-value y", "log")).toBe("x [REDACTED] y");
  expect(redaction.text(KEY, "log")).toBe(KEY);
});

it("keeps secrets out of the log, in words and in errors, however often it is set up", () => {
  const lines: unknown[] = [];
  const write = (...parts: unknown[]) => void lines.push(...parts);
  const log = { error: write, warn: write, log: write };
  redactLogs(openRedaction(true, environment), log);
  redactLogs(openRedaction(true, environment), log);
  log.error("it failed with a-very-own-secret-value", new Error("a-very-own-secret-value"), { kept: true });
  expect(lines).toEqual([
    "it failed with [REDACTED]",
    expect.not.stringContaining("a-very-own-secret-value"),
    { kept: true },
  ]);
});
