import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import { openPairing } from "../../durable-objects/pairing";

const CODE = /^[A-HJ-NP-Z2-9]{8}$/;

async function codeFor(platform: string, user: { id: string; name?: string }): Promise<string> {
  const requested = await openPairing(env.PAIRINGS, platform).request(user);
  if (!("code" in requested)) throw new TypeError(`no code: ${requested.reason}`);
  return requested.code;
}

it("gives a stranger a code and lets the owner approve it once", async () => {
  const pairing = openPairing(env.PAIRINGS, "approve-once");
  const code = await codeFor("approve-once", { id: "7001", name: "Ada" });
  expect(code).toMatch(CODE);
  expect(await pairing.approve(code)).toEqual({ id: "7001", name: "Ada" });
  expect(await pairing.approve(code)).toBeUndefined();
});

it("keeps names and ids whole that are not ASCII", async () => {
  const code = await codeFor("unicode", { id: "@ö:例え.jp", name: "Zoë 🐚" });
  expect(await openPairing(env.PAIRINGS, "unicode").approve(code)).toEqual({ id: "@ö:例え.jp", name: "Zoë 🐚" });
});

it("takes a name with line breaks and turned text as one plain line", async () => {
  await codeFor("names", { id: "1", name: `a\r\n\u202Eb${"x".repeat(500)}` });
  const [waiting] = await openPairing(env.PAIRINGS, "names").list();
  expect(waiting?.userName).toBe(`a b${"x".repeat(97)}`);
});

it("bears an id that is not well-formed", async () => {
  await expect(codeFor("lone", { id: "\ud800" })).resolves.toMatch(CODE);
});

it("lists the codes that wait, with the hour they are good for", async () => {
  const code = await codeFor("list", { id: "1" });
  const [waiting] = await openPairing(env.PAIRINGS, "list").list();
  expect(waiting).toEqual({
    code,
    userId: "1",
    requestedAt: expect.any(Number),
    expiresAt: (waiting?.requestedAt ?? 0) + 3_600_000,
  });
});

it("keeps the codes of platforms apart", async () => {
  const code = await codeFor("apart-a", { id: "1" });
  expect(await openPairing(env.PAIRINGS, "apart-b").approve(code)).toBeUndefined();
  expect(await openPairing(env.PAIRINGS, "apart-b").list()).toEqual([]);
});

it("takes a waiting code back", async () => {
  const pairing = openPairing(env.PAIRINGS, "revoke");
  const code = await codeFor("revoke", { id: "1" });
  expect(await pairing.revoke("1")).toBe(true);
  expect(await pairing.revoke("1")).toBe(false);
  expect(await pairing.approve(code)).toBeUndefined();
});

it("locks after five wrong codes, for right ones too", async () => {
  const pairing = openPairing(env.PAIRINGS, "lock");
  const code = await codeFor("lock", { id: "1" });
  for (let i = 0; i < 5; i++) await pairing.approve("WRONGWRO");
  expect(await pairing.approve(code)).toBeUndefined();
  expect(await pairing.request({ id: "2" })).toEqual({ reason: "locked" });
});

it("remembers codes and wrong tries when it was put to sleep", async () => {
  const pairing = openPairing(env.PAIRINGS, "sleep");
  const code = await codeFor("sleep", { id: "1" });
  for (let i = 0; i < 4; i++) await pairing.approve("WRONGWRO");
  await evictDurableObject(env.PAIRINGS.getByName("sleep"));
  expect(await codeFor("sleep", { id: "1" })).toBe(code);
  await pairing.approve("WRONGWRO");
  expect(await pairing.approve(code)).toBeUndefined();
});

it("answers many at once with the same code", async () => {
  const codes = await Promise.all(Array.from({ length: 10 }, async () => codeFor("at-once", { id: "1" })));
  expect(new Set(codes).size).toBe(1);
});

it("stores its state alone, whole, under one key", async () => {
  await codeFor("small", { id: "1" });
  const stored = await runInDurableObject(env.PAIRINGS.getByName("small"), async (_, state) => state.storage.list());
  expect([...stored.keys()]).toEqual(["data"]);
  expect(Object.keys(stored.get("data") as object)).toEqual(["pairing"]);
});

it("says nothing of codes in the log", async () => {
  const spies = (["log", "info", "warn", "error", "debug"] as const).map((level) => vi.spyOn(console, level));
  const code = await codeFor("log", { id: "1" });
  await openPairing(env.PAIRINGS, "log").approve("WRONGWRO");
  await openPairing(env.PAIRINGS, "log").approve(code);
  const said = JSON.stringify(spies.flatMap((spy) => spy.mock.calls));
  for (const spy of spies) spy.mockRestore();
  expect(said).not.toContain(code);
});
