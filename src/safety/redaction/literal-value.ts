import { looksRandom } from "./looks-random";
import { isMasked } from "./mask";

// what stands where a secret would, and tells about it
const STATE_WORDS = new Set(
  `
  true false yes no on off null none nil undefined nan empty unset set required optional missing invalid
  valid expired incorrect wrong correct accepted rejected denied string str text number int integer bool
  boolean any object bytes array void unknown never hidden redacted masked default disabled enabled auto
  prompt env todo n/a see must should is was not the a an for and or in to from with has have failed
  include omit success ok error changed updated reset rotated revoked found ask input stdin keychain vault bearer basic
  digest await new typeof function async lambda yield return if`
    .trim()
    .split(/\s+/),
);
const MAX_STATE_CHARS = 12;
const TEMPLATE =
  /^(?:!(?:vault|ref|sub|getatt|secret|env|reference)\b|\$(?:[{(]|[A-Za-z_]\w*(?:$|[./:-])|[\d@*#?]$)|:[A-Za-z_]\w*$|%[A-Za-z_(]|\{|<|@\{|#\{|\[\[|\(|\\\(|`\$)/;
const PLACE =
  /^(?:arn:|\/(?:home|root|tmp|app|srv|opt|mnt|data|workspace)$|https?:\/\/|file:|[./~]{0,2}\/[\w.-]+\/|urn:|ref\+|vault:|op:\/\/|secretref:)/i;
const CODE =
  /^(?:await |new |typeof )?[A-Za-z_$][\w$]*(?:(?:\.|->|::|\?\.)[A-Za-z_$][\w$]*)*\s?(?:\(|\[|\|\||\?\?)|^(?:process|os|env|import|config|settings|self|this|args|opts|options|req|request|res|ctx|user|params|props|data|secrets|vars|var|local|module|event|context|state)(?:\.|\[)[A-Za-z_$]/;
const PLACEHOLDER =
  /^(?:your|my|the|some|insert|enter|put|add|replace|example|sample|dummy|placeholder|change-?_?me|todo)[-_ ].*|^(?:changeme|placeholder|example|secret_here|password_here)$|^x{3,}[-x]*$|^[\w-]{0,24}(?:\.{2,}|…)$|^[-_*#•.…]+$/i;

// what declares a value and is none: a type of numbers, a range of versions
const DECLARATION = /^(?:u?int|float|big(?:u?int)?|char|varchar|nvarchar)\d{1,4}(?:_t|array)?$|^(?:[~^]|[<>]=?)\d/i;
const PLACEHOLDER_END = /[-_ ](?:here|goes[-_ ]here|placeholder)$/i;
const INTERPOLATION = /[$#]\{|\{\{/;
const INTERPOLATIONS = /[$#]?\{{1,2}[^{}]{0,100}\}{1,2}/g;
const JUDGED_CHARS = 256;

/** True for a value that is itself the secret: not empty, not a reference to one, not a stand-in, not masked already. */
export function isLiteral(whole: string): boolean {
  const value = whole.slice(0, JUDGED_CHARS);
  if (INTERPOLATION.test(value) && !looksRandom(value.replaceAll(INTERPOLATIONS, ""))) return false;
  if (value.trim() === "" || isMasked(value) || TEMPLATE.test(value) || isPlaceholder(value)) return false;
  if (DECLARATION.test(value)) return false;
  return !isState(value) && !CODE.test(value) && !PLACE.test(value);
}

// a name in a program, or a constant; digits stand behind words
const PROGRAM_NAME = /^(?:[A-Za-z_$]{1,60}\d{0,2}|[A-Z][A-Z\d]*(?:_[A-Z\d]+)+)$/;

/** `SyntaxKind.Token`, `api_keys_1.Keys`: names that lead to a value, none of which looks random. */
export function isNamePath(text: string): boolean {
  const names = text.split(".");
  return names.length > 1 && names.every((name) => PROGRAM_NAME.test(name) && !looksRandom(name));
}

function isPlaceholder(value: string): boolean {
  return PLACEHOLDER.test(value) || PLACEHOLDER_END.test(value.slice(-40));
}

function isState(value: string): boolean {
  return value.length <= MAX_STATE_CHARS && STATE_WORDS.has(value.toLowerCase());
}
