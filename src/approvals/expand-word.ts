import type { Script, Word, WordPart } from "#src/lib/shell/script";
import { expandBraces } from "./expand-braces";
import { type Variables, expandParameter } from "./expand-parameter";
import { HOME, UNKNOWN } from "./markers";

/** What words are expanded with. */
export interface Expansion {
  readonly variables: Variables;
  readonly cwd: () => string | undefined;
  /** What `$(...)` prints. */
  readonly substitute: (script: Script) => string;
  /** The name of the file that `<(...)` or `>(...)` stands for. */
  readonly openProcess: (script: Script, direction: "<" | ">") => string;
}

interface Fields {
  readonly done: string[];
  /** The field that is being put together; absent between fields. */
  open: string | undefined;
}

const MAX_FIELDS = 4096;
const MAX_CHARS = 131_072;

/** The fields that words become, as a program receives them. File patterns stay as they are. */
export function expandWords(words: readonly Word[], expansion: Expansion): readonly string[] {
  const fields: string[] = [];
  for (const word of words) {
    for (const field of expandWord(word, expansion)) fields.push(field);
    if (fields.length > MAX_FIELDS * 8) break;
  }
  return fields;
}

/** The fields of one word: none for an empty variable, several where it is split. */
export function expandWord(word: Word, expansion: Expansion): readonly string[] {
  const only = word.parts.length === 1 ? word.parts[0] : undefined;
  if (only?.type === "text" && (only.isQuoted || !/[{~]/.test(only.text))) return [only.text];
  return expandBraces(word.parts).flatMap((parts) => expandParts(parts, expansion));
}

/** A word as one text, where a shell does not split it: an assignment, a here-document. */
export function expandText(parts: readonly WordPart[], expansion: Expansion): string {
  return expandParts(parts, expansion, false).join(" ");
}

function expandParts(parts: readonly WordPart[], expansion: Expansion, isSplit = true): readonly string[] {
  const fields: Fields = { done: [], open: undefined };
  parts.forEach((part, at) => {
    if (part.type !== "text") addPart(part, fields, expansion, isSplit);
    else append(fields, at === 0 && !part.isQuoted ? expandTilde(part.text, expansion, parts.length === 1) : part.text);
  });
  if (fields.open !== undefined) fields.done.push(fields.open);
  return fields.done;
}

function addPart(
  part: Exclude<WordPart, { type: "text" }>,
  fields: Fields,
  expansion: Expansion,
  isSplit: boolean,
): void {
  if (part.type === "process") append(fields, expansion.openProcess(part.script, part.direction));
  else if (part.type === "arithmetic") append(fields, expandArithmetic(part.parts, expansion));
  else if (part.type === "command")
    addValues(fields, [expansion.substitute(part.script)], part.isQuoted || !isSplit, expansion);
  else {
    const values = expandParameter(part, expansion.variables, () => expandText(part.operand, expansion));
    const isWhole = part.name === "*" || part.index === "*";
    addValues(fields, part.isQuoted && isWhole ? [values.join(" ")] : values, part.isQuoted || !isSplit, expansion);
  }
}

/** What it contains is run all the same; the number is known when it stands there. */
function expandArithmetic(parts: readonly WordPart[], expansion: Expansion): string {
  const text = expandText(parts, expansion).trim();
  return /^\d{1,15}$/.test(text) ? text : UNKNOWN;
}

/** Adds values to the open field; each but the first begins a new one. Unquoted ones are split. */
function addValues(fields: Fields, values: readonly string[], isQuoted: boolean, expansion: Expansion): void {
  values.forEach((value, at) => {
    if (at > 0) close(fields);
    if (isQuoted) append(fields, value);
    else addSplit(fields, value, expansion);
  });
  // `"$@"` of nothing is no field at all, but a quoted variable is one
  if (isQuoted && values.length > 0) fields.open ??= "";
}

function addSplit(fields: Fields, value: string, { variables }: Expansion): void {
  const separators = variables.read("IFS")?.[0] ?? " \t\n";
  const pieces = splitFields(value, separators);
  pieces.forEach((piece, at) => {
    if (at > 0) close(fields);
    if (piece !== "") append(fields, piece);
  });
}

function splitFields(value: string, separators: string): readonly string[] {
  if (separators === " \t\n") return value.split(/[ \t\n]+/);
  const set = separators.replaceAll(/[\\\]^-]/g, "\\$&");
  return set === "" ? [value] : value.split(new RegExp(`[${set}]+`, "u"));
}

function append(fields: Fields, text: string): void {
  const open = (fields.open ?? "") + text;
  fields.open = open.length > MAX_CHARS ? open.slice(0, MAX_CHARS) + UNKNOWN : open;
}

function close(fields: Fields): void {
  if (fields.open !== undefined && fields.done.length < MAX_FIELDS) fields.done.push(fields.open);
  fields.open = undefined;
}

/** `~` is home, unless it is quoted or something quoted follows at once. */
function expandTilde(text: string, { cwd }: Expansion, isAlone: boolean): string {
  if (!text.startsWith("~")) return text;
  const [, name = "", rest = ""] = /^~([^/]*)(.*)$/s.exec(text) ?? [];
  if (rest === "" && !isAlone && name !== "") return text;
  if (name === "") return HOME + rest;
  if (name === "+") return (cwd() ?? UNKNOWN) + rest;
  if (name === "-") return UNKNOWN + rest;
  if (!/^[a-z_][a-z0-9_-]*$/i.test(name)) return text;
  return (name === "root" ? "/root" : `/home/${name}`) + rest;
}
