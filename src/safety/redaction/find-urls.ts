import { isLiteral } from "./literal-value";
import { looksRandom } from "./looks-random";
import { type Secrecy, createNameJudge, secrecyOf } from "./secret-names";
import type { Span } from "./span";
import { HIDDEN } from "./mask";

// scheme, user and password; a password may hold what a careless person did not escape
const USER_INFO = /\b([a-z][a-z0-9+.-]{1,30}):\/\/([^\s:/?#@"'`<>]{0,256}):([^\s"'`<>/]{1,512})@(?=[\w.[{$%-])/gi;
const USER_ONLY = /\b[a-z][a-z0-9+.-]{1,30}:\/\/([^\s:/?#@"'`<>]{16,512})@(?=[\w.[-])/gi;
const PARAMETER = /[?&#;]([\w.~%[\]-]{1,80})=([^\s&#"'`<>)]{1,8192})/g;
const WEBHOOK =
  /\b(?:hooks\.slack\.com\/(?:services|workflows|triggers)\/|discord(?:app)?\.com\/api\/(?:v\d{1,2}\/)?webhooks\/\d{5,25}\/|[\w-]{1,63}\.webhook\.office\.com\/webhookb2\/|hooks\.zapier\.com\/hooks\/catch\/|outlook\.office\.com\/webhook\/|chat\.googleapis\.com\/v1\/spaces\/[^\s/]{1,40}\/messages\?|open\.(?:feishu\.cn|larksuite\.com)\/open-apis\/bot\/v2\/hook\/|maker\.ifttt\.com\/trigger\/[^\s/]{1,60}\/with\/key\/|hooks\/(?=[a-z0-9]{26}\b)|api\.telegram\.org\/(?:file\/)?bot)([^\s"'`<>?)]{12,400})/gi;
const STRICT_NAMES =
  /^(?:code|key|auth|signature|sig|session|sid|state|jwt|hash|x-amz-(?:signature|credential|security-token)|x-goog-signature|se?ignature|ticket|otp|invite|magic|access|id_token|sso|saml\w*|assertion|verifier|code_verifier|nonce)$/i;
const COMMON_PASSWORDS = /^(?:pass|password|passwd|secret|pwd|user|example|changeme|xxx+)$/i;

/** How URLs are read. */
export interface UrlPolicy {
  /** Text that leaves: codes and signatures of addresses go too. */
  readonly isStrict?: boolean;
  /** Source code, in which "user:password@" is an example. */
  readonly isCode?: boolean;
}

/** Credentials in URLs: user and password, a token as user, secret parameters, addresses that are secrets themselves. */
export function findUrls(text: string, policy: UrlPolicy): readonly Span[] {
  const hasScheme = text.includes("://");
  return [
    ...(hasScheme ? [...text.matchAll(USER_INFO)].flatMap((match) => passwordSpan(match, policy)) : []),
    ...(hasScheme ? [...text.matchAll(USER_ONLY)].flatMap(userSpan) : []),
    ...(policy.isCode === true ? [] : parameterSpans(text, policy)),
    ...(/hook|\/bot|\/messages\?|\/key\//i.test(text) ? [...text.matchAll(WEBHOOK)].flatMap(webhookSpan) : []),
  ];
}

function passwordSpan(match: RegExpExecArray, policy: UrlPolicy): Span[] {
  const [whole, , user = "", password = ""] = match;
  if (!isLiteral(password) || /^[:/]|\/\//.test(password) || /^\d{1,5}\//.test(password)) return [];
  if (policy.isCode === true && COMMON_PASSWORDS.test(password)) return [];
  const end = match.index + whole.length - 1;
  const spans = [{ start: end - password.length, end, replacement: HIDDEN }];
  const userAt = end - password.length - 1 - user.length;
  return looksRandom(user) && user.length >= 20
    ? [...spans, { start: userAt, end: userAt + user.length, replacement: HIDDEN }]
    : spans;
}

function userSpan(match: RegExpExecArray): Span[] {
  const user = match[1] ?? "";
  if (!looksRandom(user) || !isLiteral(user)) return [];
  const end = match.index + match[0].length - 1;
  return [{ start: end - user.length, end, replacement: HIDDEN }];
}

function parameterSpans(text: string, policy: UrlPolicy): Span[] {
  const judge = createNameJudge(secrecyOf);
  return [...text.matchAll(PARAMETER)].flatMap((match) => {
    const [whole, name = "", value = ""] = match;
    if (!isSecretParameter(name, value, judge(name), policy) || !isLiteral(value)) return [];
    const end = match.index + whole.length;
    return [{ start: end - value.length, end, replacement: HIDDEN }];
  });
}

function isSecretParameter(name: string, value: string, secrecy: Secrecy, policy: UrlPolicy): boolean {
  if (secrecy === "password") return true;
  if (secrecy === "secret") return value.length >= 4 && !/^\d{1,6}$/.test(value);
  if (policy.isStrict === true && value.length >= 6 && (secrecy === "random" || STRICT_NAMES.test(name))) return true;
  return secrecy === "random" && /^(?!x-|sig).*(?:key|auth|session|sid|jwt)/i.test(name) && looksRandom(value);
}

function webhookSpan(match: RegExpExecArray): Span[] {
  const path = match[1] ?? "";
  if (!/\d/.test(path) || !isLiteral(path) || path.includes("...") || path.includes("***")) return [];
  const end = match.index + match[0].length;
  return [{ start: end - path.length, end, replacement: HIDDEN }];
}
