import type { HookFailurePolicy } from "#src/domain/hook";
import type { JsonObject, JsonValue } from "#src/domain/json";

/** What a failure and a time-out mean, as far as a configuration says it. */
export interface FailurePolicies {
  readonly onError?: HookFailurePolicy;
  readonly onTimeout?: HookFailurePolicy;
}

const WORDS: Readonly<Record<string, HookFailurePolicy>> = {
  allow: "allow",
  ignore: "allow",
  continue: "allow",
  deny: "deny",
  block: "deny",
  ask: "ask",
};

/** Our own policy keys, which every entry of every dialect may have. */
export function readOwnPolicy(entry: JsonObject): FailurePolicies {
  const both = readWord(entry["onFailure"]);
  return withPolicies(readWord(entry["onError"]) ?? both, readWord(entry["onTimeout"]) ?? both);
}

/** One word of a policy, in the words of any system; undefined when it is none. */
export function readWord(value: JsonValue | undefined): HookFailurePolicy | undefined {
  return typeof value === "string" && Object.hasOwn(WORDS, value) ? WORDS[value] : undefined;
}

export function withPolicies(
  onError: HookFailurePolicy | undefined,
  onTimeout: HookFailurePolicy | undefined,
): FailurePolicies {
  return { ...(onError === undefined ? {} : { onError }), ...(onTimeout === undefined ? {} : { onTimeout }) };
}

/** Our own keys first, then those of the system, then that nothing is held up; a time-out means what a failure means. */
export function settlePolicies(
  own: FailurePolicies,
  system: FailurePolicies,
  usual: HookFailurePolicy,
): { readonly onError: HookFailurePolicy; readonly onTimeout: HookFailurePolicy } {
  const onError = own.onError ?? system.onError ?? usual;
  return { onError, onTimeout: own.onTimeout ?? system.onTimeout ?? onError };
}
