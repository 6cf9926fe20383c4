import { isLiteral } from "./literal-value";
import { looksRandom } from "./looks-random";
import { HIDDEN } from "./mask";
import { secrecyOf } from "./secret-names";
import type { Span } from "./span";

const SCHEMES =
  "(?:bearer|basic|token|digest|apikey|api-key|bot|ssws|key|negotiate|splunk|oauth|genie[kK]ey|pre-shared|hmac|dpop)";
const AUTHORIZATION = new RegExp(
  `\\b((?:proxy-|x-)?authorization)\\\\{0,4}["']?[ \\t]{0,4}[:=,][ \\t]{0,4}\\\\{0,4}["']?(${SCHEMES}[ \\t]{1,4})?([^\\s"'\`,;\\\\<>(){}]{6,})`,
  "gi",
);
// RFC 7616: what proves the password to the server
const DIGEST = /\bdigest [^\n]{0,800}?\bresponse=\\{0,4}["']?([0-9A-Za-z]{16,128})/gi;
const SCHEME_ALONE = /\b(?:bearer|basic|ssws)[ \t]{1,4}([A-Za-z0-9_\-.~+/=]{16,})/gi;
const NAMED =
  /(?<![\w-])(x-[\w-]{0,40}(?:key|token|secret|signature|auth)[\w-]{0,20}|api-?key|apikey|private-token|cf-access-client-secret|ocp-apim-subscription-key|[\w-]{1,30}-api-key)["']?[ \t]{0,4}:[ \t]{0,4}["']?([^\s"'`,;\\<>(){}]{6,})/gi;
const COOKIES = /\b(set-)?cookie["']?[ \t]{0,4}:[ \t]{0,4}["']?([^\n"']{3,8192})/gi;
const PAIR = /([\w.$-]{1,80})=([^;\s,]{1,8192})/g;
const ATTRIBUTES = new Set(["path", "domain", "expires", "max-age", "samesite", "priority", "version"]);

/** Credentials in HTTP headers, as a request, a command line or a program writes them. In code only random ones. */
export function findHeaders(text: string, isCode: boolean): readonly Span[] {
  if (!/auth|bearer|basic|ssws|token|key|secret|cookie|signature/i.test(text)) return [];
  const accepts = isCode ? looksRandom : looksSent;
  return [
    ...[...text.matchAll(AUTHORIZATION)].flatMap((match) => spanOf(match, match[3] ?? "", accepts)),
    ...[...text.matchAll(DIGEST)].flatMap((match) => spanOf(match, match[1] ?? "", looksRandom)),
    ...[...text.matchAll(SCHEME_ALONE)].flatMap((match) => spanOf(match, match[1] ?? "", looksRandom)),
    ...[...text.matchAll(NAMED)].flatMap((match) => spanOf(match, match[2] ?? "", accepts)),
    ...[...text.matchAll(COOKIES)].flatMap(cookieSpans),
  ];
}

/** What a header carries is no lower-case word. */
function looksSent(value: string): boolean {
  return value.length >= 8 && !/^\w+=$|^[a-z]+(?:[-_][a-z]+)*$/.test(value);
}

function spanOf(match: RegExpExecArray, value: string, accepts: (value: string) => boolean): Span[] {
  if (!isLiteral(value) || !accepts(value)) return [];
  const end = match.index + match[0].length;
  return [{ start: end - value.length, end, replacement: HIDDEN }];
}

function cookieSpans(match: RegExpExecArray): Span[] {
  const list = match[2] ?? "";
  const from = match.index + match[0].length - list.length;
  return [...list.matchAll(PAIR)].flatMap((pair) => {
    const [, name = "", value = ""] = pair;
    const isSecret = looksRandom(value) || (secrecyOf(name) !== "none" && value.length >= 6);
    if (ATTRIBUTES.has(name.toLowerCase()) || !isSecret || !isLiteral(value)) return [];
    const end = from + pair.index + pair[0].length;
    return [{ start: end - value.length, end, replacement: HIDDEN }];
  });
}
