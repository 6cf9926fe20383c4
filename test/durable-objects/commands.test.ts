import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type World, lastWords, openWorld } from "../support/world";
import { configure, openSession } from "./session-driver";
import { until } from "../support/until";

const LONG = "This is the beginning of a long answer that a person can already read";

let world: World;
beforeEach(() => {
  world = openWorld();
});
afterEach(async () => {
  await configure({ "display.busy_input_mode": null });
  vi.restoreAllMocks();
});

/** The model never ends its first answer. */
function hang(): void {
  let count = 0;
  world.say = async (asked) => {
    count += 1;
    if (count === 1) await new Promise(() => undefined);
    return { text: `You said: ${lastWords(asked)}` };
  };
}

it("keeps what was shown when a turn is stopped while it streams", async () => {
  const session = openSession(world, 75_001);
  world.say = () => ({ text: LONG, hold: new Promise(() => undefined) });
  await session.say("talk");
  await until(() => expect(world.textsOf(75_001)).toEqual([LONG]));
  await session.say("/stop");
  await until(() => expect(world.textsOf(75_001)[0]).toContain("Stopped"));
  expect(await session.shown(1)).toEqual([`${LONG}\n\n⏹ Stopped.`]);
});

it("stops while it waits to try the model again", async () => {
  const session = openSession(world, 75_002);
  world.say = () => ({ status: 429, headers: { "retry-after": "60" } });
  await session.say("talk");
  await until(() => expect(world.asked).toHaveLength(1));
  await session.say("/stop");
  expect(await session.shown(1)).toEqual(["⏹ Stopped."]);
});

it("says so when there is nothing to stop", async () => {
  const session = openSession(world, 75_003);
  await session.say("/stop");
  expect(await session.shown(1)).toEqual(["I am not doing anything right now."]);
});

it("ends the running turn before it begins a new conversation", async () => {
  const session = openSession(world, 75_004);
  hang();
  await session.say("old words");
  await until(() => expect(world.asked).toHaveLength(1));
  await session.say("/new");
  const texts = await session.shown(2);
  expect(texts[0]).toBe("⏹ Stopped.");
  expect(texts[1]).toContain("New conversation");
  await session.say("new words");
  await session.shown(3);
  expect(world.asked.at(-1)?.messages.slice(1)).toEqual([{ role: "user", content: "new words" }]);
});

it("takes exchanges back, and the model no longer sees them", async () => {
  const session = openSession(world, 75_005);
  for (const [index, text] of ["one", "two", "three"].entries()) {
    await session.say(text);
    await session.shown(index + 1);
  }
  await session.say("/undo 2");
  await session.shown(4);
  await session.say("four");
  await session.shown(5);
  expect(
    world.asked
      .at(-1)
      ?.messages.slice(1)
      .map(({ content }) => content),
  ).toEqual(["one", "You said: one", "four"]);
});

it("does not count a queued word of the same turn as an exchange of its own", async () => {
  const session = openSession(world, 75_006);
  await session.say("zero");
  await session.shown(1);
  hang();
  await session.say("one");
  await until(() => expect(world.asked).toHaveLength(2));
  await session.say("and more");
  await session.shown(2);
  await session.say("/undo");
  await session.shown(3);
  expect((await session.transcript()).filter(({ kind }) => kind === "chat").map(({ content }) => content)).toEqual([
    "zero",
    "You said: zero",
  ]);
});

it("never shows a command or its reply to the model", async () => {
  const session = openSession(world, 75_007);
  await session.say("/status");
  await session.say("/nosuch");
  await session.say("/title Summer");
  await session.shown(3);
  await session.say("hello");
  await session.shown(4);
  expect(world.asked).toHaveLength(1);
  expect(world.asked[0]?.messages.slice(1)).toEqual([{ role: "user", content: "hello" }]);
});

it("answers /status beside a running turn, and turns /retry away", async () => {
  const session = openSession(world, 75_008);
  hang();
  await session.say("work");
  await until(() => expect(world.asked).toHaveLength(1));
  await session.say("/status");
  await until(() => expect(world.textsOf(75_008)).toHaveLength(1));
  await session.say("/retry");
  await until(() => expect(world.textsOf(75_008)).toHaveLength(2));
  expect(world.textsOf(75_008)[0]).toContain("working for");
  expect(world.textsOf(75_008)[1]).toContain("has to wait");
  await session.say("/stop");
  await session.shown(3);
});

it("runs a command that a crash cut off once", async () => {
  const session = openSession(world, 75_009);
  await session.say("hello");
  await session.shown(1);
  // as a crash leaves it: the row and the turn stand, nothing else
  await session.sql(
    "INSERT INTO messages (turn, epoch, role, kind, content, at) VALUES (NULL, 1, 'user', 'command', '/queue later', 0)",
  );
  const [{ id } = { id: 0 }] = await session.sql<{ id: number }>("SELECT max(id) AS id FROM messages");
  const origin = { platform: "telegram", target: { chatId: "75009" }, user: { id: "7001", isOwner: false } };
  const turn = {
    id,
    kind: "command",
    interruptions: 0,
    startedAt: 0,
    origin,
    command: { name: "queue", args: "later" },
  };
  await session.sql("INSERT INTO turns (id, data) VALUES (?, ?)", id, JSON.stringify(turn));
  await session.crash();
  expect(await session.shown(2)).toEqual(["You said: hello", "You said: later"]);
  await session.crash();
  expect(await session.shown(2)).toHaveLength(2);
});

it("keeps a message after /new apart from the same message before it", async () => {
  const session = openSession(world, 75_010);
  const twice = { dedupeKeys: ["same"], messageId: "same" };
  await session.say("once", twice);
  await session.shown(1);
  await session.say("/new");
  await session.shown(2);
  expect((await session.say("once", twice)).status).toBe("duplicate");
  await session.settled();
  expect(world.textsOf(75_010)).toHaveLength(2);
});

it("ends every turn that waits when the person says stop, each with its answer", async () => {
  const session = openSession(world, 75_011);
  world.say = () => new Promise(() => undefined);
  await session.say("one");
  await until(() => expect(world.asked).toHaveLength(1));
  await session.say("/queue two");
  await until(() => expect(world.textsOf(75_011)).toHaveLength(1));
  await session.say("/stop");
  const texts = await session.shown(3);
  expect(texts.slice(1)).toEqual(["⏹ Stopped.", "⏹ Stopped."]);
});

it("stops a turn whose tool hangs", async () => {
  const session = openSession(world, 75_012);
  world.say = (asked) =>
    asked.messages.at(-1)?.role === "tool"
      ? { text: "done" }
      : { calls: [{ name: "terminal", arguments: { command: "sleep 30" } }] };
  await session.say("wait");
  await until(async () =>
    expect(await session.sql("SELECT id FROM messages WHERE role = 'assistant'")).toHaveLength(1),
  );
  await session.say("/stop");
  expect(await session.shown(1)).toEqual(["⏹ Stopped."]);
}, 15_000);

it("runs a command that the platform sends by its own name, without a word behind it", async () => {
  const session = openSession(world, 75_060);
  await session.say("", { kind: "command", command: { name: "status", args: "" } });
  expect((await session.shown(1))[0]).toContain("Session:");
});

it("lists the commands when the platform's own one carries no words", async () => {
  const session = openSession(world, 75_061);
  await session.say("", { kind: "command", command: { name: "acme", args: "" } });
  expect((await session.shown(1))[0]).toContain("Commands");
});
