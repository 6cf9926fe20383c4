/** Letters of other alphabets that look like Latin ones. Source: https://www.unicode.org/Public/security/latest/confusables.txt */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  а: "a",
  е: "e",
  о: "o",
  р: "p",
  с: "c",
  у: "y",
  х: "x",
  і: "i",
  ѕ: "s",
  ј: "j",
  һ: "h",
  ԁ: "d",
  ԛ: "q",
  ԝ: "w",
  к: "k",
  п: "n",
  и: "u",
  м: "m",
  т: "t",
  в: "b",
  н: "h",
  г: "r",
  ѵ: "v",
  ӏ: "l",
  ո: "n",
  ս: "u",
  օ: "o",
  ց: "g",
  հ: "h",
  զ: "q",
  α: "a",
  β: "b",
  ε: "e",
  η: "n",
  ι: "i",
  κ: "k",
  ν: "v",
  ο: "o",
  ρ: "p",
  τ: "t",
  υ: "u",
  χ: "x",
  ω: "w",
  γ: "y",
  ı: "i",
  ɡ: "g",
  ɪ: "i",
  ɴ: "n",
  ʀ: "r",
  ᴏ: "o",
  ᴇ: "e",
  ᴀ: "a",
  ꜱ: "s",
  ᴛ: "t",
  ᴜ: "u",
  ᴄ: "c",
  ᴘ: "p",
  ᴠ: "v",
  ł: "l",
  ø: "o",
  đ: "d",
  ħ: "h",
  ŧ: "t",
  æ: "ae",
  œ: "oe",
  ß: "ss",
  ǀ: "l",
  ʏ: "y",
  ᴅ: "d",
  ᴍ: "m",
  ʟ: "l",
  ɢ: "g",
};
const MAX_WORD_CHARS = 40;
const FOREIGN_LETTER = /[^\p{ASCII}]/gu;
const LEET: Readonly<Record<string, string>> = {
  "0": "o",
  "1": "i",
  "3": "e",
  "4": "a",
  "5": "s",
  "7": "t",
  "8": "b",
  "9": "g",
  "@": "a",
  $: "s",
  "!": "i",
  "|": "i",
  "+": "t",
};
const HIDDEN =
  /\u034F|[\u00AD\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u202A-\u202E\u2060-\u206F\u3164\uFEFF\uFFA0]|[\uFE00-\uFE0F]|[\u{E0000}-\u{E007F}]|[\u{E0100}-\u{E01EF}]/gu;

/** Without the marks over and under letters, where a mark makes no other letter: Latin, Greek, Arabic, Hebrew. */
export function withoutMarks(prose: string): string {
  return prose
    .normalize("NFD")
    .replaceAll(/(?<=[\p{Script=Latin}\p{Script=Greek}\p{Script=Arabic}\p{Script=Hebrew}])\p{M}+/gu, "")
    .normalize("NFC")
    .replaceAll(/[ıłøđ]/g, (letter) => LOOK_ALIKES[letter] ?? letter);
}

/** As a reader sees it: look-alike letters are Latin, hidden characters are gone, words part at blanks only. */
export function withoutDisguise(prose: string): string {
  return withoutMarks(prose.replaceAll(HIDDEN, ""))
    .replaceAll(FOREIGN_LETTER, (letter) => LOOK_ALIKES[letter] ?? letter)
    .replaceAll(/(?<=[a-z]{3})[+|](?=[a-z]{3})/g, " ")
    .replaceAll(/\S+/g, withoutLeet)
    .replaceAll(/(?<![^\s(])[*_~]{1,3}(?=[a-z])|(?<=[a-z])[*_~]{1,3}(?![^\s).,!?:;])/g, "")
    .replaceAll(/(?<=[a-z])(?:[-–—_*~`^/\\.·•,|+=]{1,3})(?=[a-z])/g, " ");
}

/** Digits and signs between letters stand for letters: "1gn0re". */
function withoutLeet(word: string): string {
  if (word.length > MAX_WORD_CHARS || !/[0-9@$!|+]/.test(word) || !/[a-z]/.test(word)) return word;
  if (/^(?:https?:|[\w.+-]+@)/.test(word)) return word;
  const end = /[!|+]+$/.exec(word)?.[0] ?? "";
  return word.slice(0, word.length - end.length).replaceAll(/[01345789@$!|+]/g, (sign) => LEET[sign] ?? sign) + end;
}

const KEY_WORDS =
  "ignore disregard forget override previous instructions instruction prompt system reveal bypass restrictions".split(
    " ",
  );
const MIXED = new Map(KEY_WORDS.map((word) => [mixOf(word), word]));
const LONG_WORD = /[a-z]{6,12}/g;

/** Words whose inner letters are mixed up ("ignroe"): readers and models read them all the same. */
export function unscrambled(prose: string): string {
  return prose.replaceAll(LONG_WORD, (word) => MIXED.get(mixOf(word)) ?? word);
}

/** The same for words that differ in the order of their inner letters only. */
function mixOf(word: string): string {
  return word.charAt(0) + word.slice(1, -1).split("").sort().join("") + word.slice(-1);
}

const LETTER_BY_LETTER = /(?<![\p{L}\d])(?:[a-z][ .,_*|/-]{1,3}){5,}[a-z](?![\p{L}\d])(?:\.(?= ))?/gu;

/** Words written letter by letter ("i g n o r e"), each run without its blanks. Empty when there are none. */
export function spelledOut(prose: string): string {
  return (prose.match(LETTER_BY_LETTER) ?? []).map(joined).join(" ");
}

/** The text with its words of single letters joined. */
export function withoutGaps(prose: string): string {
  return prose.replaceAll(LETTER_BY_LETTER, joined);
}

function joined(run: string): string {
  return run.replaceAll(/[^a-z]/g, "");
}

/** The letters moved by 13, when the text has a word that only such a text has. */
export function rotated(prose: string): string | undefined {
  if (!/\b(?:vtaber|vafgehpgvba|cebzcg|sbetrg|qvfertneq|erirny|cerivbhf)/.test(prose)) return undefined;
  return prose.replaceAll(/[a-z]/g, (letter) => String.fromCharCode(((letter.charCodeAt(0) - 97 + 13) % 26) + 97));
}

/** The text backwards, when it has a word that only such a text has. */
export function reversed(prose: string): string | undefined {
  if (!/(?:snoitcurtsni|suoiverp|erongi|tpmorp|drager|terces|teg ?rof)\b/.test(prose)) return undefined;
  return prose.split("").reverse().join("");
}
