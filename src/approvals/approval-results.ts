import type { Rule } from "./rule";

// What the model reads instead of a command's output: what happened, that it did not run, and what to do now.

/** For a command that is never run. */
export function hardlineResult(rule: Rule): string {
  return (
    `Not run: this command would ${rule.description}. Such commands are never run here, and nobody can allow it. ` +
    "Do not try to get the same effect in another way."
  );
}

/** For a command that a person denied; `reason` is in their words. */
export function deniedResult(rules: readonly Rule[], reason?: string): string {
  const said = reason === undefined || reason.trim() === "" ? "" : ` They said: ${reason.trim()}`;
  return `Not run: the person denied it. It would ${describeRules(rules)}.${said} Do not run it in another form; ask how to go on.`;
}

/** For a command that nobody answered for. */
export function expiredResult(rules: readonly Rule[]): string {
  return (
    `Not run: it needs a person's permission, and nobody answered in time. It would ${describeRules(rules)}. ` +
    "Go on without it, or say that you are waiting for permission."
  );
}

/** For a command where nobody can be asked. */
export function unattendedResult(rules: readonly Rule[]): string {
  return (
    `Not run: it needs a person's permission, and this run has nobody to ask. It would ${describeRules(rules)}. ` +
    "Do what can be done without it, and report what is left."
  );
}

/** For a command that a pattern of the operator forbids. */
export function deniedByOperator(pattern: string): string {
  return `Not run: the operator does not allow commands like "${pattern}". Do not try to get the same effect in another way.`;
}

/** How many refusals of the judging model in a row end the attempts. */
const MAX_MODEL_DENIALS = 3;

/** For a command that the judging model denied; `denials` counts those in a row, this one included. */
export function judgedResult(rules: readonly Rule[], reason: string, denials: number): string {
  const result = `Not run: it was judged too dangerous. It would ${describeRules(rules)}. ${reason}`.trim();
  return denials < MAX_MODEL_DENIALS
    ? `${result} Do it in a safer way.`
    : `${result} This was refusal ${denials} in a row: stop trying, and tell the person what you need.`;
}

/** What several rules say, as the end of "it would ...". */
export function describeRules(rules: readonly Rule[]): string {
  const descriptions = [...new Set(rules.map(({ description }) => description))];
  const last = descriptions.pop();
  if (last === undefined) return "do something that needs permission";
  return descriptions.length === 0 ? last : `${descriptions.join(", ")} and ${last}`;
}
