import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type ModelAsked, type World, lastWords, openWorld, operator } from "../support/world";
import { type SessionDriver, configureProfile, gate, hurry, openSession } from "./session-driver";

// Conversations whose every message has about a hundred tokens and a fact of its own, in profiles whose history is
// short: what the model is sent tells what is kept word for word, what is summarised, and when.

const SUMMARY = "## Goal\nKeep every fact of the moons.\n## Critical Context\nThe middle facts are summed up here.";
const FILL = "and much more of the kind that fills a conversation without saying anything. ".repeat(5);

let world: World;
beforeEach(() => {
  world = openWorld();
});
afterEach(() => {
  vi.restoreAllMocks();
});

const isSummariser = (asked: ModelAsked): boolean =>
  String(asked.messages[0]?.content).startsWith("You keep the memory");
const summaries = (): ModelAsked[] => world.asked.filter(isSummariser);
const answers = (): ModelAsked[] => world.asked.filter((asked) => !isSummariser(asked));
const textOf = (asked: ModelAsked | undefined): string => JSON.stringify(asked?.messages.slice(1));
const said = (n: number): string => `fact ${n}: ${FILL}`;

/** A session whose conversation holds `history` tokens before it is compacted. */
async function session(chat: number, history = 3000, more: object = {}): Promise<SessionDriver> {
  const profile = `compact${chat}`;
  await configureProfile(profile, { "agent.history_tokens": history, "compaction.protect_last": 4, ...more });
  world.say = (asked) => (isSummariser(asked) ? { text: SUMMARY } : { text: `Noted. ${FILL}` });
  return openSession(world, chat, profile);
}

/** Says the facts from one number to another, each answered before the next. */
async function talk(driver: SessionDriver, from: number, to: number): Promise<void> {
  for (let n = from; n <= to; n++) {
    await driver.say(said(n));
    await driver.shown(n);
  }
}

it("compacts a long conversation by itself, once, and goes on with head, summary and end", async () => {
  const driver = await session(80_001);
  await talk(driver, 1, 18);
  expect(summaries()).toHaveLength(1);
  expect(textOf(summaries()[0])).toContain("fact 3:");
  const last = answers().at(-1);
  const text = textOf(last);
  expect(text).toContain("fact 1:");
  expect(text).toContain("The middle facts are summed up here.");
  expect(text).toContain("fact 18:");
  expect(text).toContain("fact 17:");
  expect(text).not.toContain("fact 4:");
  expect(text.indexOf("fact 1:")).toBeLessThan(text.indexOf("summed up here"));
  expect(text.indexOf("summed up here")).toBeLessThan(text.indexOf("fact 17:"));
  expect(new Set(answers().map((asked) => asked.messages[0]?.content)).size).toBe(1);
  expect(JSON.stringify(await driver.transcript())).toContain("fact 4:");
  expect((await driver.transcript()).filter(({ role, kind }) => role === "user" && kind === "chat")).toHaveLength(18);
}, 60_000);
