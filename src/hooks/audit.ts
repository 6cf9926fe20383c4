import type { HookApproval } from "./approvals";

/** One line of the log of who changed what about hooks; it is only ever added to. */
export interface HookAuditEntry {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly action:
    | "approve"
    | "revoke"
    | "auto_approve"
    | "enable"
    | "disable"
    | "auto_disable"
    | "switch_on"
    | "switch_off"
    | "mismatch"
    | "quarantine"
    | "release"
    | "reset_circuit"
    | "rotate_secret"
    | "config_change";
  readonly principal: string;
  readonly surface: string;
  readonly event?: string;
  readonly target?: string;
  readonly digest?: string;
  readonly contentSha256?: string;
  readonly note?: string;
}

/** The audit entries of what became of the approvals between two states. */
export function auditApprovals(
  before: readonly HookApproval[],
  after: readonly HookApproval[],
  by: HookApproval["approvedBy"],
  at: number,
): readonly HookAuditEntry[] {
  const given = after.filter((one) => !before.includes(one));
  const taken = before.filter((one) => !after.some((other) => isSame(one, other)));
  const action = by.method === "auto" ? "auto_approve" : "approve";
  return [...given.map((one) => entryOf(one, action, by, at)), ...taken.map((one) => entryOf(one, "revoke", by, at))];
}

function entryOf(
  { event, target, digest, contentSha256 }: HookApproval,
  action: HookAuditEntry["action"],
  { principal, surface }: HookApproval["approvedBy"],
  at: number,
): HookAuditEntry {
  return {
    at,
    action,
    principal,
    surface,
    event,
    target,
    digest,
    ...(contentSha256 === undefined ? {} : { contentSha256 }),
  };
}

function isSame(a: HookApproval, b: HookApproval): boolean {
  return (
    a.scope === b.scope &&
    a.dialect === b.dialect &&
    a.event === b.event &&
    a.target === b.target &&
    a.digest === b.digest
  );
}
