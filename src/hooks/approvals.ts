import type { Hook, HookDialectName } from "#src/domain/hook";
import type { HookIdentity } from "./config-digest";

/** What a person allowed: one hook, exactly as it was shown. Plain JSON, so that it can be kept. */
export interface HookApproval {
  /** Whose hooks: a profile's name. */
  readonly scope: string;
  readonly dialect: HookDialectName;
  /** The event's name in that dialect. */
  readonly event: string;
  readonly target: string;
  /** Digest of the definition, as `identifyHook` makes it. */
  readonly digest: string;
  /** SHA-256, hex, of the module or script that the target names. */
  readonly contentSha256?: string;
  readonly approvedBy: {
    readonly principal: string;
    readonly surface: string;
    readonly method: "slash" | "cli" | "ui" | "gitops" | "auto";
  };
  /** Epoch milliseconds. */
  readonly approvedAt: number;
  readonly expiresAt?: number;
}

/** Where a hook stands between its definition and being called. */
export type HookStatus =
  | "active"
  | "not_approved"
  | "approved_master_off"
  | "changed_since_approval"
  | "disabled"
  | "unavailable";

/** The master switches, from the outermost in; an absent one is on. */
export interface MasterSwitches {
  readonly org?: boolean;
  readonly workspace?: boolean;
  readonly agent?: boolean;
}

/** A hook with what is known of it at the moment. */
export interface KnownHook {
  readonly hook: Hook;
  readonly identity: HookIdentity;
  /** SHA-256, hex, of what the target holds now; absent when it cannot be told or has no content of its own. */
  readonly contentSha256?: string;
  /** Whether anything here can call it: a command needs a sidecar. */
  readonly isReachable: boolean;
}

/** What consent looks at. */
export interface Consent {
  readonly scope: string;
  readonly master: MasterSwitches;
  readonly approvals: readonly HookApproval[];
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Where a hook stands: both gates, its switch, and whether it is still what was approved. */
export function statusOf(known: KnownHook, consent: Consent): HookStatus {
  if (known.hook.disabled === true) return "disabled";
  const approvals = approvalsOf(known, consent);
  if (approvals.length === 0) return "not_approved";
  if (!approvals.some((approval) => isUnchanged(known, approval))) return "changed_since_approval";
  if (!isMasterOn(known.hook, consent.master)) return "approved_master_off";
  return known.isReachable ? "active" : "unavailable";
}

/**
 * The approvals that stand for a hook's event and target, whether or not the hook is still the same. There is one for
 * each definition: the same command may be there twice, for different tools.
 */
export function approvalsOf({ hook, identity }: KnownHook, consent: Consent): readonly HookApproval[] {
  return consent.approvals.filter(
    (approval) =>
      isKeyOf(approval, hook, identity, consent.scope) &&
      (approval.expiresAt === undefined || approval.expiresAt > consent.now),
  );
}

function isKeyOf(approval: HookApproval, hook: Hook, identity: HookIdentity, scope: string): boolean {
  return (
    approval.scope === scope &&
    approval.dialect === hook.dialect &&
    approval.event === hook.nativeEvent &&
    approval.target === identity.target
  );
}

/** Whether the definition, and what it runs, is what was approved. */
function isUnchanged({ identity, contentSha256 }: KnownHook, approval: HookApproval): boolean {
  if (approval.digest !== identity.digest) return false;
  return (
    contentSha256 === undefined || approval.contentSha256 === undefined || approval.contentSha256 === contentSha256
  );
}

/** Managed hooks answer to the outermost switch alone. */
function isMasterOn({ rank }: Hook, { org, workspace, agent }: MasterSwitches): boolean {
  if (org === false) return false;
  return rank === "managed" || (workspace !== false && agent !== false);
}

/**
 * Approves the hooks of one event and target as they were shown. A digest that none of them has means that they changed
 * since: then nothing is approved.
 */
export function approve(
  hooks: readonly KnownHook[],
  consent: Consent,
  by: HookApproval["approvedBy"],
  shownDigest?: string,
): { readonly approvals: readonly HookApproval[] } | { readonly conflict: string } {
  const chosen = shownDigest === undefined ? hooks : hooks.filter(({ identity }) => identity.digest === shownDigest);
  if (chosen.length === 0) {
    const now = hooks.map(({ identity }) => identity.digest).join(", ");
    return { conflict: `It has changed since it was shown: it is ${now} now. Look at it again before you approve it.` };
  }
  const digests = new Set(hooks.map(({ identity }) => identity.digest));
  const replaced = (one: HookApproval): boolean =>
    chosen.some(
      ({ hook, identity }) => isKeyOf(one, hook, identity, consent.scope) && one.digest === identity.digest,
    ) ||
    // of a definition that is no more
    hooks.some(({ hook, identity }) => isKeyOf(one, hook, identity, consent.scope) && !digests.has(one.digest));
  const given = chosen.map(({ hook, identity, contentSha256 }): HookApproval => ({
    scope: consent.scope,
    dialect: hook.dialect,
    event: hook.nativeEvent,
    target: identity.target,
    digest: identity.digest,
    ...(contentSha256 === undefined ? {} : { contentSha256 }),
    approvedBy: by,
    approvedAt: consent.now,
  }));
  return { approvals: [...consent.approvals.filter((one) => !replaced(one)), ...given] };
}

/** Takes back every approval of a target, or only that of one event. */
export function revoke(
  approvals: readonly HookApproval[],
  { scope, target, event }: { readonly scope: string; readonly target: string; readonly event?: string },
): readonly HookApproval[] {
  return approvals.filter(
    (one) => one.scope !== scope || !isTarget(one.target, target) || (event !== undefined && one.event !== event),
  );
}

/** Whether a person who wrote `written` means this target: an address may stand without its `POST`. */
export function isTarget(target: string, written: string): boolean {
  if (target === written || target === `module ${written}`) return true;
  if (!target.startsWith("POST ")) return false;
  const url = written.startsWith("POST ") ? written.slice("POST ".length) : written;
  return URL.canParse(url) && target === `POST ${new URL(url).href}`;
}

/** One entry of the deployment's own list of allowed hooks: how hooks are approved where nobody can be asked. */
export interface AllowedHook {
  readonly event: string;
  readonly target: string;
  readonly digest: string;
  readonly contentSha256?: string;
}

/** The approvals that the deployment's list stands for, for hooks that are exactly what it says. */
export function approvalsOfAllowList(
  allowed: readonly AllowedHook[],
  known: readonly KnownHook[],
  consent: Pick<Consent, "scope" | "now">,
): readonly HookApproval[] {
  return known.flatMap(({ hook, identity }) =>
    allowed
      .filter((one) => one.event === hook.nativeEvent && isTarget(identity.target, one.target))
      .map((one) => ({
        scope: consent.scope,
        dialect: hook.dialect,
        event: hook.nativeEvent,
        target: identity.target,
        digest: one.digest,
        ...(one.contentSha256 === undefined ? {} : { contentSha256: one.contentSha256 }),
        approvedBy: { principal: "deployment", surface: "config", method: "gitops" as const },
        approvedAt: consent.now,
      })),
  );
}

/**
 * Whether a hook that may not run must still be heard of: it stood guard with somebody's approval, nothing may pass
 * when it fails, and it is no longer what was approved. One that nobody ever approved is never obeyed.
 */
export function guardsThoughChanged(hook: Hook, status: HookStatus): boolean {
  return status === "changed_since_approval" && hook.onError === "deny";
}
