import type { ApprovalChoice } from "./approval-choice";

/** Kinds of danger that a person has allowed, by rule key. Plain JSON: both lists are stored. */
export interface Grants {
  /** Until the conversation begins anew. */
  readonly session: readonly string[];
  /** The profile's allow-list, until it is taken back. */
  readonly always: readonly string[];
}

export const NO_GRANTS: Grants = { session: [], always: [] };

/** The grants after an answer. `once` and `deny` leave nothing behind. */
export function grantsAfter(grants: Grants, choice: ApprovalChoice, keys: readonly string[]): Grants {
  if (choice === "session") return { ...grants, session: withKeys(grants.session, keys) };
  return choice === "always" ? { ...grants, always: withKeys(grants.always, keys) } : grants;
}

/** Those of some keys that nobody has allowed yet. */
export function keysToAsk(grants: Grants, keys: readonly string[]): readonly string[] {
  const granted = new Set([...grants.session, ...grants.always]);
  return keys.filter((key) => !granted.has(key));
}

function withKeys(known: readonly string[], keys: readonly string[]): readonly string[] {
  return [...new Set([...known, ...keys])];
}
