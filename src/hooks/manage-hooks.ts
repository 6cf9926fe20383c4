import type { HookAuditEntry } from "./audit";
import { auditApprovals } from "./audit";
import { type HookApproval, type KnownHook, approve, isTarget, revoke } from "./approvals";
import { type HookInventory, isAt, listHooks } from "./list-hooks";
import type { HooksCommand } from "./parse-hooks-command";
import { HOOKS_USAGE, describeList, describeReview, describeSwitch } from "./describe-hooks";
import { describeHook } from "./describe-hook";

/** Who asks, and how: only a person with the right to, never a model. */
export interface HooksPrincipal {
  readonly principal: string;
  readonly surface: string;
  readonly method: HookApproval["approvedBy"]["method"];
  /** Whether they may change what runs. */
  readonly mayChange: boolean;
}

/** What a command changes; the caller keeps it and opens the hooks anew. */
export type HooksChange =
  | { readonly type: "approvals"; readonly approvals: readonly HookApproval[] }
  | { readonly type: "master"; readonly isOn: boolean }
  | { readonly type: "disabled"; readonly hookId: string; readonly isDisabled: boolean };

export interface HooksOutcome {
  /** Markdown for the person. */
  readonly reply: string;
  readonly changes: readonly HooksChange[];
  readonly audit: readonly HookAuditEntry[];
}

/** Commands that are answered by what is known alone. The others call hooks or read logs: those are the caller's. */
export type ManagingCommand = Exclude<
  HooksCommand,
  { readonly type: "doctor" | "log" | "deliveries" | "test" | "status" | "import" }
>;

/** Answers a command about hooks: what the person reads, and what it changes. */
export function manageHooks(command: ManagingCommand, inventory: HookInventory, by: HooksPrincipal): HooksOutcome {
  if (CHANGING.has(command.type) && !by.mayChange) return said("Only the owner may change what hooks run.");
  switch (command.type) {
    case "list":
      return said(describeList(listHooks(inventory, command.event), inventory));
    case "review":
      return said(describeReview(listHooks(inventory)));
    case "help":
      return said(HOOKS_USAGE);
    case "unknown":
      return said(command.why);
    case "show":
      return said(showHook(command.id, inventory));
    case "switch":
      return switchMaster(command.isOn, inventory, by);
    case "approve":
      return approveHooks(command, inventory, by);
    case "revoke":
      return revokeHooks(command.words, inventory, by);
    case "enable":
    case "disable":
      return setDisabled(command.id, command.type === "disable", inventory, by);
  }
}

const CHANGING: ReadonlySet<HooksCommand["type"]> = new Set(["switch", "approve", "revoke", "enable", "disable"]);

function said(reply: string): HooksOutcome {
  return { reply, changes: [], audit: [] };
}

function showHook(id: string, inventory: HookInventory): string {
  const known = find(id, inventory);
  const row = listHooks(inventory).find((one) => one.id === known?.hook.id);
  return known === undefined || row === undefined ? noSuchHook(id) : describeHook(known.hook, row);
}

function switchMaster(isOn: boolean, inventory: HookInventory, by: HooksPrincipal): HooksOutcome {
  return {
    reply: describeSwitch(isOn, inventory),
    changes: [{ type: "master", isOn }],
    audit: [auditOf(isOn ? "switch_on" : "switch_off", inventory, by)],
  };
}

function approveHooks(
  { event, target, digest }: Extract<HooksCommand, { type: "approve" }>,
  inventory: HookInventory,
  by: HooksPrincipal,
): HooksOutcome {
  const { consent, known } = inventory;
  const meant = known.filter(({ hook, identity }) => isAt(hook, event) && isTarget(identity.target, target));
  if (meant.length === 0) return said(`No hook on ${event} has the target ${target}. /hooks list shows them.`);
  const done = approve(meant, consent, by, digest);
  if ("conflict" in done) return said(done.conflict);
  const names = [...new Set(meant.map(({ identity }) => identity.target))].join(", ");
  const off = consent.master.agent === false ? " It runs once hooks are on: /hooks on" : "";
  return changed(`✓ Approved for ${event}: ${names}.${off}`, done.approvals, inventory, by);
}

function revokeHooks(words: string, inventory: HookInventory, by: HooksPrincipal): HooksOutcome {
  const { approvals, scope } = inventory.consent;
  const wanted = [{ target: words }, ...withEvent(words)];
  for (const one of wanted) {
    const left = revoke(approvals, { scope, ...one });
    const count = approvals.length - left.length;
    if (count > 0) return changed(`✓ Revoked: ${words} (${count}).`, left, inventory, by);
  }
  const isKnown = inventory.known.some(({ identity }) => isTarget(identity.target, words));
  return said(isKnown ? `${words} is not approved.` : `Nothing was ever approved for ${words}.`);
}

/** The words read as a target with an event behind it. */
function withEvent(words: string): readonly { readonly target: string; readonly event: string }[] {
  const parts = /^(.*\S)\s+(\S+)$/s.exec(words);
  return parts?.[1] === undefined || parts[2] === undefined ? [] : [{ target: parts[1], event: parts[2] }];
}

function changed(
  reply: string,
  approvals: readonly HookApproval[],
  { consent }: HookInventory,
  by: HooksPrincipal,
): HooksOutcome {
  const audit = auditApprovals(consent.approvals, approvals, by, consent.now);
  return { reply, changes: [{ type: "approvals", approvals }], audit };
}

function setDisabled(id: string, isDisabled: boolean, inventory: HookInventory, by: HooksPrincipal): HooksOutcome {
  const known = find(id, inventory);
  if (known === undefined) return said(noSuchHook(id));
  const { hook, identity } = known;
  const entry = auditOf(isDisabled ? "disable" : "enable", inventory, by);
  return {
    reply: `✓ ${hook.name} is ${isDisabled ? "disabled; its approval is kept" : "enabled"}.`,
    changes: [{ type: "disabled", hookId: hook.id, isDisabled }],
    audit: [{ ...entry, event: hook.nativeEvent, target: identity.target, digest: identity.digest }],
  };
}

function auditOf(action: HookAuditEntry["action"], { consent }: HookInventory, by: HooksPrincipal): HookAuditEntry {
  return { at: consent.now, action, principal: by.principal, surface: by.surface };
}

function find(id: string, { known }: HookInventory): KnownHook | undefined {
  return known.find(({ hook }) => hook.id === id) ?? known.find(({ hook }) => hook.name === id);
}

function noSuchHook(id: string): string {
  return `There is no hook "${id}". /hooks list shows them.`;
}
