import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { AnyTool } from "#src/domain/tool";
import { tools } from "#src/tools/registry";
import { type ModelAsked, type ModelSays, type World, lastWords, openWorld } from "../support/world";
import { type SessionDriver, configureProfile, hurry, openSession } from "./session-driver";
import { until } from "../support/until";

// What a turn may take: money, time, steps, and patience with a model that goes in circles. The scripted model's calls
// have 15 tokens, and a tool of this file fails as often as it is asked to.

const PRICE = { "model.overrides": { scripted: { price: { input: 1000, output: 1000 } } } };

let runs = 0;
const flaky: AnyTool = {
  name: "flaky",
  toolset: "todo",
  description: "Fails, or does not.",
  parameters: { type: "object", properties: { fail: { type: "boolean" } } },
  parse: (input) => input,
  effect: "unsafe",
  parallel: "never",
  async execute(args: { fail?: boolean }) {
    runs += 1;
    return args.fail === true ? { content: "it broke", isError: true } : { content: `fine ${runs}` };
  },
};

let world: World;
beforeEach(() => {
  (tools as AnyTool[]).push(flaky);
  runs = 0;
  world = openWorld();
});
afterEach(() => {
  (tools as AnyTool[]).pop();
  vi.restoreAllMocks();
});

async function session(chat: number, settings: Readonly<Record<string, unknown>>): Promise<SessionDriver> {
  await configureProfile(`budgets${chat}`, settings);
  return openSession(world, chat, `budgets${chat}`);
}

const use = (args: object = {}): ModelSays => ({ calls: [{ name: "flaky", arguments: args }] });
const results = (asked: ModelAsked | undefined): string[] =>
  (asked?.messages ?? []).filter(({ role }) => role === "tool").map(({ content }) => String(content));

it("stops a turn whose money is spent, and says what it cost", async () => {
  const driver = await session(82_001, { ...PRICE, "budgets.turn_usd": 0.04 });
  world.say = () => use({ n: runs });
  await driver.say("go on for ever");
  expect(await driver.shown(1)).toEqual([
    "⚠️ I stopped here: this turn has cost $0.04, and the limit is $0.04. Ask me to go on, or for a smaller part of it.",
  ]);
  expect(world.asked).toHaveLength(3);
  world.say = () => ({ text: "a turn of its own" });
  await driver.say("go on");
  expect((await driver.shown(2))[1]).toBe("a turn of its own");
});

it("counts the money of a turn through a crash", async () => {
  const driver = await session(82_002, { ...PRICE, "budgets.turn_usd": 0.04 });
  const held = Promise.withResolvers<void>();
  world.say = async (_asked, count) => {
    if (count === 3) await held.promise;
    return use({ n: count });
  };
  await driver.say("go on for ever");
  await until(() => expect(world.asked).toHaveLength(3));
  await driver.crash();
  held.resolve();
  await driver.wake();
  expect((await driver.shown(1))[0]).toContain("this turn has cost $0.04");
  // two before the crash, the one that was cut off, and the one that took its place
  expect(world.asked).toHaveLength(4);
});

it("stops a conversation whose money is spent, and begins with none spent after /new", async () => {
  const driver = await session(82_003, { ...PRICE, "budgets.session_usd": 0.03 });
  for (const n of [1, 2]) {
    await driver.say(`say ${n}`);
    await driver.shown(n);
  }
  await driver.say("say 3");
  expect((await driver.shown(3))[2]).toBe(
    "⚠️ I stopped here: this conversation has cost $0.03, and the limit is $0.03. Begin a new one with /new, or raise budgets.session_usd.",
  );
  await driver.say("/new");
  await driver.shown(4);
  await driver.say("say 4");
  expect((await driver.shown(5))[4]).toBe("You said: say 4");
});

it("stops every conversation of a profile when the day's money is spent", async () => {
  const driver = await session(82_004, { ...PRICE, "budgets.day_usd": 0.02 });
  await driver.say("one");
  await driver.shown(1);
  await driver.say("two");
  await driver.shown(2);
  await driver.wake();
  const other = openSession(world, 82_005, "budgets82004");
  await other.say("three");
  expect(await other.shown(1)).toEqual([
    "⚠️ I stopped here: today's work has cost $0.03, and the limit is $0.02. It goes on tomorrow (UTC), or when budgets.day_usd is raised.",
  ]);
});

it("counts the day's money before the profile was told of it", async () => {
  const driver = await session(82_013, { ...PRICE, "budgets.day_usd": 0.03 });
  for (const n of [1, 2]) {
    await driver.say(`say ${n}`);
    await driver.shown(n);
  }
  await driver.say("say 3");
  expect((await driver.shown(3))[2]).toContain("today's work has cost $0.03");
});

it("counts what subagents cost for the turn and the conversation that asked for them", async () => {
  const driver = await session(82_021, { ...PRICE, "budgets.turn_usd": 0.05, "budgets.session_usd": 0.09 });
  const isChild = (asked: ModelAsked): boolean => !JSON.stringify(asked.tools).includes("delegate_task");
  world.say = (asked, count) =>
    isChild(asked) ? { text: "done" } : { calls: [{ name: "delegate_task", arguments: { goal: `part ${count}` } }] };
  await driver.say("go on for ever");
  // two calls here, and one of each subagent
  expect((await driver.shown(1))[0]).toContain("this turn has cost $0.06, and the limit is $0.05");
  expect(world.asked).toHaveLength(4);
  await driver.say("go on");
  expect((await driver.shown(2))[1]).toContain("this conversation has cost $0.09, and the limit is $0.09");
  expect(world.asked).toHaveLength(6);
});

it("gives a subagent no more money than is left", async () => {
  const driver = await session(82_023, { ...PRICE, "budgets.turn_usd": 0.05 });
  const isChild = (asked: ModelAsked): boolean => !JSON.stringify(asked.tools).includes("delegate_task");
  world.say = (asked, count) =>
    isChild(asked) ? use({ n: count }) : { calls: [{ name: "delegate_task", arguments: { goal: "go on for ever" } }] };
  await driver.say("go");
  // one call here, and three of the subagent, which would have had a fourth for a turn of its own
  expect((await driver.shown(1))[0]).toContain("this turn has cost $0.06, and the limit is $0.05");
  expect(world.asked).toHaveLength(4);
  expect(results(world.asked.at(-1))).toHaveLength(2);
});

it("shares what money is left among subagents that run at the same time", async () => {
  const driver = await session(82_024, { ...PRICE, "budgets.turn_usd": 0.11 });
  const isChild = (asked: ModelAsked): boolean => !JSON.stringify(asked.tools).includes("delegate_task");
  const tasks = ["go on for ever", "and ever and ever"].map((goal) => ({ goal }));
  world.say = (asked, count) =>
    isChild(asked) ? use({ n: count }) : { calls: [{ name: "delegate_task", arguments: { tasks } }] };
  await driver.say("go");
  // one call here, and four of each subagent: each had half of what was left, and not the whole
  expect((await driver.shown(1))[0]).toContain("this turn has cost $0.14, and the limit is $0.11");
  expect(world.asked.filter(isChild)).toHaveLength(8);
});

it("counts what a subagent cost that nobody waited for, through a crash", async () => {
  const driver = await session(82_022, { ...PRICE, "budgets.session_usd": 0.06 });
  const isChild = (asked: ModelAsked): boolean => !JSON.stringify(asked.tools).includes("delegate_task");
  world.say = (asked, count) => {
    if (isChild(asked)) return { text: "done" };
    const goal = { goal: "look around", background: true };
    return count === 1 ? { calls: [{ name: "delegate_task", arguments: goal }] } : { text: "I wait" };
  };
  await driver.say("go");
  // two calls here, one of the subagent, and one when it has reported
  await until(() => expect(world.asked).toHaveLength(4));
  await driver.shown(2);
  await driver.crash();
  await driver.say("more");
  expect((await driver.shown(3))[2]).toContain("this conversation has cost $0.06, and the limit is $0.06");
});

it("takes a model without a price for free", async () => {
  const driver = await session(82_006, { "budgets.turn_usd": 0.01, "budgets.day_usd": 0.01 });
  world.say = (_asked, count) => (count < 6 ? use({ n: count }) : { text: "done" });
  await driver.say("go on");
  expect(await driver.shown(1)).toEqual(["done"]);
});

/** A clock that the test puts forward. */
function clock(): { forward(minutes: number): void } {
  const real = Date.now.bind(Date);
  let ahead = 0;
  vi.spyOn(Date, "now").mockImplementation(() => real() + ahead);
  return { forward: (minutes) => void (ahead += minutes * 60_000) };
}

it("has a turn come to an end when most of its time is over, and stops it when all is", async () => {
  const time = clock();
  const driver = await session(82_007, { "budgets.turn_minutes": 10 });
  world.say = (asked, count) => {
    if (asked.tools === undefined || asked.tools.length === 0) return { text: "That is what I have." };
    time.forward(count === 1 ? 1 : 8);
    return use({ n: count });
  };
  await driver.say("take your time");
  expect(await driver.shown(1)).toEqual(["That is what I have."]);
  expect(lastWords(world.asked.at(-1) ?? { messages: [] })).toContain("most of the 10 minutes");
  world.say = (_asked, count) => {
    time.forward(11);
    return use({ n: count });
  };
  await driver.say("take your time again");
  expect((await driver.shown(2))[1]).toBe(
    "⚠️ I stopped here: a turn may take 10 minutes, and this one has. Ask me to go on.",
  );
});

it("does not count the time that a person takes to answer", async () => {
  const time = clock();
  const driver = await session(82_008, { "budgets.turn_minutes": 10 });
  world.say = (_asked, count) =>
    count === 1 ? { calls: [{ name: "clarify", arguments: { question: "Which moon?" } }] } : { text: "Phobos it is." };
  await driver.say("draw it");
  await until(() => expect(world.textsOf(82_008)).toHaveLength(1));
  time.forward(30);
  await driver.say("Phobos");
  expect((await driver.shown(2))[1]).toBe("Phobos it is.");
});

it("warns of a call that fails again and again, refuses it, and ends the turn with words", async () => {
  const driver = await session(82_009, {});
  world.say = (asked) =>
    asked.tools === undefined || asked.tools.length === 0 ? { text: "It stays broken." } : use({ fail: true });
  await driver.say("make it work");
  expect(await driver.shown(1)).toEqual(["It stays broken."]);
  expect(runs).toBe(5);
  const said = results(world.asked.at(-1));
  expect(said[0]).toBe("it broke");
  expect(said[1]).toContain("[Loop guard] This very call has now failed 2 times.");
  expect(said[5]).toContain("[Loop guard] Not run: this very call has failed 5 times.");
  expect(said).toHaveLength(8);
  expect(lastWords(world.asked.at(-1) ?? { messages: [] })).toContain("There are no more tools in this turn");
});

it("knows after a crash how often a call has failed", async () => {
  const driver = await session(82_010, {});
  const held = Promise.withResolvers<void>();
  world.say = async (asked, count) => {
    if (count === 5) await held.promise;
    return asked.tools === undefined || asked.tools.length === 0 ? { text: "It stays broken." } : use({ fail: true });
  };
  await driver.say("make it work");
  await until(() => expect(world.asked).toHaveLength(5));
  await driver.crash();
  held.resolve();
  await driver.wake();
  expect((await driver.shown(1))[0]).toContain("It stays broken.");
  expect(runs).toBe(5);
});

it("lets a model that goes on calling without tools end in a sentence", async () => {
  const driver = await session(82_011, { "agent.max_turns": 2, "model.fallbacks": [] });
  hurry();
  world.say = (_asked, count) => use({ n: count });
  await driver.say("never stop");
  expect((await driver.shown(1))[0]).toMatch(/^⚠️ I could not answer: /);
  expect(runs).toBe(2);
});

it("asks for a sum-up without tools when the steps are used up", async () => {
  const driver = await session(82_012, { "agent.max_turns": 3 });
  world.say = (asked, count) =>
    asked.tools === undefined || asked.tools.length === 0 ? { text: "Three steps were taken." } : use({ n: count });
  await driver.say("go on");
  expect(await driver.shown(1)).toEqual(["Three steps were taken."]);
  expect(world.asked).toHaveLength(4);
  expect(lastWords(world.asked.at(-1) ?? { messages: [] })).toContain("the 3 tool steps of one turn are used up");
  // what the model was asked in between is not part of the conversation
  world.say = () => ({ text: "yes" });
  await driver.say("and now?");
  await driver.shown(2);
  expect(JSON.stringify(world.asked.at(-1)?.messages)).not.toContain("steps of one turn");
});
