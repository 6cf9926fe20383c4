import { findKeys } from "./redaction/find-keys";
import { findPrivateKeys } from "./redaction/find-private-keys";
import { commandRules } from "./threats/command-rules";
import { controlRules } from "./threats/control-rules";
import { decodePayloads } from "./threats/decode-payloads";
import { findHiddenCharacters, hasSmuggledText } from "./threats/find-hidden-characters";
import { foreignRules } from "./threats/foreign-rules";
import { habitRules } from "./threats/habit-rules";
import { injectionRules } from "./threats/injection-rules";
import { keepsakeRules } from "./threats/keepsake-rules";
import { markupRules } from "./threats/markup-rules";
import { obedienceRules } from "./threats/obedience-rules";
import { persuasionRules } from "./threats/persuasion-rules";
import { pretextRules } from "./threats/pretext-rules";
import {
  MAX_SCANNED_CHARS,
  MAX_SEARCHED_CHARS,
  beginningOf,
  readScanned,
  type ScannedText,
  type ScannedView,
} from "./threats/scanned-view";
import { shellRules } from "./threats/shell-rules";
import { splitWords } from "./threats/split-words";
import { findsThreat, type ThreatRule, type ThreatScope } from "./threats/threat-rule";
import { transcriptRules } from "./threats/transcript-rules";
import {
  reversed,
  rotated,
  spelledOut,
  unscrambled,
  withoutDisguise,
  withoutGaps,
  withoutMarks,
} from "./threats/unmask";

/** One thing that a text tries. */
export interface Threat {
  /** What it is called in reports: `prompt_injection`, `invisible_unicode_U+200B`, `disguised_prompt_injection`. */
  readonly id: string;
}

export type { ThreatScope };

const WORD_RULES = [...injectionRules, ...persuasionRules, ...pretextRules, ...obedienceRules];
const RULES: readonly ThreatRule[] = [
  ...WORD_RULES,
  ...markupRules,
  ...controlRules,
  ...shellRules,
  ...keepsakeRules,
  ...habitRules,
  ...transcriptRules,
  ...commandRules,
];
const SET_PHRASES = RULES.filter((rule) => rule.scope !== "strict");
const PARAPHRASES = RULES.filter((rule) => rule.scope === "strict");
const WIDTH = { all: 0, context: 1, strict: 2 } as const satisfies Record<ThreatScope, number>;

/**
 * What a text that is going into a prompt tries to do to its reader. `all` and `context` know set phrases; `strict`, for
 * what is kept (memory, skills), also knows paraphrases, other languages and disguises. Each id once. Reads set phrases
 * in the first 1,048,576 characters and the rest in the first 65,536. Never throws.
 */
export function scanForThreats(text: string, scope: ThreatScope): readonly Threat[] {
  const found = new Set(
    findHiddenCharacters(text.slice(0, MAX_SCANNED_CHARS)).map((name) => `invisible_unicode_${name}`),
  );
  const scanned = readScanned(text);
  for (const id of applied(SET_PHRASES, scanned, scope)) found.add(id);
  if (scope === "strict")
    for (const id of widely(text.slice(0, MAX_SEARCHED_CHARS), beginningOf(scanned))) found.add(id);
  return [...found].map((id) => ({ id }));
}

function applied(rules: readonly ThreatRule[], text: ScannedText, scope: ThreatScope): string[] {
  return rules
    .filter((rule) => WIDTH[rule.scope] <= WIDTH[scope] && findsThreat(rule, text[rule.view ?? "prose"]))
    .map((rule) => rule.id);
}

function widely(raw: string, text: ScannedText): string[] {
  const marks = viewOf(withoutMarks(text.prose.text));
  return [
    ...applied(PARAPHRASES, text, "strict"),
    ...foreignRules.filter((rule) => findsThreat(rule, marks)).map((rule) => rule.id),
    ...(findKeys(raw, false).length > 0 || findPrivateKeys(raw).length > 0 ? ["hardcoded_secret"] : []),
    ...(hasSmuggledText(raw) ? ["invisible_unicode_tags"] : []),
    ...unmasked(raw, text).map((id) => `disguised_${id}`),
  ];
}

/** What a text says when its disguise is taken off; a disguise without a threat behind it is none. */
function unmasked(raw: string, { prose, lines }: ScannedText): string[] {
  const plain = unscrambled(withoutDisguise(withoutGaps(prose.text)));
  return [
    ...(plain === prose.text ? [] : wordThreats(plain, prose.text)),
    ...[rotated(prose.text), reversed(prose.text)].flatMap((view) => (view === undefined ? [] : wordThreats(view))),
    ...(findsThreat(splitWords, prose) ? [splitWords.id] : []),
    ...(SPELLED_OUT.test(spelledOut(lines.text)) || RUN_TOGETHER.test(prose.text) ? ["prompt_injection"] : []),
    ...decodePayloads(raw).flatMap((payload) => applied([...RULES, ...foreignRules], readScanned(payload), "strict")),
  ];
}

/** Threats in words, but for those that the text makes openly. */
function wordThreats(prose: string, open = ""): string[] {
  const [hidden, shown] = [viewOf(prose), viewOf(open)];
  return WORD_RULES.filter((rule) => findsThreat(rule, hidden) && !findsThreat(rule, shown)).map((rule) => rule.id);
}

function viewOf(text: string): ScannedView {
  return { text, limit: text.length };
}

const RUN_TOGETHER =
  /(?:ignore|forget|disregard|override)(?:all|any|the|your|my)*(?:previous|prior|above|earlier)(?:instructions|prompts|rules|directives)/;
const SPELLED_OUT =
  /(?:ignore|forget|disregard|override|bypass)(?:\w{0,12})(?:previous|prior|above|all|earlier|your|the)?\w{0,12}(?:instructions?|prompts?|rules)|(?:ignore|forget|disregard)(?:all)?(?:previous|prior|above)|(?:reveal|print|show|output)\w{0,10}(?:systemprompt|secrets?|passwords?)/;
