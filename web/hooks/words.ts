// Words for what stands in a hook.
import type { Hook, HookTarget } from "#src/domain/hook";
import type { HookDecision } from "#src/domain/hook-event";
import type { PillKind } from "./parts";
import { mayReachNetwork, momentNamed } from "./state";
import type { HookRow, HookStatus, Run } from "./wire";

export const STATUS: Readonly<Record<HookStatus, readonly [PillKind, string]>> = {
  active: ["good", "active"],
  not_approved: ["warn", "not approved"],
  changed_since_approval: ["warn", "changed since approval"],
  approved_master_off: ["", "approved, hooks are off"],
  disabled: ["", "disabled"],
  unavailable: ["bad", "unavailable"],
};

const FAILURE: Readonly<Record<string, string>> = {
  allow: "what it stands before goes on",
  deny: "what it stands before is refused",
  ask: "you are asked",
};

const ABILITIES: Readonly<Partial<Record<keyof HookDecision, string>>> = {
  decision: "refuse or ask",
  input: "change the input",
  text: "replace the text",
  output: "replace the output",
  context: "tell the model something",
  keepGoing: "keep the agent going",
  stop: "end the turn",
  permission: "answer for you",
};

const ACTIONS: Readonly<Record<string, string>> = {
  approve: "approved",
  auto_approve: "approved by itself",
  revoke: "took the approval back",
  switch_on: "switched hooks on",
  switch_off: "switched hooks off",
  enable: "enabled",
  disable: "disabled",
  auto_disable: "disabled by itself",
  mismatch: "found something else than was approved",
  quarantine: "put into quarantine",
  release: "released from quarantine",
  reset_circuit: "closed the circuit",
  rotate_secret: "renewed the secret",
  config_change: "changed the configuration",
};

type HttpTarget = Extract<HookTarget, { readonly type: "http" }>;

export function isFailed({ exit, code }: Pick<Run, "exit" | "code">): boolean {
  return code !== undefined || (exit !== 0 && exit !== 2);
}

/** What somebody did. */
export function actionWords(action: string): string {
  return ACTIONS[action] ?? action;
}

export function failureWords({ onError, onTimeout }: Hook): string {
  const words = FAILURE[onError] ?? onError;
  return onError === onTimeout ? words : `${words}; out of time, ${FAILURE[onTimeout] ?? onTimeout}`;
}

/** What the answers of a hook may do. */
export function abilityWords({ events, observe }: Hook): string {
  const fields = events
    .map(momentNamed)
    .flatMap((moment) => (moment?.kind === "observe" ? [] : (moment?.answers ?? [])));
  const known = [...new Set(fields.flatMap((field) => ABILITIES[field] ?? []))];
  return observe || known.length === 0 ? "only watch" : known.join(", ");
}

/** What a hook gets to see. */
export function sightWords({ target, fields }: Hook): string {
  if (target.type !== "module")
    return `what the event carries${fields === undefined ? "" : `, as far as ${JSON.stringify(fields)} lets it`}`;
  const reach = mayReachNetwork(target.sha256) ? "it may send it to public addresses" : "it stays inside the Worker";
  return `all that the event carries; ${reach}`;
}

export function signingWords({ flags }: HookRow, { signature }: HttpTarget): string {
  if (flags.some(({ message }) => message.startsWith("UNSIGNED"))) return "no";
  return signature.length === 0 ? "yes" : `yes; also in the way of ${signature.join(", ")}`;
}

/** Names of the secrets that a request may carry. */
export function secretNames({ headers, allowedSecrets }: HttpTarget): readonly string[] {
  const inHeaders = Object.values(headers).flatMap((value) =>
    Array.from(value.matchAll(/\$\{?(?:secret:)?(\w+)\}?/g), ([, name = ""]) => name),
  );
  return [...new Set([...allowedSecrets, ...inHeaders])];
}
