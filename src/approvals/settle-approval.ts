import { deniedByOperator, hardlineResult, unattendedResult } from "./approval-results";
import { findDenied } from "./deny-list";
import { type Grants, keysToAsk } from "./grants";
import type { CommandVerdict } from "./judge-command";
import type { Rule } from "./rule";

/** How dangerous commands are dealt with. The floor and the operator's deny-list hold in every mode. */
export type ApprovalMode =
  /** A person is asked. */
  | "manual"
  /** A model is asked, and a person where it is not sure. */
  | "smart"
  /** Nobody is asked. */
  | "off";

/** Where a command comes from. Nobody can be asked in a scheduled run, or by a subagent. */
export type ApprovalSurface = "chat" | "cron" | "subagent" | "webhook" | "api";

/** What an operator has set. */
export interface ApprovalSettings {
  readonly mode: ApprovalMode;
  /** Patterns of commands that are never run. */
  readonly deny: readonly string[];
  /** What happens to a dangerous command where nobody can be asked. */
  readonly unattended: "refuse" | "run";
  /** Milliseconds that a question stays open. */
  readonly timeoutMs: number;
}

/** As Hermes Agent has them, but that a person is asked until the operator trusts a model with it. */
export const DEFAULT_APPROVALS: ApprovalSettings = {
  mode: "manual",
  deny: [],
  unattended: "refuse",
  timeoutMs: 300_000,
};

/** What becomes of a command. */
export type Settlement =
  | { readonly type: "run" }
  /** `rules` are those that nobody has allowed yet; with `isJudgedFirst`, a model is asked before a person is. */
  | { readonly type: "ask"; readonly rules: readonly Rule[]; readonly isJudgedFirst: boolean }
  /** `content` is what the model reads. */
  | { readonly type: "refuse"; readonly content: string };

/** Settles a verdict by the settings, by what was allowed before, and by whether anybody can be asked. */
export function settleApproval(given: {
  readonly command: string;
  readonly verdict: CommandVerdict;
  readonly settings: ApprovalSettings;
  readonly grants: Grants;
  readonly surface: ApprovalSurface;
}): Settlement {
  const { command, verdict, settings, grants, surface } = given;
  if (verdict.hardline !== undefined) return { type: "refuse", content: hardlineResult(verdict.hardline) };
  const denied = findDenied(command, settings.deny);
  if (denied !== undefined) return { type: "refuse", content: deniedByOperator(denied) };
  const open = new Set(
    keysToAsk(
      grants,
      verdict.rules.map(({ key }) => key),
    ),
  );
  const rules = verdict.rules.filter(({ key }) => open.has(key));
  if (settings.mode === "off" || rules.length === 0) return { type: "run" };
  if (surface === "chat") return { type: "ask", rules, isJudgedFirst: settings.mode === "smart" };
  return settings.unattended === "run" ? { type: "run" } : { type: "refuse", content: unattendedResult(rules) };
}

/** Whether a question has been open for too long; both times are epoch milliseconds. An expired one counts as denied. */
export function isExpired(askedAt: number, now: number, { timeoutMs }: Pick<ApprovalSettings, "timeoutMs">): boolean {
  return now >= askedAt + timeoutMs;
}
