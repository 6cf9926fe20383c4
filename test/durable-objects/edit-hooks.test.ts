import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { addHooks, isRefusal, rehearseHooks, removeHook, replaceHook } from "../../durable-objects/edit-hooks";
import { openHooksDesk } from "../../durable-objects/hooks-desk";
import { RECEIVER, clearHooks } from "../support/hooks-world";
import { openWorld } from "../support/world";

const ANN = { principal: "ann", surface: "test", method: "ui" } as const;
const GUARD = { event: "tool.pre", type: "http", url: RECEIVER, id: "guard" };

beforeEach(async () => {
  openWorld();
  await clearHooks();
});
afterEach(async () => {
  await clearHooks();
  vi.restoreAllMocks();
});

const desk = openHooksDesk(env, "main");

async function ids(): Promise<readonly string[]> {
  return (await desk.look()).inventory.known.map(({ hook }) => hook.id);
}

it("adds, replaces and removes an entry, and says at which version", async () => {
  const before = await desk.look();
  const added = await addHooks(desk, { native: [GUARD, { ...GUARD, id: "other", event: "stop" }] }, ANN, 5);
  expect(added.version).toBe(before.version + 1);
  await replaceHook(desk, "other", { native: [{ ...GUARD, id: "third", event: "stop" }] }, ANN, 6);
  expect(await ids()).toEqual(["guard", "third"]);
  const removed = await removeHook(desk, "guard", ANN, 7, added.version + 1);
  expect(removed.result).toEqual({ removed: ["guard"] });
  expect(await ids()).toEqual(["third"]);
});

it("keeps an entry that became no hook out, and tells of it", async () => {
  const { result } = await addHooks(desk, { native: [GUARD, { event: "tool.pre" }] }, ANN, 5);
  expect(result).toMatchObject({ hooks: [{ id: "guard" }], warnings: [{ code: "hook.missing_target" }] });
  expect((await desk.look()).profile.sources).toHaveLength(1);
});

it("gives one name to one hook", async () => {
  const { result } = await addHooks(desk, { native: [GUARD, { ...GUARD, event: "stop" }] }, ANN, 5);
  expect(result).toMatchObject({ refused: "hook_id_taken" });
  expect(await ids()).toEqual([]);
});

it("does not tell an old warning as a new one", async () => {
  await addHooks(desk, { native: [{ ...GUARD, url: "http://169.254.169.254/" }] }, ANN, 5);
  const { warnings } = await rehearseHooks(desk, { native: [{ ...GUARD, id: "fine", event: "stop" }] });
  expect(warnings).toEqual([]);
});

it("refuses more than a row can hold", async () => {
  const large = { ...GUARD, name: "x".repeat(1_100_000) };
  const { result } = await addHooks(desk, { native: [large] }, ANN, 5);
  expect(isRefusal(result) && result.refused).toBe("too_large");
  expect(await ids()).toEqual([]);
});

it("changes nothing for whoever has seen another version", async () => {
  const { version } = await desk.look();
  const { result } = await addHooks(desk, { native: [GUARD] }, ANN, 5, version - 1);
  expect(result).toMatchObject({ refused: "version_mismatch" });
  expect(await ids()).toEqual([]);
});

it("tries again when somebody else changed something meanwhile, and loses neither change", async () => {
  await Promise.all([
    addHooks(desk, { native: [GUARD] }, ANN, 5),
    addHooks(desk, { native: [{ ...GUARD, id: "other", event: "stop" }] }, ANN, 5),
  ]);
  expect([...(await ids())].sort()).toEqual(["guard", "other"]);
});
