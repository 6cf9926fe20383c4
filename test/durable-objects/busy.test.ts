import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type World, lastWords, openWorld } from "../support/world";
import { configure, gate, openSession } from "./session-driver";
import { until } from "../support/until";

const LONG = "This is the beginning of a long answer that a person can already read";
const PLAN = { name: "todo", arguments: { todos: [{ id: "1", content: "sweep", status: "pending" }] } };

let world: World;
beforeEach(() => {
  world = openWorld();
});
afterEach(async () => {
  await configure({ "display.busy_input_mode": null });
  vi.restoreAllMocks();
});

/** The model shows a long beginning and never ends its first answer; what follows echoes. */
function holdFirst(): void {
  let count = 0;
  world.say = (asked) => {
    count += 1;
    return count === 1 ? { text: LONG, hold: new Promise(() => undefined) } : { text: `You said: ${lastWords(asked)}` };
  };
}

it("begins the answer anew when a correction comes after text was shown, as one answer on the platform", async () => {
  const session = openSession(world, 71_001);
  holdFirst();
  await session.say("tell me of Oslo");
  await until(() => expect(world.textsOf(71_001)).toEqual([LONG]));
  await session.say("no, of Bergen");
  await until(() => expect(world.textsOf(71_001)[0]).toContain("Bergen"));
  expect(await session.shown(1)).toEqual(["You said: no, of Bergen"]);
  expect((await session.transcript()).map(({ role, kind, content }) => [role, kind, content])).toEqual([
    ["user", "chat", "tell me of Oslo"],
    ["assistant", "partial", LONG],
    ["user", "chat", "no, of Bergen"],
    ["assistant", "chat", "You said: no, of Bergen"],
  ]);
  expect(
    world.asked
      .at(-1)
      ?.messages.slice(1)
      .map(({ role }) => role),
  ).toEqual(["user", "assistant", "user"]);
});

it("lets a steering word ride on the result of the tool that follows it", async () => {
  const session = openSession(world, 71_002);
  const held = gate();
  let count = 0;
  world.say = async (asked) => {
    count += 1;
    if (count === 1) {
      await held.opened;
      return { calls: [PLAN] };
    }
    return { text: `heard ${lastWords(asked)}` };
  };
  await session.say("plan it");
  await until(() => expect(world.asked).toHaveLength(1));
  await session.say("/steer only today");
  await until(() => expect(world.textsOf(71_002)).toHaveLength(1));
  held.open();
  await session.shown(2);
  const messages = world.asked.at(-1)?.messages.slice(1) ?? [];
  expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
  expect(String(messages.at(-1)?.content)).toContain("only today");
});

it("answers a steering word in the same turn when no tool follows", async () => {
  const session = openSession(world, 71_003);
  const held = gate();
  let count = 0;
  world.say = async (asked) => {
    count += 1;
    if (count === 1) return { text: LONG, hold: held.opened };
    return { text: `heard ${lastWords(asked)}` };
  };
  await configure({ "display.busy_input_mode": "steer" });
  await session.say("tell me of Oslo");
  await until(() => expect(world.textsOf(71_003)).toEqual([LONG]));
  await session.say("in one line");
  held.open();
  await until(() => expect(world.textsOf(71_003)[0]).toContain("in one line"));
  expect(await session.shown(1)).toHaveLength(1);
  const lines = await session.transcript();
  expect(lines.map(({ role, kind }) => `${role}/${kind}`)).toEqual([
    "user/chat",
    "assistant/partial",
    "user/steer",
    "assistant/chat",
  ]);
  expect(new Set(lines.map(({ turn_id }) => turn_id)).size).toBe(1);
});

it("answers queued messages one by one, in the order they came", async () => {
  const session = openSession(world, 71_004);
  const held = gate();
  let count = 0;
  world.say = (asked) => {
    count += 1;
    return count === 1 ? { text: LONG, hold: held.opened } : { text: `You said: ${lastWords(asked)}` };
  };
  await configure({ "display.busy_input_mode": "queue" });
  await session.say("first");
  await until(() => expect(world.textsOf(71_004)).toEqual([LONG]));
  await session.say("second");
  await session.say("third");
  held.open();
  expect(await session.shown(3)).toEqual([LONG, "You said: second", "You said: third"]);
  expect((await session.transcript()).map(({ role, content }) => [role, content])).toEqual([
    ["user", "first"],
    ["assistant", LONG],
    ["user", "second"],
    ["assistant", "You said: second"],
    ["user", "third"],
    ["assistant", "You said: third"],
  ]);
  expect(
    world.asked
      .at(1)
      ?.messages.slice(1)
      .map(({ role }) => role),
  ).toEqual(["user", "assistant", "user"]);
});

it("retries a message that had waited in the queue, and not the one before it", async () => {
  const session = openSession(world, 71_005);
  const held = gate();
  let count = 0;
  world.say = (asked) => {
    count += 1;
    return count === 1 ? { text: LONG, hold: held.opened } : { text: `${count}: ${lastWords(asked)}` };
  };
  await configure({ "display.busy_input_mode": "queue" });
  await session.say("first");
  await until(() => expect(world.textsOf(71_005)).toEqual([LONG]));
  await session.say("second");
  held.open();
  await session.shown(2);
  await session.say("/retry");
  expect((await session.shown(3)).at(-1)).toBe("3: second");
  expect((await session.transcript()).filter(({ kind }) => kind === "chat").map(({ content }) => content)).toEqual([
    "first",
    LONG,
    "second",
    "3: second",
  ]);
});

it("answers an edited message that still waits in the queue as edited", async () => {
  const session = openSession(world, 71_006);
  const held = gate();
  let count = 0;
  world.say = (asked) => {
    count += 1;
    return count === 1 ? { text: LONG, hold: held.opened } : { text: `You said: ${lastWords(asked)}` };
  };
  await configure({ "display.busy_input_mode": "queue" });
  await session.say("first");
  await until(() => expect(world.textsOf(71_006)).toEqual([LONG]));
  await session.say("secund", { messageId: "edit-me" });
  await session.say("second", { kind: "edited_message", messageId: "edit-me" });
  held.open();
  expect((await session.shown(2)).at(-1)).toBe("You said: second");
});

it("answers a message edited before anything was sent as edited, and leaves later edits alone", async () => {
  const session = openSession(world, 71_007);
  let count = 0;
  world.say = async (asked) => {
    count += 1;
    if (count === 1) await new Promise(() => undefined);
    return { text: `You said: ${lastWords(asked)}` };
  };
  await session.say("helo", { messageId: "typo" });
  await until(() => expect(world.asked).toHaveLength(1));
  await session.say("hello", { kind: "edited_message", messageId: "typo" });
  expect(await session.shown(1)).toEqual(["You said: hello"]);
  await session.say("goodbye", { kind: "edited_message", messageId: "typo" });
  await session.settled();
  expect(world.textsOf(71_007)).toEqual(["You said: hello"]);
  expect((await session.transcript()).map(({ content }) => content)).toEqual(["hello", "You said: hello"]);
});

it("keeps the answers of queued turns through a crash: none lost, none doubled, in order", async () => {
  const session = openSession(world, 71_008);
  let count = 0;
  world.say = async (asked) => {
    count += 1;
    if (count === 1) await new Promise(() => undefined);
    return { text: `You said: ${lastWords(asked)}` };
  };
  await session.say("first");
  await until(() => expect(world.asked).toHaveLength(1));
  await session.say("/queue second");
  await session.say("/queue third");
  await until(() => expect(world.textsOf(71_008)).toHaveLength(2));
  await session.crash();
  const texts = await session.shown(5);
  expect(texts.slice(2)).toEqual(["You said: first", "You said: second", "You said: third"]);
});

it("gives a turn up with a sentence when it was cut off more often than is allowed", async () => {
  const session = openSession(world, 71_009);
  world.say = () => new Promise(() => undefined);
  await session.say("poison");
  for (let life = 1; life <= 11; life++) {
    await until(() => expect(world.asked).toHaveLength(life));
    await session.crash();
  }
  const [text] = await session.shown(1);
  expect(text).toContain("interrupted 11 times");
  expect(world.asked).toHaveLength(11);
});

it("takes a message that comes right after /stop as a new turn", async () => {
  const session = openSession(world, 71_010);
  let count = 0;
  world.say = async (asked) => {
    count += 1;
    if (count === 1) await new Promise(() => undefined);
    return { text: `You said: ${lastWords(asked)}` };
  };
  await session.say("first");
  await until(() => expect(world.asked).toHaveLength(1));
  await Promise.all([session.say("/stop"), session.say("second")]);
  expect((await session.shown(2)).toSorted()).toEqual(["You said: second", "⏹ Stopped."]);
});
