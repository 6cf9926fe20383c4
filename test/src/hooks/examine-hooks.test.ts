import { expect, it } from "vitest";
import type { Hook } from "#src/domain/hook";
import { type KnownHook, approve } from "#src/hooks/approvals";
import { identifyHook } from "#src/hooks/config-digest";
import { describeExamination } from "#src/hooks/describe-hooks";
import { examineHooks } from "#src/hooks/examine-hooks";
import type { HookInventory } from "#src/hooks/list-hooks";
import { aHook } from "../../support/hook-fixtures";

async function inventoryOf(hooks: readonly Partial<Hook>[], approved: readonly string[]): Promise<HookInventory> {
  const known: KnownHook[] = await Promise.all(
    hooks.map(async (over) => {
      const hook = aHook(over);
      return { hook, identity: await identifyHook(hook), isReachable: true };
    }),
  );
  const consent = { scope: "main", master: {}, approvals: [], now: 0 };
  const meant = known.filter(({ hook }) => approved.includes(hook.id));
  const done = approve(meant, consent, { principal: "ann", surface: "cli", method: "cli" });
  return { known, consent: "conflict" in done ? consent : { ...consent, ...done }, importLog: [], signed: new Set() };
}

it("tries out the hooks that may run, and tells what the log said of them", async () => {
  const tried: string[] = [];
  const inventory = await inventoryOf([{ id: "good" }, { id: "bad" }, { id: "unapproved" }], ["good", "bad"]);
  const examination = await examineHooks(inventory, async ({ hook }) => {
    tried.push(hook.id);
    const log = hook.id === "bad" ? [{ level: "warn", code: "hook.invalid_json", message: "not JSON" } as const] : [];
    return { isMatched: true, log };
  });
  expect(tried).toEqual(["good", "bad"]);
  const codes = examination.hooks.map(({ flags }) => flags.flatMap(({ code }) => code ?? []));
  expect(codes).toEqual([[], ["hook.invalid_json"], ["hook.not_approved"]]);
  const text = describeExamination(examination);
  expect(text).toContain("✓ `good`");
  expect(text).toContain("✗ `bad`");
  expect(text).toContain("not JSON");
});

it("tells of entries that became no hook, and of moments that there are none of", async () => {
  const inventory = await inventoryOf([{ id: "board", events: [] }], []);
  const importLog = [{ level: "warn", code: "hook.unknown_event", message: "no event x", suggestion: "y" }] as const;
  const { hooks, unread } = await examineHooks({ ...inventory, importLog }, async () => ({ isMatched: true, log: [] }));
  expect(unread).toEqual([{ code: "hook.unknown_event", message: "no event x (did you mean y?)" }]);
  expect(hooks[0]?.flags).toContainEqual(expect.objectContaining({ code: "hook.no_such_moment" }));
});

it("examines one hook when asked for one", async () => {
  const inventory = await inventoryOf([{ id: "a" }, { id: "b" }], ["a", "b"]);
  const { hooks } = await examineHooks(inventory, async () => ({ isMatched: true, log: [] }), "b");
  expect(hooks.map(({ row }) => row.id)).toEqual(["b"]);
});
