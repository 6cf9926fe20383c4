import type { ThreatRule } from "./threat-rule";

const DROP = ["ignore", "forget", "disregard", "override"];
const EARLIER = ["previous", "prior", "above", "earlier"];
const ORDERS = ["instructions", "prompts", "rules", "directives"];
const WHOLE_WORDS =
  /^(?:ignore|forget|disregard|override) (?:(?:all|any|the|your|my|of) )*(?:previous|prior|above|earlier) (?:instructions|prompts|rules|directives)$/;

/** The words of an attack, parted by signs or with blanks inside of them: "ignore (previous) instructions", "ig nore". */
export const splitWords: ThreatRule = {
  id: "prompt_injection",
  scope: "strict",
  isNegatable: true,
  pattern: new RegExp(
    `\\b${parted(DROP)}${gap()}(?:(?:all|any|the|your|my|of)${gap()}){0,3}${parted(EARLIER)}${gap()}${parted(ORDERS)}\\b`,
    "gu",
  ),
  accepts: (match) => !WHOLE_WORDS.test(match),
};

/** Any of the words, with at most a sign or a blank between two letters. */
function parted(words: readonly string[]): string {
  return `(?:${words.map((word) => word.split("").join("[ \\u00AD_\\-]?")).join("|")})`;
}

/** What can stand between two words of one sentence. */
function gap(): string {
  return `(?:[^\\p{L}\\d.!?\\x60]|[.](?! )){1,4}`;
}
