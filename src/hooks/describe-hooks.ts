import type { HookLogEntry } from "#src/domain/hook";
import type { HookStatus } from "./approvals";
import type { Examination } from "./examine-hooks";
import { type HookFlag, type HookInventory, type HookRow, flagOfEntry } from "./list-hooks";

/** What a person can type. */
export const HOOKS_USAGE = [
  "**Hooks**",
  "`/hooks list [event]`: every hook, and whether it runs",
  "`/hooks status`: how they are doing",
  "`/hooks on`, `/hooks off`: the master switch",
  "`/hooks approve <event> <target> [sha256:...]`: let a hook run, as it was shown",
  "`/hooks revoke <target> [event]`: take that back",
  "`/hooks enable <id>`, `/hooks disable <id>`: one hook, its approval kept",
  "`/hooks show <id>`: all of one hook",
  "`/hooks import <path>`: read hooks from a file or folder of the workspace; they wait for approval",
  "`/hooks review`: what waits for approval",
  "`/hooks test <event> [--tool X] [--payload JSON]`: call the hooks of an event with made-up data",
  "`/hooks doctor [id]`: look for what is wrong",
  "`/hooks log [id]`, `/hooks deliveries [list|replay <id>]`: what happened",
].join("\n");

const STATUS_WORDS: Readonly<Record<HookStatus, string>> = {
  active: "✓ active",
  not_approved: "✗ not approved",
  approved_master_off: "⏸ approved, hooks are off",
  changed_since_approval: "⚠ changed since approval",
  disabled: "⏸ disabled",
  unavailable: "⚠ unavailable",
};

/** The answer to `/hooks list`. */
export function describeList(rows: readonly HookRow[], inventory: HookInventory): string {
  const unread = inventory.importLog.filter((entry) => isUnread(entry, inventory)).map(flagOfEntry);
  const head = `Hooks are ${isMasterOn(inventory) ? "on" : "off"}. ${counted(rows.length, "hook")}.`;
  return [head, ...rows.map(describeRow), ...unread.map(({ message }) => `⚠ ${message}`)].join("\n");
}

export function describeRow(row: HookRow): string {
  const matcher = row.matcher === undefined ? "" : ` · matches ${JSON.stringify(row.matcher)}`;
  const facts = `${STATUS_WORDS[row.status]} · ${row.timeoutSeconds} s${matcher} · ${row.source}`;
  return `- \`${row.id}\` ${row.event} → ${row.target}\n  ${facts}${describeFlags(row.flags)}`;
}

/** The answer to `/hooks review`: what waits for somebody to look at it, with the line to paste. */
export function describeReview(rows: readonly HookRow[]): string {
  const waiting = rows.filter(({ status }) => status === "not_approved" || status === "changed_since_approval");
  if (waiting.length === 0) return "No hook waits for approval.";
  return waiting.map((row) => `${describeRow(row)}\n  ${approvalLine(row)}`).join("\n");
}

/** What a person types to approve a hook as it was shown to them. */
export function approvalLine({ event, target, digest }: HookRow): string {
  return `/hooks approve ${event} ${withoutMethod(target)} ${digest}`;
}

/** The answer to `/hooks on` and `/hooks off`. */
export function describeSwitch(isOn: boolean, { known }: HookInventory): string {
  return isOn ? `✓ Hooks are on (${counted(known.length, "hook")}).` : "⏸ Hooks are off. Approvals are kept.";
}

/** The answer to `/hooks doctor`. */
export function describeExamination({ hooks, unread }: Examination): string {
  const lines = hooks.map(({ row, flags, tookMs }) => {
    const took = tookMs === undefined ? "" : ` · answered in ${tookMs} ms of ${row.timeoutSeconds} s`;
    const verdict = flags.some(({ code }) => code !== undefined) ? "✗" : "✓";
    return `${verdict} \`${row.id}\` ${row.event} → ${row.target} · ${STATUS_WORDS[row.status]}${took}${describeFlags(flags)}`;
  });
  const rest = unread.map(({ message }) => `✗ ${message}`);
  return [...lines, ...rest].join("\n") || "There are no hooks.";
}

function describeFlags(flags: readonly HookFlag[]): string {
  return flags.map(({ message }) => `\n  ⚠ ${message}`).join("");
}

function withoutMethod(target: string): string {
  return target.startsWith("POST ") ? target.slice("POST ".length) : target;
}

function isUnread({ hook, level }: HookLogEntry, { known }: HookInventory): boolean {
  return level !== "debug" && !known.some((one) => one.hook.id === hook);
}

function isMasterOn({ consent: { master } }: HookInventory): boolean {
  return master.org !== false && master.workspace !== false && master.agent !== false;
}

function counted(count: number, noun: string): string {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`;
}
