import { expect, it } from "vitest";
import type { Hook } from "#src/domain/hook";
import { type Consent, type KnownHook, statusOf } from "#src/hooks/approvals";
import { identifyHook } from "#src/hooks/config-digest";
import type { HookInventory } from "#src/hooks/list-hooks";
import { type HooksPrincipal, type ManagingCommand, manageHooks } from "#src/hooks/manage-hooks";
import { parseHooksArguments } from "#src/hooks/parse-hooks-command";
import { aHook, httpTarget } from "../../support/hook-fixtures";

const ANN: HooksPrincipal = { principal: "ann", surface: "telegram", method: "slash", mayChange: true };

const GUARD: Partial<Hook> = { id: "guard", name: "guard", dialect: "starchild", nativeEvent: "pre_tool_call" };

async function inventoryOf(hooks: readonly Partial<Hook>[], consent: Partial<Consent> = {}): Promise<HookInventory> {
  const known = await Promise.all(
    hooks.map(async (over): Promise<KnownHook> => {
      const hook = aHook(over);
      return { hook, identity: await identifyHook(hook), isReachable: true };
    }),
  );
  return {
    known,
    consent: { scope: "main", master: {}, approvals: [], now: 5, ...consent },
    importLog: [],
    signed: new Set(),
  };
}

function type(text: string, inventory: HookInventory, by = ANN) {
  const outcome = manageHooks(parseHooksArguments(text) as ManagingCommand, inventory, by);
  const approvals = outcome.changes.flatMap((change) => (change.type === "approvals" ? [change.approvals] : [])).at(-1);
  const after: HookInventory =
    approvals === undefined ? inventory : { ...inventory, consent: { ...inventory.consent, approvals } };
  return { ...outcome, after, statuses: after.known.map((known) => statusOf(known, after.consent)) };
}

it("approves a hook by its event and target, and keeps who did", async () => {
  const inventory = await inventoryOf([{ ...GUARD, target: httpTarget({ url: "https://g.example.com/h" }) }]);
  const { statuses, audit, reply } = type("approve pre_tool_call https://g.example.com/h", inventory);
  expect(statuses).toEqual(["active"]);
  expect(reply).toContain("Approved");
  expect(audit).toMatchObject([
    {
      action: "approve",
      principal: "ann",
      surface: "telegram",
      event: "pre_tool_call",
      at: 5,
      digest: inventory.known[0]?.identity.digest,
    },
  ]);
});

it("takes our name of the event too", async () => {
  const inventory = await inventoryOf([GUARD]);
  expect(
    type("approve tool.pre guard", {
      ...inventory,
      known: [{ ...inventory.known[0]!, identity: { target: "module guard", digest: "d" } }],
    }).statuses,
  ).toEqual(["active"]);
});

it("refuses an approval of what was shown when the hook is another by now", async () => {
  const inventory = await inventoryOf([{ ...GUARD, target: CMD }]);
  const { statuses, changes, reply } = type(`approve pre_tool_call ~/h.sh sha256:${"0".repeat(64)}`, inventory);
  expect(statuses).toEqual(["not_approved"]);
  expect(changes).toEqual([]);
  expect(reply).toContain("changed since it was shown");
});

it("says when there is no such hook", async () => {
  expect(type("approve pre_tool_call ~/other.sh", await inventoryOf([{ ...GUARD, target: CMD }])).reply).toContain(
    "No hook on",
  );
});

it("revokes all approvals of a target, or one event's", async () => {
  const inventory = await inventoryOf([
    { ...GUARD, target: CMD },
    { ...GUARD, id: "post", nativeEvent: "post_tool_call", events: ["tool.post"], target: CMD },
  ]);
  const one = type("approve pre_tool_call ~/h.sh", inventory).after;
  const both = type("approve post_tool_call ~/h.sh", one).after;
  expect(type("revoke ~/h.sh post_tool_call", both).statuses).toEqual(["active", "not_approved"]);
  const { statuses, audit } = type("revoke ~/h.sh", both);
  expect(statuses).toEqual(["not_approved", "not_approved"]);
  expect(audit.map(({ action }) => action)).toEqual(["revoke", "revoke"]);
  expect(type("revoke ~/nothing.sh", both)).toMatchObject({ changes: [], audit: [] });
});

it("switches all hooks on and off, and one without losing its approval", async () => {
  const inventory = await inventoryOf([GUARD]);
  expect(type("off", inventory)).toMatchObject({
    changes: [{ type: "master", isOn: false }],
    audit: [{ action: "switch_off" }],
  });
  expect(type("on", inventory).changes).toEqual([{ type: "master", isOn: true }]);
  expect(type("disable guard", inventory).changes).toEqual([{ type: "disabled", hookId: "guard", isDisabled: true }]);
  expect(type("enable guard", inventory).changes).toEqual([{ type: "disabled", hookId: "guard", isDisabled: false }]);
  expect(type("disable nobody", inventory)).toMatchObject({ changes: [], reply: expect.stringContaining("no hook") });
});

it.each(["approve pre_tool_call guard", "revoke guard", "on", "off", "enable guard", "disable guard"])(
  "lets nobody but the owner do /hooks %s",
  async (text) => {
    const outcome = type(text, await inventoryOf([GUARD]), { ...ANN, mayChange: false });
    expect(outcome).toMatchObject({ changes: [], audit: [], reply: "Only the owner may change what hooks run." });
  },
);

it("lists every hook with where it stands, and entries that became none", async () => {
  const inventory = await inventoryOf([{ ...GUARD, target: httpTarget() }], { master: { agent: false } });
  const importLog = [
    { level: "warn", code: "hook.unknown_event", message: "no event pre_tol", suggestion: "pre_tool_call" },
  ] as const;
  const { reply } = type("list", { ...inventory, importLog });
  expect(reply).toContain("Hooks are off. 1 hook.");
  expect(reply).toContain("`guard` pre_tool_call → POST https://hooks.example.com/h");
  expect(reply).toContain("✗ not approved");
  expect(reply).toContain("UNSIGNED");
  expect(reply).toContain("fail-open gate");
  expect(reply).toContain("no event pre_tol (did you mean pre_tool_call?)");
  expect(type("list stop", inventory).reply).toContain("0 hooks");
});

it("gives the line to paste for what waits for approval", async () => {
  const inventory = await inventoryOf([{ ...GUARD, target: CMD }]);
  const digest = inventory.known[0]?.identity.digest;
  const { reply } = type("review", inventory);
  expect(reply).toContain(`/hooks approve pre_tool_call ~/h.sh ${digest}`);
  expect(type("review", type("approve pre_tool_call ~/h.sh", inventory).after).reply).toBe(
    "No hook waits for approval.",
  );
});

it("shows all of one hook", async () => {
  const { reply } = type("show guard", await inventoryOf([{ ...GUARD, onTimeout: "deny", condition: "Bash(git *)" }]));
  for (const part of [
    "starchild:pre_tool_call",
    "allow; out of time: deny",
    "Bash(git *)",
    "block, inject, rewrite",
    "sha256:",
  ]) {
    expect(reply).toContain(part);
  }
});

const CMD: Hook["target"] = { type: "command", command: "~/h.sh", argv: ["~/h.sh"] };
