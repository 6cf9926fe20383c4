import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { LiveEvent } from "#src/domain/live";
import { type World, openWorld } from "../support/world";
import { gate, openSession } from "./session-driver";
import { until } from "../support/until";

const LONG = "This is the beginning of a long answer that a person can already read";

let world: World;
beforeEach(() => {
  world = openWorld();
});
afterEach(() => {
  vi.restoreAllMocks();
});

interface Watcher {
  readonly events: LiveEvent[];
  readonly socket: WebSocket;
  /** What a page shows of the answer under way: made of deltas alone. */
  text(): string;
}

async function watch(key: string, after?: string): Promise<Watcher> {
  const response = await env.SESSIONS.getByName(key).fetch(
    `http://session/?${after === undefined ? "" : `after=${after}`}`,
    {
      headers: { upgrade: "websocket" },
    },
  );
  const socket = response.webSocket;
  if (socket === null) throw new Error("no socket");
  const events: LiveEvent[] = [];
  let text = "";
  socket.addEventListener("message", ({ data }) => {
    const event = JSON.parse(String(data)) as LiveEvent;
    events.push(event);
    if (event.type === "hello") text = event.live?.text ?? "";
    if (event.type === "delta") {
      // a gap would be a text that nobody can put together
      expect(event.offset).toBeLessThanOrEqual(text.length);
      text = text.slice(0, event.offset) + event.text;
    }
    if (event.type === "message" && event.message.role === "assistant") text = "";
  });
  socket.accept();
  await until(() => expect(events[0]?.type).toBe("hello"));
  return { events, socket, text: () => text };
}

it("tells a watcher of everything in order, with text that comes to what is committed", async () => {
  const session = openSession(world, 87_001);
  const held = gate();
  const watcher = await watch(session.key);
  world.say = () => ({ text: LONG, hold: held.opened });
  await session.say("talk");
  await until(() => expect(watcher.text()).toBe(LONG));
  const second = await watch(session.key);
  expect(second.text()).toBe(LONG);
  held.open();
  await session.shown(1);
  for (const one of [watcher, second]) {
    await until(() => expect(one.events.at(-1)).toMatchObject({ type: "turn", state: "ended" }));
    expect(one.events.findLast((event) => event.type === "message")).toMatchObject({
      message: { role: "assistant", content: LONG },
    });
    one.socket.close(1000);
  }
  const types = watcher.events.map((event) => event.type).filter((type) => type !== "delta");
  expect(types).toEqual(["hello", "message", "turn", "message", "turn"]);
});

it("gives a watcher that comes back what it missed, and nothing twice", async () => {
  const session = openSession(world, 87_002);
  await session.say("one");
  await session.shown(1);
  const last = (await session.transcript()).at(-1)?.id;
  await session.say("two");
  await session.shown(2);
  const watcher = await watch(session.key, last);
  const [hello] = watcher.events;
  expect(hello?.type === "hello" ? hello.messages.map(({ content }) => content) : []).toEqual(["two", "You said: two"]);
  watcher.socket.close(1000);
});

it("tells watchers to read anew when the conversation is another one", async () => {
  const session = openSession(world, 87_003);
  await session.say("one");
  await session.shown(1);
  const watcher = await watch(session.key);
  for (const [index, command] of ["/undo", "/new"].entries()) {
    await session.say(command);
    await session.shown(index + 2);
    await until(() => expect(watcher.events.filter((event) => event.type === "reload")).toHaveLength(index + 1));
  }
  watcher.socket.close(1000);
});

it("puts text together through a correction", async () => {
  const session = openSession(world, 87_004);
  const watcher = await watch(session.key);
  let count = 0;
  const held = gate();
  world.say = () =>
    ++count === 1
      ? { text: LONG, hold: new Promise(() => undefined) }
      : { text: `Another one: ${LONG}`, hold: held.opened };
  await session.say("talk");
  await until(() => expect(world.textsOf(87_004)).toEqual([LONG]));
  await session.say("differently");
  await until(() => expect(watcher.text()).toBe(`Another one: ${LONG}`));
  held.open();
  await session.settled();
  watcher.socket.close(1000);
});

it("takes messages, stops and answers from a socket, and says what it does not take", async () => {
  const session = openSession(world, 87_005);
  world.say = () => new Promise(() => undefined);
  const watcher = await watch(session.key);
  watcher.socket.send("nonsense");
  await until(() => expect(watcher.events.at(-1)?.type).toBe("error"));
  watcher.socket.send(JSON.stringify({ type: "send", id: "a", text: "think" }));
  watcher.socket.send(JSON.stringify({ type: "send", id: "a", text: "think" }));
  await until(() => expect(world.asked).toHaveLength(1));
  watcher.socket.send(JSON.stringify({ type: "stop" }));
  expect(await session.shown(1)).toEqual(["⏹ Stopped."]);
  expect((await session.transcript()).map(({ content }) => content)).toEqual(["think", "⏹ Stopped."]);
  watcher.socket.close(1000);
});

it("goes on with the answer when a follower goes away in the middle of it", async () => {
  const session = openSession(world, 87_006);
  const held = gate();
  let count = 0;
  world.say = (asked) =>
    asked.messages.at(-1)?.role === "tool"
      ? { text: `${LONG} ${++count}` }
      : { text: LONG, hold: held.opened, calls: [{ name: "todo", arguments: {} }] };
  const stream = await env.SESSIONS.getByName(session.key).watch(undefined);
  const reader = stream.getReader();
  await session.say("talk");
  await reader.read();
  await until(() => expect(world.textsOf(87_006)).toEqual([LONG]));
  await reader.cancel("gone");
  held.open();
  await until(() => expect(world.textsOf(87_006)[0]).toBe(`${LONG} 1`));
  await session.settled();
});
