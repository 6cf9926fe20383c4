import { isLiteral, isNamePath } from "./literal-value";
import { looksRandom } from "./looks-random";
import { HIDDEN } from "./mask";
import { type Secrecy, createNameJudge, secrecyOf } from "./secret-names";
import type { Span } from "./span";

const SCHEMES =
  "(?:bearer|basic|token|digest|apikey|api-key|bot|ssws|key|negotiate|splunk|oauth|genie[kK]ey|pre-shared|hmac|dpop)";
const AUTHORIZATION = new RegExp(
  `\\b((?:proxy-|x-)?authorization)\\\\{0,4}["']?[ \\t]{0,4}(?:[:=]|(?<=["'][ \\t]{0,4}),)[ \\t]{0,4}\\\\{0,4}["']?(${SCHEMES}[ \\t]{1,4})?([^\\s"'\`,;\\\\<>(){}]{6,})`,
  "gi",
);
// what proves the password to the server. Source: https://www.rfc-editor.org/rfc/rfc7616
const DIGEST_RESPONSE = /\bresponse=\\{0,4}["']?([0-9A-Za-z]{16,128})/gi;
const DIGEST_CHARS = 800;
const SCHEME_ALONE = /\b(?:bearer|basic|ssws)[ \t]{1,4}([A-Za-z0-9_\-.~+/=]{16,})/gi;
const NAMED =
  /(?<![\w-])(x-[\w-]{0,40}(?:key|token|secret|signature|auth)[\w-]{0,20}|api-key|private-token|cf-access-client-secret|ocp-apim-subscription-key|[\w-]{1,30}-api-key)["']?[ \t]{0,4}:[ \t]{0,4}["']?([^\s"'`,;\\<>(){}]{6,})/gi;
const COOKIES = /\b(set-)?cookie["']?[ \t]{0,4}:[ \t]{0,4}["']?([^\n"']{3,8192})/gi;
const PAIR = /([\w.$-]{1,80})=([^;\s,]{1,8192})/g;
const ATTRIBUTES = new Set(["path", "domain", "expires", "max-age", "samesite", "priority", "version"]);

/** Credentials in HTTP headers, as a request, a command line or a program writes them. In code only random ones. */
export function findHeaders(text: string, isCode: boolean): readonly Span[] {
  if (!/auth|bearer|basic|ssws|token|key|secret|cookie|signature/i.test(text)) return [];
  const accepts = isCode ? looksRandom : looksSent;
  return [
    ...[...text.matchAll(AUTHORIZATION)].flatMap((match) => spanOf(match, match[3] ?? "", accepts)),
    ...[...text.matchAll(DIGEST_RESPONSE)]
      .filter(({ index }) => /\bdigest /i.test(text.slice(Math.max(0, index - DIGEST_CHARS), index)))
      .flatMap((match) => spanOf(match, match[1] ?? "", looksRandom)),
    ...[...text.matchAll(SCHEME_ALONE)].flatMap((match) => spanOf(match, match[1] ?? "", looksRandom)),
    ...[...text.matchAll(NAMED)].flatMap((match) => spanOf(match, match[2] ?? "", accepts)),
    ...cookieSpans(text),
  ];
}

/** What a header carries is no word, and no name of a header. */
function looksSent(value: string): boolean {
  return value.length >= 8 && !/^\w+=$|^[A-Z]?[a-z]+(?:[-_][A-Z]?[a-z]+)*$/.test(value) && !isVariable(value);
}

/** `authorization: authHeader`: a program's name for it. */
function isVariable(value: string): boolean {
  return isNamePath(value) || (/^[a-z_$][A-Za-z_$]*$/.test(value) && !looksRandom(value));
}

function spanOf(match: RegExpExecArray, value: string, accepts: (value: string) => boolean): Span[] {
  if (!accepts(value) || !isLiteral(value)) return [];
  const end = match.index + match[0].length;
  return [{ start: end - value.length, end, replacement: HIDDEN }];
}

function cookieSpans(text: string): Span[] {
  const judge = createNameJudge(secrecyOf);
  return [...text.matchAll(COOKIES)].flatMap((match) => {
    const list = match[2] ?? "";
    const from = match.index + match[0].length - list.length;
    return [...list.matchAll(PAIR)].flatMap((pair) => {
      const [whole, name = "", value = ""] = pair;
      if (!isSecretCookie(name, value, judge(name))) return [];
      const end = from + pair.index + whole.length;
      return [{ start: end - value.length, end, replacement: HIDDEN }];
    });
  });
}

function isSecretCookie(name: string, value: string, secrecy: Secrecy): boolean {
  if (value.length < 6 || ATTRIBUTES.has(name.toLowerCase())) return false;
  return (secrecy !== "none" || looksRandom(value)) && isLiteral(value);
}
