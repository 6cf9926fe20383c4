import { expect, it } from "vitest";
import {
  type Consent,
  type HookApproval,
  type KnownHook,
  approvalsOfAllowList,
  approve,
  guardsThoughChanged,
  isTarget,
  revoke,
  statusOf,
} from "#src/hooks/approvals";
import { identifyHook } from "#src/hooks/config-digest";
import { aHook, httpTarget } from "../../support/hook-fixtures";

const BY: HookApproval["approvedBy"] = { principal: "ann", surface: "telegram", method: "slash" };
const NOW = 1000;

async function known(over: Parameters<typeof aHook>[0] = {}, rest: Partial<KnownHook> = {}): Promise<KnownHook> {
  const hook = aHook(over);
  return { hook, identity: await identifyHook(hook), isReachable: true, ...rest };
}

function consent(approvals: readonly HookApproval[] = [], over: Partial<Consent> = {}): Consent {
  return { scope: "main", master: {}, approvals, now: NOW, ...over };
}

function approvedAs(hooks: readonly KnownHook[], before: readonly HookApproval[] = []): readonly HookApproval[] {
  const done = approve(hooks, consent(before), BY);
  if ("conflict" in done) throw new Error(done.conflict);
  return done.approvals;
}

it("runs a hook only when both gates are open", async () => {
  const one = await known();
  const approvals = approvedAs([one]);
  expect(statusOf(one, consent())).toBe("not_approved");
  expect(statusOf(one, consent(approvals))).toBe("active");
  expect(statusOf(one, consent(approvals, { master: { agent: false } }))).toBe("approved_master_off");
  expect(statusOf(one, consent([], { master: { agent: false } }))).toBe("not_approved");
});

it("lets managed hooks answer to the outermost switch alone", async () => {
  const one = await known({ rank: "managed" });
  const approvals = approvedAs([one]);
  expect(statusOf(one, consent(approvals, { master: { workspace: false, agent: false } }))).toBe("active");
  expect(statusOf(one, consent(approvals, { master: { org: false } }))).toBe("approved_master_off");
});

it("does not take an approval for another event, scope, dialect or target", async () => {
  const one = await known();
  const [approval] = approvedAs([one]);
  if (approval === undefined) throw new Error("not approved");
  for (const over of [{ event: "tool.post" }, { scope: "other" }, { dialect: "claude" as const }, { target: "x" }]) {
    expect(statusOf(one, consent([{ ...approval, ...over }]))).toBe("not_approved");
  }
});

it("forgets an approval that has expired", async () => {
  const one = await known();
  const approvals = approvedAs([one]).map((each) => ({ ...each, expiresAt: NOW }));
  expect(statusOf(one, consent(approvals))).toBe("not_approved");
});

it("notices a changed definition and changed content, and keeps the approval of an identical one", async () => {
  const one = await known({ matcher: "a" }, { contentSha256: "aa" });
  const approvals = approvedAs([one]);
  expect(statusOf(await known({ matcher: "a" }, { contentSha256: "aa" }), consent(approvals))).toBe("active");
  expect(statusOf(await known({ matcher: "b" }, { contentSha256: "aa" }), consent(approvals))).toBe(
    "changed_since_approval",
  );
  expect(statusOf(await known({ matcher: "a" }, { contentSha256: "bb" }), consent(approvals))).toBe(
    "changed_since_approval",
  );
});

it("hears of a changed hook only when it stood guard and was approved before", async () => {
  expect(guardsThoughChanged(aHook({ onError: "deny" }), "changed_since_approval")).toBe(true);
  expect(guardsThoughChanged(aHook({ onError: "deny" }), "not_approved")).toBe(false);
  expect(guardsThoughChanged(aHook(), "changed_since_approval")).toBe(false);
});

it("approves nothing when the digest that was shown is not the hook's any more", async () => {
  const one = await known();
  const done = approve([one], consent(), BY, `sha256:${"0".repeat(64)}`);
  expect(done).toMatchObject({ conflict: expect.stringContaining(one.identity.digest) });
  expect(approve([one], consent(), BY, one.identity.digest)).toMatchObject({ approvals: [{ target: "module h1" }] });
});

it("approves both hooks of one event and target that differ in their matcher", async () => {
  const hooks = [
    await known({ id: "a", matcher: "x", target: CMD }),
    await known({ id: "b", matcher: "y", target: CMD }),
  ];
  const approvals = approvedAs(hooks);
  expect(hooks.map((one) => statusOf(one, consent(approvals)))).toEqual(["active", "active"]);
});

it("replaces the approval of a definition that is no more", async () => {
  const before = approvedAs([await known({ matcher: "a" })]);
  const after = approvedAs([await known({ matcher: "b" })], before);
  expect(after).toHaveLength(1);
  expect(after[0]?.digest).not.toBe(before[0]?.digest);
});

it("revokes every approval of a target, or that of one event", async () => {
  const both = [await known({ target: CMD }), await known({ target: CMD, nativeEvent: "tool.post" })];
  const approvals = approvedAs(both);
  expect(approvals).toHaveLength(2);
  expect(revoke(approvals, { scope: "main", target: "~/h.sh", event: "tool.post" })).toMatchObject([
    { event: "tool.pre" },
  ]);
  expect(revoke(approvals, { scope: "main", target: "~/h.sh" })).toEqual([]);
  expect(revoke(approvals, { scope: "other", target: "~/h.sh" })).toHaveLength(2);
});

it("takes an address with or without its method", () => {
  expect(isTarget("POST https://a.example.com/", "https://a.example.com")).toBe(true);
  expect(isTarget("POST https://a.example.com/", "POST https://A.example.com/")).toBe(true);
  expect(isTarget("POST https://a.example.com/", "https://b.example.com")).toBe(false);
  expect(isTarget("module guard", "guard")).toBe(true);
});

it("approves by the deployment's list exactly what it says", async () => {
  const one = await known({ target: httpTarget() });
  const entry = { event: "tool.pre", target: "https://hooks.example.com/h", digest: one.identity.digest };
  const listed = approvalsOfAllowList([entry], [one], consent());
  expect(statusOf(one, consent(listed))).toBe("active");
  const stale = approvalsOfAllowList([{ ...entry, digest: `sha256:${"0".repeat(64)}` }], [one], consent());
  expect(statusOf(one, consent(stale))).toBe("changed_since_approval");
});

const CMD = { type: "command" as const, command: "~/h.sh", argv: ["~/h.sh"] };
