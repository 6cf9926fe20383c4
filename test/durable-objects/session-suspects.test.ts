import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { operate } from "../support/doors";
import { clearHooks, deployPlugin, hooksByApi } from "../support/hooks-world";
import { type World, openWorld } from "../support/world";
import { type SessionDriver, configure, openSession } from "./session-driver";
import { until } from "../support/until";

let world: World;

beforeEach(async () => {
  world = openWorld();
  await clearHooks();
  await configure({ "access.owners": ["telegram:7001", "telegram:90401"] });
});
afterEach(async () => {
  await clearHooks();
  await configure({ "access.owners": null });
  vi.restoreAllMocks();
});

/** Deploys a plugin whose hook never comes back when it hears the word. Resolves how often it was called. */
function deployHanging(event: string, word: string): () => number {
  let calls = 0;
  deployPlugin("hanging", (ctx) => {
    ctx.registerHook(event, (given) => {
      if (!JSON.stringify(given["user_message"] ?? given).includes(word)) return undefined;
      calls += 1;
      return new Promise(() => undefined);
    });
  });
  return () => calls;
}

async function suspicion(session: SessionDriver): Promise<unknown> {
  const [row] = await session.sql<{ value: string }>("SELECT value FROM meta WHERE key = 'suspicion'");
  return row === undefined ? undefined : JSON.parse(row.value);
}

async function hanging() {
  return (await hooksByApi()).find(({ source }) => source === "plugin:hanging");
}

// the owner's chat is one whose id is theirs
const OWNERS_CHAT = 90_401;

it("names the module that ran when the process died, and stops calling one that did so twice in a row", async () => {
  const calls = deployHanging("pre_llm_call", "hang-1");
  const session = openSession(world, OWNERS_CHAT);
  const before = world.textsOf(OWNERS_CHAT).length;
  await session.say("please hang-1");
  await until(() => expect(calls()).toBe(1));
  // on the normal path nobody is suspected, and nothing is written
  expect(await suspicion(session)).toBeUndefined();
  await session.crash();
  await until(() => expect(calls()).toBe(2));
  const id = (await hanging())?.id;
  const running = { module: "plugin:hanging:0", hookId: id };
  expect(await suspicion(session)).toEqual({ running });
  await session.crash();
  await until(() => expect(calls()).toBe(3));
  expect(await suspicion(session)).toEqual({ running, named: { ...running, deaths: 1 } });
  await session.crash();
  const shown = (await session.shown(before + 2)).slice(before);
  expect(calls()).toBe(3);
  expect(shown).toContain("You said: please hang-1");
  expect(shown.join("\n")).toContain("was running when I died, twice in a row");
  expect(await hanging()).toMatchObject({
    status: "disabled",
    flags: [{ code: "hook.quarantined", message: expect.stringContaining("in quarantine") as string }],
  });
  const audit = await (await operate("GET", "/api/hooks/audit?limit=5")).text();
  expect(audit).toContain('"action":"quarantine"');
});

it("calls it again once a person brings it back, and forgets the suspicion when all went well", async () => {
  const calls = deployHanging("pre_llm_call", "hang-2");
  const session = openSession(world, 90_402);
  await session.say("hang-2");
  for (let times = 1; times <= 3; times++) {
    await until(() => expect(calls()).toBe(times));
    await session.crash();
  }
  await session.shown(1);
  await until(async () => expect(await hanging()).toMatchObject({ status: "disabled" }));
  expect((await operate("POST", `/api/hooks/${encodeURIComponent((await hanging())?.id ?? "")}/enable`)).status).toBe(
    200,
  );
  expect(await hanging()).toMatchObject({ status: "active", flags: [] });
  await session.say("all is well");
  await session.shown(2);
  await session.wake();
  expect(await suspicion(session)).toBeUndefined();
});

it("finds a module that stands before a message is even taken in", async () => {
  const calls = deployHanging("message.received", "hang-3");
  const session = openSession(world, 90_403);
  await session.say("hang-3");
  for (let times = 1; times <= 3; times++) {
    await until(() => expect(calls()).toBe(times));
    await session.crash();
  }
  expect(await session.shown(1)).toEqual(["You said: hang-3"]);
  expect(calls()).toBe(3);
});

it("does not blame a module that runs when the process dies of something else in between", async () => {
  const calls = deployHanging("pre_llm_call", "hang-4");
  const session = openSession(world, 90_404);
  await session.say("hang-4");
  await until(() => expect(calls()).toBe(1));
  await session.crash();
  await until(() => expect(calls()).toBe(2));
  await session.sql(
    `UPDATE meta SET value = '{"named":{"module":"other","hookId":"o","deaths":1}}' WHERE key = 'suspicion'`,
  );
  await session.crash();
  await until(() => expect(calls()).toBe(3));
  expect(await suspicion(session)).not.toHaveProperty("named");
  expect(await hanging()).toMatchObject({ status: "active" });
  deployPlugin("hush", () => undefined);
  await operate("POST", `/api/hooks/${encodeURIComponent((await hanging())?.id ?? "")}/disable`);
  await session.crash();
  expect(await session.shown(1)).toEqual(["You said: hang-4"]);
});

it("names no module that came back", async () => {
  let calls = 0;
  deployPlugin("fine", (ctx) => ctx.registerHook("model.pre", () => void (calls += 1)));
  const session = openSession(world, 90_405);
  world.say = (_asked, count) => ({
    text: "late",
    ...(count < 4 ? { hold: new Promise(() => undefined) } : {}),
  });
  await session.say("go");
  for (let times = 1; times <= 3; times++) {
    await until(() => expect(world.asked.length).toBe(times));
    await session.crash();
  }
  await until(() => expect(world.asked.length).toBe(4));
  await session.settled();
  expect(calls).toBe(4);
  expect(await hooksByApi()).toMatchObject([{ status: "active" }]);
});

it("finds a module that hangs at every start", async () => {
  const calls = deployHanging("gateway.startup", "startup");
  const gateway = () => env.SESSIONS.getByName("main:system:dm:suspects");
  for (let times = 1; times <= 2; times++) {
    gateway()
      .raise([{ event: "gateway.startup", data: { platforms: [] } }])
      .catch(() => undefined);
    await until(() => expect(calls()).toBe(times));
    await runInDurableObject(gateway(), async (_instance, state) => {
      await state.storage.sync();
      state.abort("crash");
    }).catch(() => undefined);
  }
  await gateway().raise([{ event: "gateway.startup", data: { platforms: [] } }]);
  expect(calls()).toBe(2);
  expect(await hanging()).toMatchObject({ status: "disabled" });
});
