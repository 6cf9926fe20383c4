/** What a person answers when a command asks: for this call, for this conversation, for good, or not at all. */
export type ApprovalChoice = "once" | "session" | "always" | "deny";

/** The choices as a person sees them, in the order in which they are offered. */
export const CHOICE_LABELS: Readonly<Record<ApprovalChoice, string>> = {
  once: "Allow once",
  session: "Allow for this session",
  always: "Always allow",
  deny: "Deny",
};

const WORDS: Readonly<Record<ApprovalChoice, readonly string[]>> = {
  once: ["y", "yes", "ok", "okay", "go", "approve", "allow", "once", "approve once", "yes once"],
  session: ["session", "approve session", "allow session", "yes session", "s"],
  always: ["always", "approve always", "allow always", "yes always", "a"],
  deny: ["n", "no", "deny", "cancel", "stop", "reject", "d"],
};

/** Reads an answer that was typed or tapped. Undefined for anything that is not plainly one of the choices. */
export function readChoice(answer: string): ApprovalChoice | undefined {
  const words = answer
    .trim()
    .toLowerCase()
    .replace(/^\//, "")
    .replaceAll(/[.!,]+/g, "")
    .replaceAll(/\s+/g, " ");
  const choices: readonly ApprovalChoice[] = ["once", "session", "always", "deny"];
  return choices.find((choice) => WORDS[choice].includes(words) || CHOICE_LABELS[choice].toLowerCase() === words);
}
