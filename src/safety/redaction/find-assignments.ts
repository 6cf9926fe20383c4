import { isLiteral, isNamePath } from "./literal-value";
import { looksRandom } from "./looks-random";
import { HIDDEN } from "./mask";
import { type Value, createValueReader } from "./read-value";
import { type Secrecy, createNameJudge, secrecyOf } from "./secret-names";
import type { Span } from "./span";

const WORTH =
  /pass|pwd|secret|token|key|auth|cred|cookie|session|\bsid\b|sign|\bsig\b|pw\b|psk|jwt|salt|hash|code|pat\b|dsn|otp|seed|bearer|webhook|mnemonic|hmac|senha|csrf|xsrf/i;
// a name, perhaps quoted; "=", ":", ":=", "=>"; each part bounded by its neighbours' letters
const FIELD =
  /(?<![\w.?&#%-])(--?)?([A-Za-z_][\w.-]{0,80})(\\{0,4}["'`])?(\]?[ \t]{0,8})(=>|:=|==?|:)([ \t]{0,8})(?!\/\/)/g;
const JUDGED_CHARS = 256;
const MIN_SECRET_CHARS = 4;
/** Fewer than these, all of them signs, are what stands between two quotes. */
const MIN_SIGNS = 6;
// the name of a thing, as programs have it: "gitlab_token"
const NAME_OF_THING = /^(?:[a-z]{2,}[_-][a-z]{2,}|[a-z]{2,}(?:[/-][A-Za-z]{2,})*\/[A-Za-z]{2,}|[A-Z]+(?:_[A-Z\d]+)+)$/;
const HEADER_NAME = /^(?:[A-Z][A-Za-z]*-)+[A-Z][A-Za-z]*$/;
const NAMED_LIKE_IT = /^(?:[A-Za-z]+_)+(?:token|secret|password|api_?key)s?$|^(?:token|secret)s?$/i;
// what no one puts before or behind a value without quotes but a programmer
const DECLARED =
  /\b(?:const|let|var|val|type|final|static|readonly|public|private|return|auto|string|def|fn|if|and|or|not) $/i;
const CONTINUED =
  /^(?:[([{<]|[ \t]{0,4}(?:\|\||&&|[+?*]|===?|!==?|=>|=[ \t]|\|[ \t]+(?:undefined|null|[A-Z"'])|\.\w+\())/;
// behind a value in quotes: a test, or one of several that a type allows
const COMPARED = /^["'`][ \t]{1,4}(?:in[ \t]|[!=]==?[ \t]|\|[ \t]+["'])/;

// the quote ended a text that ends with the sign: f("Password: ", text)
const CLOSED = /^[ \t]*(?:[,)\]};]|[+.|&%] )/;

// words of names whose values in an environment are secret whatever they look like
const DUMP_NAMES =
  /(?:^|_|api|access|secret|private)keys?(?:_|\d|$)|token|secret|(?:^|_)pass(?:_|\d|$)|passw|passphrase|pwd|cred|dsn/i;

/** How strictly fields are read. */
export interface AssignmentPolicy {
  /** An environment that was printed: every value of a name with a secret's word goes, numbers too. */
  readonly isDump?: boolean;
  /** Only values that look random. */
  readonly isRandomOnly?: boolean;
}

interface Field {
  readonly name: string;
  readonly isQuoted: boolean;
  readonly sign: string;
  /** Blanks before the sign and behind it, which a masked field loses. */
  readonly spaces: readonly [string, string];
  readonly signAt: number;
  /** It stands in a program, where a secret has quotes. */
  readonly isCode: boolean;
  /** A semicolon ends it. */
  readonly isStatement: boolean;
}

/** Values of fields whose names say that they are secret: assignments, JSON, YAML, form bodies, connection strings. */
export function findAssignments(text: string, policy: AssignmentPolicy): readonly Span[] {
  if (!WORTH.test(text)) return [];
  const spans: Span[] = [];
  const values = createValueReader(text);
  const judge = createNameJudge(policy.isDump === true ? dumpSecrecy : secrecyOf);
  let done = 0;
  for (const match of text.matchAll(FIELD)) {
    if (match.index < done) continue;
    const [, , name = "", closing = "", before = "", sign = "", after = ""] = match;
    const secrecy = judge(name);
    if (secrecy === "none") continue;
    const signAt = match.index + match[0].length - after.length - sign.length;
    const spaces = [before.replace("]", ""), after] as const;
    const from = match.index + match[0].length;
    const isLine = isWholeLine(text, match.index, sign, from);
    const value = values.read(from, isLine);
    if (value === undefined) continue;
    const isCode = sign === "==" || isInCode(text, match.index, value);
    const isStatement = text[value.start + value.text.length] === ";";
    const field = { name, isQuoted: closing !== "", sign, spaces, signAt, isCode, isStatement };
    const isFound = isSecret(field, value, secrecy, policy);
    if (isFound) spans.push(spanOf(field, value));
    // a run of letters that is longer than any list of fields is read once
    const isRun = !isLine && value.quote === "" && value.text.length > JUDGED_CHARS;
    if (isFound || isRun) done = value.start + value.text.length;
  }
  return spans;
}

function dumpSecrecy(name: string): Secrecy {
  if (DUMP_NAMES.test(name)) return "password";
  const secrecy = secrecyOf(name);
  if (secrecy === "secret") return "password";
  return secrecy === "none" && /key|auth|cookie|session|pass/i.test(name) ? "random" : secrecy;
}

/** A line of an environment file is one field: its value may hold what ends values elsewhere. */
function isWholeLine(text: string, start: number, sign: string, from: number): boolean {
  return sign === "=" && isLineStart(text, start) && !/&[\w.-]+=/.test(text.slice(from, from + 400));
}

function isInCode(text: string, start: number, value: Value): boolean {
  const end = value.start + value.text.length;
  if (value.quote !== "") return CLOSED.test(value.text.slice(0, 20)) || COMPARED.test(text.slice(end, end + 20));
  return DECLARED.test(text.slice(Math.max(0, start - 10), start)) || CONTINUED.test(text.slice(end, end + 20));
}

function isLineStart(text: string, index: number): boolean {
  const before = text.slice(Math.max(0, index - 40), index);
  return /(?:^|\n)[ \t]*(?:export |set |declare -x |setx |[+-] ?|- )?$/.test(before);
}

function isSecret(field: Field, value: Value, secrecy: Secrecy, policy: AssignmentPolicy): boolean {
  const text = withoutClosing(value).slice(0, JUDGED_CHARS);
  if (text.length < MIN_SIGNS && !/[\p{L}\p{N}]/u.test(text)) return false;
  // a command's output
  if (value.quote === "`" && text.includes(" ") && !looksRandom(text)) return false;
  if (!isLiteral(text) || isNameOf(text, field.name)) return false;
  if (value.quote === "" && isReference(text, field, secrecy)) return false;
  if (value.quote !== "" && field.isCode) return false;
  if (looksRandom(text)) return !isDescription(text, secrecy);
  if (policy.isDump === true && secrecy === "random") return /\d/.test(text) && /^[^/:]*[A-Za-z][^/:]*$/.test(text);
  if (policy.isRandomOnly === true || secrecy === "random") return false;
  if (policy.isDump === true) return true;
  if (/^[-+]?[\d.,_]+$/.test(text)) return secrecy === "password" && /pass\w|pwd/i.test(field.name) && text.length >= 4;
  if (secrecy === "secret" && (text.length < MIN_SECRET_CHARS || NAME_OF_THING.test(text) || HEADER_NAME.test(text)))
    return false;
  if (value.quote !== "") return !isSentence(text, secrecy);
  if (field.isCode || text.startsWith("[") || NAMED_LIKE_IT.test(text)) return false;
  return field.sign === "=" || isPasswordLike(text, secrecy);
}

/** `f(token=token)` at the end of a line: the bracket is the call's. */
function withoutClosing({ text, quote }: Value): string {
  return quote === "" ? text.replace(/(?<=^[\w.]{0,80})[)\]};,]{1,4}$/, "") : text;
}

/** A variable of a program: a path of names, or a name in a statement. */
function isReference(text: string, field: Field, secrecy: Secrecy): boolean {
  const isSpaced = field.spaces[1] !== "";
  if (isNamePath(text)) return isSpaced || field.isCode || (secrecy !== "password" && !/\d/.test(text));
  const isInProgram = field.isCode || (isSpaced && (field.isStatement || /^(?:self|this)\./.test(field.name)));
  return isInProgram && /^[A-Za-z_$]+(?:\.[A-Za-z_$]+)*(?:[$_]\d{1,2})?$/.test(text);
}

/** `"token": "Enter your token"`: what a person reads about it. A password may be several words. */
function isSentence(text: string, secrecy: Secrecy): boolean {
  return /[A-Za-z] [A-Za-z]/.test(text) && (secrecy === "secret" || /pass(?:word|phrase)/i.test(text));
}

/** `Key: "clip_35sec.mp4"`, `license: "BSD-2-Clause or MIT"`: where a thing is kept or what it is, not what opens it. */
function isDescription(text: string, secrecy: Secrecy): boolean {
  return secrecy === "random" && (/^[\w -]{1,80}\.[a-z][a-z\d]{1,4}$/.test(text) || /[a-z] [a-z]/i.test(text));
}

/** In `name: value` without quotes a value may be a sentence: it must have what words have not. */
function isPasswordLike(text: string, secrecy: Secrecy): boolean {
  if (text.length < 6) return false;
  const hasBoth = /\d/.test(text) && /[A-Za-z]/.test(text);
  return hasBoth || (secrecy === "password" && /[^\w.,:;'()/-]/.test(text));
}

/** `token: token`, `password=my_password`: code that hands a variable on. */
function isNameOf(value: string, name: string): boolean {
  const last = name.slice(name.lastIndexOf(".") + 1).replace(/^_+/, "");
  return value.toLowerCase() === last.toLowerCase();
}

/** A masked field is written in one way: `NAME=***`, `"name": "***"`. */
function spanOf(field: Field, value: Value): Span {
  const end = value.start + value.text.length;
  if (field.sign === "=" && field.spaces.some((space) => space !== "")) {
    const kept = value.start - field.signAt - field.sign.length - (field.spaces[1]?.length ?? 0);
    const opening = kept > 0 ? value.quote : "";
    return { start: field.signAt - (field.spaces[0]?.length ?? 0), end, replacement: `=${opening}${HIDDEN}` };
  }
  if (field.sign === ":" && field.isQuoted && value.quote === '"') {
    return { start: field.signAt, end, replacement: `: ${value.quote}${HIDDEN}` };
  }
  return { start: value.start, end, replacement: HIDDEN };
}
