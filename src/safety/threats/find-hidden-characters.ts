// zero-width, joining, byte order and direction marks: text that a person does not see but a model reads
const HIDDEN = /[\u200B-\u200D\u2060\u2062-\u2064\uFEFF\u202A-\u202E\u2066-\u2069]/g;
// tag characters, supplementary variation selectors, fillers: alphabets that no person sees
const SMUGGLED =
  /[\u{E0000}-\u{E007F}]{2,}|[\u{E0100}-\u{E01EF}]{2,}|[\u115F\u1160\u2061\u206A-\u206F\u3164\uFFA0\uFFF9-\uFFFB]|[\uFE00-\uFE0F]{2,}/gu;
// subdivision flags are a black flag, tags and an end. Source: https://www.unicode.org/reports/tr51/#def_emoji_tag_sequence
const TAGGED_FLAG = /\u{1F3F4}[\u{E0020}-\u{E007E}]{1,8}\u{E007F}/gu;

// looked for in one character: V8 does not find a surrogate pair of a class before "$"
const EMOJI = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F♀♂⚕]/u;
// scripts whose spelling needs joiners. Source: https://www.unicode.org/reports/tr31/#Layout_and_Format_Control_Characters
const JOINING =
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Mongolian}\p{Script=Tibetan}]/u;

/** The hidden characters of a text as `U+200B`, each once, in order. Joiners that a script or an emoji needs are seen. */
export function findHiddenCharacters(text: string): readonly string[] {
  if (text.search(HIDDEN) < 0) return [];
  const found = new Set<string>();
  for (const match of text.matchAll(HIDDEN)) {
    const name = nameOf(match[0]);
    if (!found.has(name) && !isSpelling(text, match.index)) found.add(name);
  }
  return [...found];
}

/** True when a text carries an alphabet that nobody sees: tags outside of a flag, runs of selectors, fillers. */
export function hasSmuggledText(text: string): boolean {
  return text.replaceAll(TAGGED_FLAG, "").search(SMUGGLED) >= 0;
}

function isSpelling(text: string, index: number): boolean {
  const char = text[index];
  if (char === "\uFEFF") return index === 0;
  if (char !== "\u200C" && char !== "\u200D") return false;
  const before = text.slice(Math.max(0, index - 2), index);
  const after = text.slice(index + 1, index + 3);
  if (JOINING.test(before.slice(-1)) && (JOINING.test(after.slice(0, 1)) || char === "\u200D")) return true;
  return char === "\u200D" && EMOJI.test(Array.from(before).at(-1) ?? "") && EMOJI.test(Array.from(after)[0] ?? "");
}

function nameOf(char: string): string {
  return `U+${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
}
