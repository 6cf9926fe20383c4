import { isLiteral, isNamePath } from "./literal-value";
import { looksRandom } from "./looks-random";
import { HIDDEN } from "./mask";
import { secrecyOf } from "./secret-names";
import type { Span } from "./span";

const OPTION =
  /(?<![\w-])(--[a-z][\w-]{0,40}|-{1,2}(?:pass|pw|token|secret|apikey|storepass|keypass))[ \t]{1,4}(["']?)([^\s"'`<>|;&-][^\s"'`<>|;&]{2,512})\2/g;
// options that only mean a password behind their program, which stands before them on the line
const USER_OPTION = /\s(?:-u|--user)[ \t=]{0,2}["']?([^\s:"'`]{1,128}):([^\s"'`]{3,256})/g;
const USER_PROGRAM = /\b(?:curl|http|wget|xh)\b[^\n]*$/;
const SHORT_OPTION = /\s-[pPa] ?(?=\S{0,128}[\d!@#$%^*])([^\s"'`-][^\s"'`]{3,128})/g;
const SHORT_PROGRAM = /\b(?:mysql\w*|mariadb\w*|sshpass|7z|zip|redis-cli)\b[^\n|;&]*$/;
const PROGRAM_CHARS = 240;
const SAID =
  /\b((?:pass(?:word|phrase|code|wd)|pwd|pass|(?:api|access|auth|secret|bearer|private)[ -]?(?:key|token)|token|secret)s?)(?:(?: for [\w.@-]{1,40})? (?:is|was|are|to|=|ist|est|es)[: ]{1,2}| for [\w.@-]{1,40}: )["'`“]?([^\s"'`”<>,;]{6,256})/gi;
// Source: https://www.gnu.org/software/inetutils/manual/html_node/The-_002enetrc-file.html
const NETRC = /\blogin[ \t]{1,8}[^\s]{1,256}[ \t]{1,8}password[ \t]{1,8}([^\s"'`<>]{3,256})/g;
const SET =
  /(?:^|[\n;&|])[ \t]{0,16}(?:ENV|ARG|setenv|setx|npm config set|git config(?: --[a-z]{3,10})?|aws configure set)[ \t]{1,4}([\w./:@-]{2,120})[ \t]{1,4}(["']?)([^\s"'`<>|;&]{3,512})\2/g;
const SQL =
  /\b(?:with password|set password(?: for [^\s=]{1,80})?|identified (?:with [\w']{1,40} )?by)(?: =)? '([^'\n]{3,256})'/gi;
// both arguments of a call: a name, and the value that it gets
const ARGUMENTS = /\(["']([\w.-]{2,80})["'],[ \t]{0,4}(["'])([^"'\s]{6,1024})\2\)/g;
const ELEMENT = /<([A-Za-z][\w.:-]{0,60})(?:\s[^<>]{0,200})?>([^<>\n]{3,1024})<\/\1>/g;
const NAME_VALUE =
  /(["']?)(?:name|key|Key|Name)\1[ \t]{0,4}[:=][ \t]{0,4}["']?([\w.-]{2,80})["']?[\s,]{1,40}(["']?)(?:value|Value)\3[ \t]{0,4}[:=][ \t]{0,4}(["']?)([^\s"'`<>,}]{3,1024})\4/g;

/** Secrets that are named otherwise than by a sign: options of commands, "the password is", XML, name and value pairs. */
export function findSpoken(text: string): readonly Span[] {
  if (!/pass|pwd|secret|token|key|auth|cred|curl|mysql|mariadb|redis-cli|identified|zip|7z/i.test(text)) return [];
  return [
    ...[...text.matchAll(OPTION)].flatMap((match) =>
      named(match, match[1] ?? "", match[3] ?? "", (match[2] ?? "").length),
    ),
    ...[...text.matchAll(USER_OPTION)]
      .filter(({ index }) => USER_PROGRAM.test(text.slice(Math.max(0, index - PROGRAM_CHARS), index)))
      .flatMap((match) => plain(match, match[2] ?? "", 0)),
    ...[...text.matchAll(SHORT_OPTION)]
      .filter(({ index }) => SHORT_PROGRAM.test(text.slice(Math.max(0, index - PROGRAM_CHARS), index)))
      .flatMap((match) => plain(match, match[1] ?? "", 0)),
    ...[...text.matchAll(NETRC)].flatMap((match) => plain(match, match[1] ?? "", 0)),
    ...[...text.matchAll(SET)].flatMap((match) =>
      named(match, match[1] ?? "", match[3] ?? "", (match[2] ?? "").length),
    ),
    ...[...text.matchAll(SQL)].flatMap((match) => plain(match, match[1] ?? "", 1)),
    ...[...text.matchAll(ARGUMENTS)].flatMap(given),
    ...[...text.matchAll(SAID)].flatMap(said),
    ...(text.includes("</")
      ? [...text.matchAll(ELEMENT)].flatMap((match) =>
          named(match, match[1] ?? "", match[2] ?? "", (match[1] ?? "").length + 3),
        )
      : []),
    ...[...text.matchAll(NAME_VALUE)].flatMap((match) =>
      named(match, match[2] ?? "", match[5] ?? "", (match[4] ?? "").length),
    ),
  ];
}

function named(match: RegExpExecArray, name: string, value: string, behind: number): Span[] {
  const secrecy = secrecyOf(name);
  if (secrecy === "none" || (secrecy === "random" && !looksRandom(value))) return [];
  if (secrecy === "secret" && !looksRandom(value) && !/\d/.test(value)) return [];
  if (/^[\d.]{1,6}$/.test(value)) return [];
  return plain(match, value, behind);
}

function plain(match: RegExpExecArray, value: string, behind: number): Span[] {
  if (!isLiteral(value)) return [];
  const end = match.index + match[0].length - behind;
  return [{ start: end - value.length, end, replacement: HIDDEN }];
}

/** Beside a name may stand another name, or how it is written. */
function given(match: RegExpExecArray): Span[] {
  const [, name = "", , value = ""] = match;
  const isGiven = looksRandom(value) || (/\d/.test(value) && !TECHNICAL.test(value) && secrecyOf(value) === "none");
  return isGiven ? named(match, name, value, 2) : [];
}

const TECHNICAL =
  /^(?:(?:sha|md|base|utf|aes|rsa|hs|rs|es|argon|pbkdf|oauth|ed|v|http|bcrypt|scrypt|ascii|hmac)-?_?\d[\w-]*|[\d.]+\w{0,8}|\w+\(\)?.*)$/i;

/** In a sentence only what no sentence holds: letters and digits mixed; behind "to" stands more than passwords. */
function said(match: RegExpExecArray): Span[] {
  const value = (match[2] ?? "").replace(/[.!?:]+$/, "");
  const isMixed = !/ to[: ]/i.test(match[0]) && /\d/.test(value) && /[A-Za-z]/.test(value) && !TECHNICAL.test(value);
  if ((!isMixed && !looksRandom(value)) || isNamePath(value)) return [];
  return plain(match, value, (match[2] ?? "").length - value.length);
}
