import type { InboundEvent, PlatformAdapter } from "./platform";

/** Who may talk to the agent, from every source an operator has. */
export interface AccessRules {
  /** Everyone, everywhere. */
  readonly allowAllUsers: boolean;
  /** User ids allowed on every platform. */
  readonly allowedUsers: readonly string[];
  readonly platform: { readonly allowAll: boolean; readonly allowed: readonly string[] };
  /** People approved at run time, as `platform:userId`. */
  readonly approved: readonly string[];
  /** What a stranger's direct message gets. */
  readonly strangers: "pair" | "ignore";
}

export type AccessVerdict =
  | "allow"
  /** A direct message of a stranger: they are given a pairing code. */
  | "pair"
  | "deny";

/** Decides whether an event's author may talk to the agent. The default is no; groups are told nothing. */
export function decideAccess(
  event: Pick<InboundEvent, "chatType" | "userId">,
  adapter: Pick<PlatformAdapter, "name" | "access">,
  rules: AccessRules,
): AccessVerdict {
  if (adapter.access === "signed") return "allow";
  const isAllowed =
    rules.allowAllUsers ||
    rules.platform.allowAll ||
    rules.platform.allowed.includes(event.userId) ||
    rules.allowedUsers.includes(event.userId) ||
    rules.approved.includes(`${adapter.name}:${event.userId}`);
  if (isAllowed) return "allow";
  return event.chatType === "dm" && rules.strangers === "pair" ? "pair" : "deny";
}
