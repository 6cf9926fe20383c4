import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type ModelAsked, type World, lastWords, openWorld } from "../support/world";
import { type SessionDriver, configureProfile, gate, hurry, openSession } from "./session-driver";
import { until } from "../support/until";

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

it("keeps calls with their results, whatever is cut between", async () => {
  const driver = await session(80_002);
  const noted = world.say;
  world.say = (asked, count) => {
    if (isSummariser(asked) || asked.messages.at(-1)?.role === "tool") return noted(asked, count);
    return {
      calls: [{ name: "todo", arguments: { todos: [{ id: "1", content: lastWords(asked), status: "pending" }] } }],
    };
  };
  await talk(driver, 1, 10);
  expect(summaries().length).toBeGreaterThan(0);
  expect(answers().flatMap(unpaired)).toEqual([]);
}, 60_000);

/** Calls without exactly one result right behind them, and results without their call. */
function unpaired(asked: ModelAsked): string[] {
  const wrong: string[] = [];
  let open: string[] = [];
  for (const message of asked.messages) {
    if (message.role !== "tool") wrong.push(...open.splice(0));
    const calls = (message.tool_calls ?? []) as readonly { readonly id: string }[];
    open.push(...calls.map(({ id }) => id));
    if (message.role !== "tool") continue;
    const id = message.tool_call_id ?? "";
    if (!open.includes(id)) wrong.push(id);
    open = open.filter((one) => one !== id);
  }
  return [...wrong, ...open];
}

it("compacts within one long turn, not before each of its steps, and still knows what it works for", async () => {
  const driver = await session(80_003);
  world.say = (asked) => {
    if (isSummariser(asked)) return { text: SUMMARY };
    const step = answers().length;
    if (step > 60) return { text: "All parts are written." };
    return { calls: [{ name: "write_file", arguments: { path: `part-${step}.txt`, content: `${step} ${FILL}` } }] };
  };
  await driver.say("write the parts of the moon report");
  await until(() => expect(world.textsOf(80_003).join("\n")).toContain("All parts are written."));
  await driver.settled();
  expect(summaries().length).toBeGreaterThan(1);
  expect(summaries().length).toBeLessThan(9);
  expect(answers().flatMap(unpaired)).toEqual([]);
  expect(answers().filter((asked) => !textOf(asked).includes("the parts of the moon report"))).toEqual([]);
}, 60_000);

it.each([
  ["while it is written", 80_004, isSummariser, 2],
  ["after it is kept", 80_104, (asked: ModelAsked) => !isSummariser(asked) && summaries().length > 0, 1],
] as const)(
  "answers once, with one summary, when a crash comes %s",
  async (_when, chat, isHeld, asked) => {
    const driver = await session(chat);
    await talk(driver, 1, 14);
    const noted = world.say;
    const held = gate();
    const reached: ModelAsked[] = [];
    world.say = async (request, count) => {
      if (reached.length === 0 && isHeld(request)) {
        reached.push(request);
        await held.opened;
      }
      return noted(request, count);
    };
    let n = 14;
    while (reached.length === 0) {
      n += 1;
      await driver.say(said(n));
      const told = n;
      await until(() => expect(reached.length === 1 || world.textsOf(chat).length === told).toBe(true));
    }
    await driver.crash();
    held.open();
    await driver.shown(n);
    expect(summaries()).toHaveLength(asked);
    const kept = (await driver.transcript()).filter(({ kind }) => kind === "summary");
    expect(kept.map(({ content }) => content)).toEqual([SUMMARY]);
    expect(new Set(answers().map(({ messages }) => messages[0]?.content)).size).toBe(1);
  },
  60_000,
);

it("answers with the whole conversation when the summary cannot be had, and leaves the summariser alone for a while", async () => {
  const driver = await session(80_005);
  hurry();
  const noted = world.say;
  world.say = (asked, count) =>
    isSummariser(asked) ? { status: 400, error: { error: { message: "no" } } } : noted(asked, count);
  await talk(driver, 1, 18);
  expect(summaries()).toHaveLength(1);
  expect(textOf(answers().at(-1))).toContain("fact 5:");
}, 60_000);

it("takes no refusal for a summary", async () => {
  const driver = await session(80_006);
  const noted = world.say;
  world.say = (asked, count) => (isSummariser(asked) ? { text: "I cannot help with that." } : noted(asked, count));
  await talk(driver, 1, 17);
  expect(summaries()).toHaveLength(1);
  expect(textOf(answers().at(-1))).not.toContain("cannot help");
  expect(textOf(answers().at(-1))).toContain("fact 4:");
}, 60_000);

it("compresses on request, and says what became of it", async () => {
  const driver = await session(80_007, 20_000);
  await talk(driver, 1, 12);
  await driver.say("/compress");
  const texts = await driver.shown(13);
  expect(texts[12]).toMatch(/^Compressed from about \d+ to \d+ tokens; \d+ messages became a summary\.$/);
  await driver.say(said(13));
  await driver.shown(14);
  expect(textOf(answers().at(-1))).toContain("summed up here");
  expect(textOf(answers().at(-1))).not.toContain("fact 5:");
});

it("shows beforehand what compressing would do, and asks nobody", async () => {
  const driver = await session(80_008, 20_000);
  await talk(driver, 1, 12);
  const before = world.asked.length;
  await driver.say("/compress --preview");
  const texts = await driver.shown(13);
  expect(texts[12]).toMatch(/^About \d+ tokens \(\d+ % of the model's window\)\. \d+ messages/);
  expect(world.asked).toHaveLength(before);
});

it("keeps as many turns as it is told to", async () => {
  const driver = await session(80_009, 20_000);
  await talk(driver, 1, 6);
  await driver.say("/compress here 1");
  await driver.shown(7);
  await driver.say(said(7));
  await driver.shown(8);
  const text = textOf(answers().at(-1));
  expect(text).toContain("fact 1:");
  expect(text).toContain("fact 6:");
  expect(text).not.toContain("fact 5:");
});

it("tells the summariser what matters most", async () => {
  const driver = await session(80_010, 20_000);
  await talk(driver, 1, 12);
  await driver.say("/compress the moons of Mars");
  await driver.shown(13);
  expect(textOf(summaries()[0])).toContain("the moons of Mars");
});

it("has nothing to compress in a short conversation, and says so", async () => {
  const driver = await session(80_011, 20_000);
  await talk(driver, 1, 1);
  await driver.say("/compress");
  expect((await driver.shown(2))[1]).toBe("There is nothing to compress yet.");
  expect(summaries()).toEqual([]);
});

it("compacts and answers when the provider refuses the conversation's length", async () => {
  const driver = await session(80_012, 20_000);
  await talk(driver, 1, 12);
  const noted = world.say;
  const overflow = { error: { message: "too long", type: "invalid_request_error", code: "context_length_exceeded" } };
  world.say = (asked, count) =>
    isSummariser(asked) || textOf(asked).includes("summed up here")
      ? noted(asked, count)
      : { status: 400, error: overflow };
  await driver.say(said(13));
  expect((await driver.shown(13))[12]).toContain("Noted.");
  expect(summaries()).toHaveLength(1);
  expect(textOf(answers().at(-1))).toContain("fact 13:");
});

it("drops what nobody would summarise when the provider refuses the length, and says so to the model", async () => {
  const driver = await session(80_013, 20_000);
  await talk(driver, 1, 12);
  hurry();
  const overflow = { error: { message: "too long", type: "invalid_request_error", code: "context_length_exceeded" } };
  world.say = (asked) => {
    if (isSummariser(asked)) return { status: 403, error: { error: { message: "no" } } };
    return textOf(asked).includes("Last Dropped Turns") ? { text: "Still here." } : { status: 400, error: overflow };
  };
  await driver.say(said(13));
  expect((await driver.shown(13))[12]).toBe("Still here.");
});

it("says in one sentence that a message alone is too long for the model", async () => {
  const driver = await session(80_014, 20_000);
  const overflow = { error: { message: "too long", type: "invalid_request_error", code: "context_length_exceeded" } };
  world.say = () => ({ status: 400, error: overflow });
  await driver.say(said(1));
  expect(await driver.shown(1)).toEqual([
    "⚠️ I could not answer: The conversation is too long for the model at model.test.",
  ]);
});

/** Says facts until the summariser is asked, which then waits for the gate. */
async function untilSummary(driver: SessionDriver, opened: Promise<void>): Promise<number> {
  const noted = world.say;
  world.say = async (asked, count) => {
    if (isSummariser(asked)) await opened;
    return noted(asked, count);
  };
  for (let n = 1; ; n++) {
    await driver.say(said(n));
    await until(() => expect(summaries().length + world.textsOf(driver.chat).length).toBeGreaterThanOrEqual(n));
    if (summaries().length > 0) return n;
    await driver.settled();
  }
}

it("stops while the summary is written, in the usual words", async () => {
  const driver = await session(80_015);
  const held = gate();
  const n = await untilSummary(driver, held.opened);
  await driver.say("/stop");
  expect((await driver.shown(n))[n - 1]).toBe("⏹ Stopped.");
  held.open();
});

it("begins a new conversation while the summary of the old one is written", async () => {
  const driver = await session(80_016);
  const held = gate();
  const n = await untilSummary(driver, held.opened);
  await driver.say("/new");
  const texts = await driver.shown(n + 1);
  expect(texts[n - 1]).toBe("⏹ Stopped.");
  held.open();
  await driver.say("hello again");
  await driver.shown(n + 2);
  expect(answers().at(-1)?.messages.slice(1)).toEqual([{ role: "user", content: "hello again" }]);
});

it("drops a summary that was asked for of a conversation which was left meanwhile", async () => {
  const driver = await session(80_017, 20_000);
  await talk(driver, 1, 12);
  const held = gate();
  world.say = async (asked) => {
    if (isSummariser(asked)) await held.opened;
    return isSummariser(asked) ? { text: SUMMARY } : { text: "Yes." };
  };
  await driver.say("/compress");
  await until(() => expect(summaries()).toHaveLength(1));
  await driver.say("/new");
  await until(() => expect(world.textsOf(80_017)).toHaveLength(13));
  held.open();
  expect((await driver.shown(14))[13]).toBe("A new conversation has begun meanwhile.");
  await driver.say("hello again");
  await driver.shown(15);
  expect(answers().at(-1)?.messages.slice(1)).toEqual([{ role: "user", content: "hello again" }]);
});

it("answers words that come while the summary is written, in the same turn", async () => {
  const driver = await session(80_018);
  const held = gate();
  const n = await untilSummary(driver, held.opened);
  await driver.say("and one more thing");
  held.open();
  await driver.shown(n);
  const text = textOf(answers().at(-1));
  expect(text).toContain(`fact ${n}:`);
  expect(text).toContain("and one more thing");
});

it("counts what a summary used and cost", async () => {
  const price = { "model.overrides": { scripted: { price: { input: 1000, output: 1000 } } } };
  const driver = await session(80_019, 20_000, price);
  await talk(driver, 1, 12);
  const noted = world.say;
  world.say = async (asked, count) => ({
    ...(await noted(asked, count)),
    ...(isSummariser(asked) ? { usage: { prompt_tokens: 700, completion_tokens: 300 } } : {}),
  });
  await driver.say("/compress");
  await driver.shown(13);
  await driver.wake();
  const [day] = await env.PROFILES.getByName("compact80019").usage();
  expect(day).toMatchObject({ calls: 13, inputTokens: 12 * 10 + 700, outputTokens: 12 * 5 + 300 });
  expect(day?.costUsd).toBeCloseTo((12 * 15 + 1000) / 1000);
});

it("counts what a summary cost that came to nothing, and shows the model nothing of it", async () => {
  const price = { "model.overrides": { scripted: { price: { input: 1000, output: 1000 } } } };
  const driver = await session(80_024, 20_000, price);
  await talk(driver, 1, 12);
  const noted = world.say;
  world.say = (asked, count) => (isSummariser(asked) ? { text: "I cannot help with that." } : noted(asked, count));
  await driver.say("/compress");
  await driver.shown(13);
  await driver.say(said(13));
  await driver.shown(14);
  expect(JSON.stringify(answers().at(-1))).not.toContain("could not be compressed");
  await driver.wake();
  const [day] = await env.PROFILES.getByName("compact80024").usage();
  expect(summaries()).toHaveLength(1);
  expect(day?.costUsd).toBeCloseTo((14 * 15) / 1000);
});

it("lets what a summary costs count against the turn's money", async () => {
  const settings = {
    "model.overrides": { scripted: { price: { input: 1000, output: 1000 } } },
    "budgets.turn_usd": 0.5,
  };
  const driver = await session(80_021, 3000, settings);
  const noted = world.say;
  world.say = async (asked, count) => ({
    ...(await noted(asked, count)),
    ...(isSummariser(asked) ? { usage: { prompt_tokens: 700, completion_tokens: 300 } } : {}),
  });
  await talk(driver, 1, 15);
  await driver.say(said(16));
  const texts = await driver.shown(16);
  expect(texts.filter((text) => text.startsWith("⚠️ I stopped here: this turn has cost $1.00"))).toHaveLength(1);
});

it("shows the model the same beginning after a crash", async () => {
  const driver = await session(80_022);
  await talk(driver, 1, 16);
  const before = answers().at(-1)?.messages ?? [];
  await driver.crash();
  await driver.say(said(17));
  await driver.shown(17);
  expect(summaries()).toHaveLength(1);
  expect(answers().at(-1)?.messages.slice(0, before.length)).toEqual(before);
});

it("forgets a summary of what is taken back", async () => {
  const driver = await session(80_023, 20_000);
  await talk(driver, 1, 8);
  await driver.say("/compress here 1");
  await driver.shown(9);
  await driver.say("/undo 4");
  await driver.shown(10);
  await driver.say("what did I say?");
  await driver.shown(11);
  const text = textOf(answers().at(-1));
  expect(text).not.toContain("summed up here");
  expect(text).toContain("fact 4:");
  expect(text).not.toContain("fact 5:");
});
