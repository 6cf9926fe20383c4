import { env } from "cloudflare:workers";
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type World, lastWords, openWorld } from "../support/world";
import { openSession } from "./session-driver";
import { until } from "../support/until";

let world: World;
beforeEach(() => {
  world = openWorld();
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(() => {
  vi.restoreAllMocks();
});

it("answers a turn whose end could not be written, also when another message comes first", async () => {
  const session = openSession(world, 79_001);
  let isBroken = false;
  let refused = 0;
  world.say = (asked) => {
    if (world.asked.length === 1) isBroken = true;
    return { text: `You said: ${lastWords(asked)}` };
  };
  await runInDurableObject(env.SESSIONS.getByName(session.key), (_instance, state) => {
    const transaction = state.storage.transactionSync.bind(state.storage);
    Object.defineProperty(state.storage, "transactionSync", {
      value: <T>(work: () => T): T => {
        if (isBroken) {
          refused += 1;
          throw new Error("disk full");
        }
        return transaction(work);
      },
    });
  });
  await session.say("one");
  await until(() => expect(world.asked).toHaveLength(1));
  // the turn has ended in its own log line, and stands all the same
  await until(() => expect(refused).toBe(2));
  isBroken = false;
  await session.say("two");
  await until(() => expect(world.textsOf(79_001)).toContain("You said: two"));
  await session.wake();
  expect((await session.shown(2)).toSorted()).toEqual(["You said: one", "You said: two"]);
});

it("takes a message that comes while the object is evicted, and answers it once", async () => {
  const session = openSession(world, 79_002);
  await session.say("one");
  await session.shown(1);
  const [, said] = await Promise.all([
    evictDurableObject(env.SESSIONS.getByName(session.key)),
    session.say("two").catch(() => undefined),
  ]);
  if (said?.status !== "accepted") await session.say("two");
  await session.wake();
  expect(await session.shown(2)).toEqual(["You said: one", "You said: two"]);
});

it("sleeps while it waits for a person: nothing wakes it but the end of their time", async () => {
  const session = openSession(world, 79_003);
  world.say = () => ({ calls: [{ name: "clarify", arguments: { question: "Which city?" } }] });
  await session.say("plan my trip");
  await until(() => expect(world.textsOf(79_003)).toHaveLength(1));
  await until(async () => expect(await session.sql("SELECT id FROM outbox")).toEqual([]));
  await session.wake();
  const alarm = await runInDurableObject(env.SESSIONS.getByName(session.key), (_instance, state) =>
    state.storage.getAlarm(),
  );
  expect((alarm ?? 0) - Date.now()).toBeGreaterThan(3_000_000);
  await session.say("/stop");
  await session.settled();
});

it("keeps words that were folded into a turn through a crash, in the order they came", async () => {
  const session = openSession(world, 79_004);
  world.say = async (asked) => {
    if (world.asked.length < 3) await new Promise(() => undefined);
    return {
      text: `You said: ${asked.messages
        .filter(({ role }) => role === "user")
        .map(({ content }) => String(content))
        .join(", ")}`,
    };
  };
  await session.say("one");
  await until(() => expect(world.asked).toHaveLength(1));
  await session.say("two");
  await until(() => expect(world.asked).toHaveLength(2));
  await session.crash();
  expect(await session.shown(1)).toEqual(["You said: one, two"]);
});
