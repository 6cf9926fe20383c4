import { decodeAnsiC, decodeEchoEscapes } from "#src/lib/shell/ansi-c-quoting";
import { decodeUtf8, fromBase64, fromHex } from "#src/lib/encoding";
import { type Call, hasFlag, optionsOf, valuesOf } from "./call";
import { foundBy } from "./carried";
import { DECODED, PRODUCED, UNKNOWN, isKnown, originsOf } from "./markers";

/** Longest text that is followed through a command line. */
const MAX_CHARS = 65_536;

type Printer = (call: Call) => string | undefined;

/**
 * What a call prints, for programs that do nothing but print or change text: this is how commands are hidden. Undefined
 * for all others.
 */
export function printedText(call: Call): string | undefined {
  const text = Object.hasOwn(PRINTERS, call.program) ? PRINTERS[call.program]?.(call) : undefined;
  return text !== undefined && text.length > MAX_CHARS ? text.slice(0, MAX_CHARS) + UNKNOWN : text;
}

/** A decoder of text: known when its input is. */
function decoder(decode: (text: string) => string | undefined): Printer {
  return ({ stdin }) => {
    const text = knownText(stdin);
    const decoded = text === undefined || text === "" ? undefined : decode(text);
    return decoded === undefined ? DECODED + originsOf(stdin) : decoded + WAS_CHANGED;
  };
}

/** Stands behind a text that was known, but was put together anew: nothing that a shell would run. */
const WAS_CHANGED = `\n${DECODED}`;

/** The text that a program reads, when all of it is known. */
function knownText(stdin: string): string | undefined {
  const text = withoutChange(stdin);
  return isKnown(text) ? text : undefined;
}

/** A text without the mark that it was put together anew. */
export function withoutChange(text: string): string {
  return text.endsWith(WAS_CHANGED) ? text.slice(0, -WAS_CHANGED.length) : text;
}

const PRINTERS: Readonly<Record<string, Printer>> = {
  echo: printEcho,
  printf: printFormat,
  which: printLocated,
  whence: printLocated,
  command: ({ args }) => (args[0] === "-v" ? args.slice(1).join("\n") : undefined),
  type: ({ args }) => (/^-[pP]$/.test(args[0] ?? "") ? args.slice(1).join("\n") : undefined),
  find: printFound,
  print: ({ args }) => `${args.join(" ")}\n`,
  "write-output": ({ args }) => `${args.join(" ")}\n`,
  base64: decodeWhen(["-d", "-D", "--decode"], decodeBase64),
  base32: decodeWhen(["-d", "-D", "--decode"], () => undefined),
  base58: decodeWhen(["-d"], () => undefined),
  basenc: decodeWhen(["-d", "--decode"], decodeBase64),
  uudecode: () => DECODED,
  xxd: decodeWhen(["-r"], decodeHex),
  openssl: printOpenssl,
  gpg: ({ args }) => (args.some((arg) => /^(?:-d|--decrypt)$/.test(arg)) ? DECODED : undefined),
  age: decodeWhen(["-d", "--decrypt"], () => undefined),
  zcat: () => DECODED,
  gunzip: decoder(() => undefined),
  unxz: decoder(() => undefined),
  bunzip2: decoder(() => undefined),
  gzip: decodeWhen(["-d", "--decompress"], () => undefined),
  bzip2: decodeWhen(["-d", "--decompress"], () => undefined),
  xz: decodeWhen(["-d", "--decompress"], () => undefined),
  zstd: decodeWhen(["-d", "--decompress"], () => undefined),
  tr: printTranslated,
  rev: decoder((text) =>
    text
      .split("\n")
      .map((line) => Array.from(line).reverse().join(""))
      .join("\n"),
  ),
  tac: decoder((text) => text.trimEnd().split("\n").reverse().join("\n")),
  tee: ({ stdin }) => stdin,
  sed: printSubstituted,
  cut: ({ stdin }) => transformed(stdin),
  awk: ({ stdin }) => transformed(stdin),
  head: printSame,
  tail: printSame,
  sort: printSame,
  uniq: printSame,
  pv: printSame,
  sponge: printSame,
  strings: printSame,
};

/** Programs are found where their names say. */
function printLocated(call: Call): string {
  return optionsOf(call).operands.join("\n");
}

/** The starting points come first, unless a search leaves them out. */
function printFound(call: Call): string {
  return `${foundBy(call).join("\n")}\n${UNKNOWN}${PRODUCED}`;
}

function decodeWhen(flags: readonly string[], decode: (text: string) => string | undefined): Printer {
  const decoded = decoder(decode);
  return (call) => (hasFlag(call, ...flags) ? decoded(call) : undefined);
}

function decodeBase64(text: string): string | undefined {
  const bytes = fromBase64(text.replaceAll(/\s/g, ""));
  return bytes === undefined ? undefined : decodeUtf8(bytes);
}

function decodeHex(text: string): string | undefined {
  const bytes = fromHex(text.replaceAll(/^[0-9a-f]+:|\s/gim, ""));
  return bytes === undefined ? undefined : decodeUtf8(bytes);
}

function printOpenssl(call: Call): string | undefined {
  if (!hasFlag(call, "-d")) return undefined;
  return hasFlag(call, "-base64", "-a", "-A") || call.args[0] === "base64" ? decoder(decodeBase64)(call) : DECODED;
}

function printEcho({ args }: Call): string {
  let at = 0;
  let isEscaped = false;
  let ends = "\n";
  for (; /^-[neE]+$/.test(args[at] ?? ""); at += 1) {
    const flags = args[at] ?? "";
    if (flags.includes("n")) ends = "";
    if (flags.includes("e")) isEscaped = true;
  }
  const text = args.slice(at).join(" ");
  return (isEscaped ? decodeEchoEscapes(text) : text) + ends;
}

/** `printf` with its directives filled in; the format is used again until there are no arguments left. */
function printFormat({ args }: Call): string {
  const given = args[0] === "--" ? args.slice(1) : args;
  const isVariable = given[0] === "-v";
  const [format = "", ...values] = isVariable ? given.slice(2) : given;
  let printed = "";
  let next = 0;
  do {
    const before = next;
    printed += fillFormat(format, () => values[next++] ?? "");
    if (next === before) break;
  } while (next < values.length && printed.length < MAX_CHARS);
  return printed;
}

const DIRECTIVE = /%%|%[-+ #0]*(?:\*|\d+)?(?:\.\d+)?([bcdiouxXeEfgGqs])/g;

function fillFormat(format: string, nextValue: () => string): string {
  return decodeEchoEscapes(format).replaceAll(DIRECTIVE, (_, kind: string | undefined) => {
    if (kind === undefined) return "%";
    const value = nextValue();
    if (kind === "b") return decodeEchoEscapes(value);
    if (kind === "c") return value.slice(0, 1);
    const number = Number(value);
    if (value === "" || Number.isNaN(number)) return value;
    if (kind === "x" || kind === "X") return number.toString(16);
    return kind === "o" ? number.toString(8) : value;
  });
}

/** What filters put out that leave their input as it is, or only leave something of it out. */
function printSame(call: Call): string | undefined {
  return optionsOf(call).operands.some((operand) => !/^[-+]?\d+$/.test(operand)) ? undefined : call.stdin;
}

/** Of a known text one that is put together anew; of anything else what it was. */
function transformed(stdin: string): string | undefined {
  if (stdin === "") return undefined;
  return knownText(stdin) === undefined ? UNKNOWN + PRODUCED + originsOf(stdin) : DECODED;
}

/** `tr` with two sets, or with one and `-d`. */
function printTranslated(call: Call): string | undefined {
  const text = knownText(call.stdin);
  const [from = "", to = ""] = optionsOf(call).operands.map((set) => expandSet(decodeAnsiC(set)));
  if (text === undefined) return UNKNOWN + originsOf(call.stdin) + (call.stdin.startsWith(UNKNOWN) ? DECODED : "");
  if (hasFlag(call, "-c", "-C")) return transformed(call.stdin);
  const translated = /\[:/.test(from + to)
    ? translateCase(text, from + to)
    : translate(call, text, Array.from(from), Array.from(to));
  return translated === undefined ? DECODED : translated + WAS_CHANGED;
}

function translate(call: Call, text: string, source: readonly string[], target: readonly string[]): string {
  if (hasFlag(call, "-d"))
    return Array.from(text)
      .filter((char) => !source.includes(char))
      .join("");
  if (hasFlag(call, "-s") && target.length === 0) return text;
  const table = new Map(source.map((char, at) => [char, target[at] ?? target.at(-1) ?? char]));
  return Array.from(text)
    .map((char) => table.get(char) ?? char)
    .join("");
}

function translateCase(text: string, sets: string): string | undefined {
  if (sets === "[:upper:][:lower:]") return text.toLowerCase();
  return sets === "[:lower:][:upper:]" ? text.toUpperCase() : undefined;
}

function expandSet(set: string): string {
  return set.replaceAll(/([^\\])-([^\\])/g, (_, first: string, last: string) => {
    const from = first.codePointAt(0) ?? 0;
    const length = Math.min((last.codePointAt(0) ?? 0) - from + 1, 256);
    return Array.from({ length: Math.max(0, length) }, (_, at) => String.fromCodePoint(from + at)).join("");
  });
}

/** `sed s/a/b/` with plain texts. */
function printSubstituted(call: Call): string | undefined {
  const text = knownText(call.stdin);
  if (text === undefined || text === "") return text === "" ? undefined : UNKNOWN + PRODUCED + originsOf(call.stdin);
  const script = [...valuesOf(call, "-e"), ...optionsOf(call).operands][0] ?? "";
  const [, separator, from, to, flags = ""] =
    /^s([/|,#@!:])((?:(?!\1).)*)\1((?:(?!\1).)*)\1([gI]*)$/.exec(script) ?? [];
  if (separator === undefined || from === undefined || to === undefined) return DECODED;
  if (/[\\.*[\]^$&]/.test(from + to)) return DECODED;
  return (flags.includes("g") ? text.replaceAll(from, () => to) : text.replace(from, () => to)) + WAS_CHANGED;
}
