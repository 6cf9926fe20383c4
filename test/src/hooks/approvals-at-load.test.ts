import { expect, it } from "vitest";
import type { Consent, KnownHook } from "#src/hooks/approvals";
import { approve, statusOf } from "#src/hooks/approvals";
import { approvalsAtLoad } from "#src/hooks/approvals-at-load";
import { identifyHook } from "#src/hooks/config-digest";
import { aHook } from "../../support/hook-fixtures";

const CONSENT: Consent = { scope: "main", master: {}, approvals: [], now: 3 };

async function loaded(over: Partial<Parameters<typeof approvalsAtLoad>[2]>) {
  const hook = aHook();
  const known: KnownHook = { hook, identity: await identifyHook(hook), isReachable: true };
  const circumstances = { asksAutoAccept: false, allowsAutoAccept: false, isInteractive: true, ...over };
  const result = approvalsAtLoad([known], CONSENT, circumstances);
  return { ...result, status: statusOf(known, { ...CONSENT, approvals: result.approvals }) };
}

it("approves nothing by itself, and says nothing where somebody can be asked", async () => {
  expect(await loaded({})).toMatchObject({ status: "not_approved", audit: [], log: [] });
});

it("tells of a hook that nobody approved where nobody can be asked", async () => {
  expect(await loaded({ isInteractive: false })).toMatchObject({
    status: "not_approved",
    log: [{ level: "warn", code: "hook.not_approved", hook: "h1" }],
  });
});

it("lets a configuration approve its hooks only when the operator allows that, and notes it", async () => {
  expect(await loaded({ asksAutoAccept: true })).toMatchObject({ status: "not_approved", audit: [] });
  expect(await loaded({ allowsAutoAccept: true })).toMatchObject({ status: "not_approved", audit: [] });
  expect(await loaded({ asksAutoAccept: true, allowsAutoAccept: true, isInteractive: false })).toMatchObject({
    status: "active",
    audit: [{ action: "auto_approve", principal: "configuration", target: "module h1", at: 3 }],
    log: [],
  });
});

it("tells of a hook that is no longer what was approved, whoever is there", async () => {
  const hook = aHook();
  const known: KnownHook = { hook, identity: await identifyHook(hook), contentSha256: "a", isReachable: true };
  const by = { principal: "owner", surface: "web", method: "slash" } as const;
  const done = approve([known], CONSENT, by);
  const approvals = "conflict" in done ? [] : done.approvals;
  const circumstances = { asksAutoAccept: false, allowsAutoAccept: false, isInteractive: true };
  const changed = { ...known, contentSha256: "b" };
  expect(approvalsAtLoad([changed], { ...CONSENT, approvals }, circumstances).log).toMatchObject([
    { level: "warn", code: "hook.tampered", hook: "h1" },
  ]);
  expect(approvalsAtLoad([known], { ...CONSENT, approvals }, circumstances).log).toEqual([]);
});
