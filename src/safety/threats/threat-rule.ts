import type { ScannedView } from "./scanned-view";

/** How wide a scan is: `all` is read in every text, `context` also in files and results, `strict` in what is kept. */
export type ThreatScope = "all" | "context" | "strict";

/** One way in which a text attacks its reader. */
export interface ThreatRule {
  readonly id: string;
  /** The narrowest scope that looks for it. */
  readonly scope: ThreatScope;
  /** A global pattern over lower-case text. Linear: no open-ended part beside another that eats the same letters. */
  readonly pattern: RegExp;
  /** Words of which a text must hold one to be worth the pattern, in lower case. */
  readonly needs?: readonly string[];
  /** `prose` (default) has single blanks between words; `lines` keeps the line breaks. */
  readonly view?: "prose" | "lines";
  /** What stands before, in the same sentence, where the words are harmless; anchored with `$`. */
  readonly unlessBefore?: RegExp;
  /** What stands after where the words are harmless; anchored with `^`. */
  readonly unlessAfter?: RegExp;
  /** Harmless when forbidden: "never ignore previous instructions". */
  readonly isNegatable?: boolean;
  /** A last look at what matched, for what a pattern cannot say. */
  readonly accepts?: (match: string, view: string, index: number) => boolean;
}

const BEFORE_CHARS = 120;
const AFTER_CHARS = 160;

const NEGATION =
  /\b(?:do not|does not|did not|don't|doesn't|dont|never|(?<!why )not|cannot|can't|must not|should not|shouldn't|mustn't|won't|refuses? to|avoid|prevents?|forbids?|prohibits?|against|rather than|instead of)(?: (?!forget|hesitate|fail|only|worry)\S+){0,2} $/;
const QUOTED = /["'`“”‘’«»„「『]\s?(?:\.\.\. ?)?$/;
const ASKS = /^(?:\S+[,:] )?(?:why|how|what|is|are|was|does|do|did|should|can (?!you\b)|could (?!you\b)|which|when)\b/;
const MENTION =
  /\b(?:such as|like|e\.g\.?|for example|for instance|phrases?|strings?|words?|texts?|patterns?|called|named|says?|saying|said|reads?|contains?|containing|asserts?|injections?|attacks?|attackers?|jailbreaks?|detects?|flags?|blocks?|rejects?|refuses?|examples?|quotes?|titled|terms?|covers?|defend\w*|resists?|fall for|trust|watch (?:out )?for|beware of|explains?|describes?|discuss\w*|means)\b/;

const JUDGED =
  /^,? (?:is|are|was|were|counts? as|would be) (?:an? |the |also |often )*(?:\w+ )?(?:dangerous|harmful|malicious|suspicious|flagged|blocked|rejected|refused|detected|attacks?|injections?|jailbreaks?|examples?|phrases?|red flags?|warning signs?|tricks?|clich[eé]s?)\b|^,? (?:and|or) (?:similar|other|such|related) (?:phrases|strings|texts?|attempts|attacks|wordings?|sentences)\b|^,? (?:describes|shows|explains|appears|occurs)\b|^ to (?:the |our )?(?:\w+ )?(?:tests?|corpus|fixtures?|block ?list|deny ?list|filters?)\b/;

/** True when a rule finds what it looks for in a view, before the end of what is scanned. */
export function findsThreat(rule: ThreatRule, view: ScannedView): boolean {
  if (rule.needs !== undefined && !rule.needs.some((word) => view.text.includes(word))) return false;
  for (const match of view.text.matchAll(rule.pattern)) {
    if (match.index >= view.limit) return false;
    if (isMeant(rule, view.text, match)) return true;
  }
  return false;
}

function isMeant(rule: ThreatRule, text: string, match: RegExpExecArray): boolean {
  const before = sentenceBefore(text, match.index);
  const end = match.index + match[0].length;
  const after = text.slice(end, end + AFTER_CHARS);
  if (rule.unlessBefore?.test(before) === true || rule.unlessAfter?.test(after) === true) return false;
  if (rule.isNegatable === true && NEGATION.test(before)) return false;
  if (isQuestion(before, after)) return false;
  const opened = isOpen(match[0], '"') ? match[0].lastIndexOf('"') + 1 : 0;
  if (isMention(before + match[0].slice(0, opened), after)) return false;
  return rule.accepts?.(match[0], text, match.index) ?? true;
}

/** Words about an attack, in quotation marks, are no attack; nor is a question about them. */
function isMention(before: string, after: string): boolean {
  if (!QUOTED.test(before) && !isOpen(before, '"') && !isOpen(before, "`")) return false;
  const rest = /^[^"'`“”‘’«»„」』]{0,60}["'`“”‘’«»„」』]([^]*)/.exec(after)?.[1];
  if (rest === undefined) return false;
  return MENTION.test(before) || JUDGED.test(rest) || (ASKS.test(before) && /^[^.!?]{0,80}\?/.test(rest));
}

/** "Why would a model do this?" asks; "why not do this?" and "can you do this?" want it done. */
function isQuestion(before: string, after: string): boolean {
  return (
    /^(?:why|how|what|does|did|is|are|was)\b(?!.*\b(?:you|not|about|if|don't)\b)/.test(before) &&
    /^[^.!?;:]{0,80}\?/.test(after)
  );
}

/** True when a quotation mark stands open at the end. */
function isOpen(text: string, mark: string): boolean {
  return text.split(mark).length % 2 === 0;
}

function sentenceBefore(text: string, index: number): string {
  const before = text.slice(Math.max(0, index - BEFORE_CHARS), index);
  const start = Math.max(
    before.lastIndexOf("\n"),
    before.lastIndexOf("! "),
    before.lastIndexOf("? "),
    lastStop(before),
  );
  return before.slice(start + 1).replace(/^ /, "");
}

/** The last full stop that ends a sentence, not one of "e.g." */
function lastStop(text: string): number {
  const stop = text.lastIndexOf(". ");
  return stop >= 3 && /^e[. ]g$/.test(text.slice(stop - 3, stop)) ? -1 : stop;
}
