import type { HookLogEntry } from "#src/domain/hook";
import { type HookAuditEntry, auditApprovals } from "./audit";
import { type Consent, type HookApproval, type KnownHook, approve, statusOf } from "./approvals";

/** What stands around the loading of a configuration. */
export interface LoadCircumstances {
  /** The configuration asks that its hooks need nobody's approval. */
  readonly asksAutoAccept: boolean;
  /** The operator lets configurations ask that. */
  readonly allowsAutoAccept: boolean;
  /** A person is there who can be asked. */
  readonly isInteractive: boolean;
}

const NOBODY: HookApproval["approvedBy"] = { principal: "configuration", surface: "config", method: "auto" };

/**
 * Approvals after a configuration was loaded: what it may approve by itself is approved and noted. Told of are hooks that
 * nobody approved and nobody can be asked about, and those that changed since they were approved.
 */
export function approvalsAtLoad(
  known: readonly KnownHook[],
  consent: Consent,
  { asksAutoAccept, allowsAutoAccept, isInteractive }: LoadCircumstances,
): {
  readonly approvals: readonly HookApproval[];
  readonly audit: readonly HookAuditEntry[];
  readonly log: readonly HookLogEntry[];
} {
  const open = known.filter((one) => statusOf(one, consent) === "not_approved");
  const changed = known.filter((one) => statusOf(one, consent) === "changed_since_approval").map(tampered);
  if (open.length > 0 && asksAutoAccept && allowsAutoAccept) {
    const done = approve(open, consent, NOBODY);
    const approvals = "conflict" in done ? consent.approvals : done.approvals;
    return { approvals, audit: auditApprovals(consent.approvals, approvals, NOBODY, consent.now), log: changed };
  }
  const unasked = isInteractive ? [] : open.map(unapproved);
  return { approvals: consent.approvals, audit: [], log: [...changed, ...unasked] };
}

function unapproved({ hook: { id, name } }: KnownHook): HookLogEntry {
  const message = `${name} is not called: nobody approved it, and nobody is here to be asked`;
  return { level: "warn", code: "hook.not_approved", hook: id, message };
}

function tampered({ hook: { id, name } }: KnownHook): HookLogEntry {
  const message = `${name} is not called: it changed since approval; run /hooks approve`;
  return { level: "warn", code: "hook.tampered", hook: id, message };
}
