/** How surely a field of a name holds a secret. `random`: only if its value looks like one. */
export type Secrecy = "password" | "secret" | "random" | "none";

const PASSWORDS = wordSet("password passwd passphrase passcode pwd pw passwort contrasena senha psk");
const SECRETS = wordSet(`
  secret secrets token apikey credential credentials bearer apitoken authtoken accesstoken refreshtoken
  clientsecret secretkey privatekey accesskey authkey apikeys passwords`);
const RANDOM = wordSet(`
  key auth authorization session sid sessionid signature sig jwt cookie pat code nonce salt cert dsn
  seed mnemonic tokens otp webhook csrf xsrf keys license hmac`);
const KEY_KINDS = wordSet(`
  api access private secret auth encryption signing master account service app application subscription
  client session deploy admin server storage shared webhook license storage consumer root functions host
  ssh gpg aes hmac jwt cookie crypt vault data developer write integration`);
const PUBLIC_KEYS = wordSet(`
  public partition primary foreign sort cache row index range group shard composite unique candidate
  translation i18n host object routing map react idempotency publishable pub hot short event config socket
  recv send search list authorized trusted known`);
// a word at the end that makes it a thing about a secret: TOKEN_LIMIT, password_file
const ABOUT = wordSet(`
  name names url uri file path dir limit limits count counts type types id ids length len min max ttl
  expiry expires expiration policy field fields header hint manager size budget usage used version
  algorithm alg endpoint host store provider env ref arn ring board bucket label required enabled disabled
  reset format message messages text prefix suffix regex pattern rotation source status state at in age needed attempts strength
  mode method per rate timeout window cost price scope scopes issuer audience valid validity holder class
  index mapping santa placeholder error changed updated created exists set is has refused denied failed missing revoked rejected fingerprint
  schema spec units algo rule rules requirement requirements strategy encoding page form link email validator validation checker generator parser handler stream quota config settings basename chars bytes ms seconds minutes words shape shapes kind kinds`);
const QUALIFIERS = wordSet(`
  max min num total count input output prompt completion cached reasoning used remaining n avg has is no
  use show hide forgot reset change confirm require next previous page pagination starting creation continuation stop start bos eos pad
  unk sep cls mask syntax unexpected lex`);

/** Remembers what names were judged, for a text that has the same ones again and again. */
export function createNameJudge(judge: (name: string) => Secrecy): (name: string) => Secrecy {
  const judged = new Map<string, Secrecy>();
  return (name) => {
    const known = judged.get(name);
    if (known !== undefined) return known;
    const found = judge(name);
    judged.set(name, found);
    return found;
  };
}

/** Judges a field by its name: `clientSecret`, `X-Api-Key`, `MYSQL_PWD`, `db.password`. */
export function secrecyOf(name: string): Secrecy {
  const words = wordsOf(name);
  const last = words.at(-1);
  if (last === undefined) return "none";
  const isAbout = words.length > 1 && ABOUT.has(last);
  if (CODE_FILE.test(name)) return "none";
  if (isAbout || /^\d+$/.test(last)) return isAbout ? "none" : secrecyOf(words.slice(0, -1).join("_"));
  if (last === "pass" || words.some((word) => PASSWORDS.has(word) || isGluedPassword(word))) return "password";
  if (isCount(words)) return "none";
  if (words.some((word) => SECRETS.has(word))) return "secret";
  if (words.length === 1) return wordSecrecy(last);
  return pairSecrecy(words, last);
}

/** A file of a program, beside its hash or its size. */
const CODE_FILE = /\.(?:[cm]?[jt]sx?|json|md|py|go|rs|java|rb|php|css|html?|lock|map|wasm)$/;

function wordSecrecy(word: string): Secrecy {
  if (
    /^(?:\w*(?:secret|apikey|token|accesskey|secretkey|privatekey))$/.test(word) &&
    !/^(?:secretary|tokenizer)/.test(word)
  ) {
    return "secret";
  }
  return RANDOM.has(word) ? "random" : "none";
}

function pairSecrecy(words: readonly string[], last: string): Secrecy {
  const before = words.at(-2) ?? "";
  if (/^keys?$/.test(last) && PUBLIC_KEYS.has(before)) return "none";
  const isKeyPair = words.some((word, at) => word === "key" && KEY_KINDS.has(words[at - 1] ?? ""));
  if (isKeyPair) return "secret";
  return words.some((word) => RANDOM.has(word)) ? "random" : wordSecrecy(last);
}

function isGluedPassword(word: string): boolean {
  return (
    /^(?:\w+)?(?:password|passwd|passphrase|pwd)$/.test(word) ||
    /^(?:admin|root|user|login|my|db|mysql|pg|redis|smtp|imap|mail|ftp|sudo|app|store|key)(?:pass|pw)$/.test(word)
  );
}

/** `max_tokens` and `prompt_token_count` count pieces of text. */
function isCount(words: readonly string[]): boolean {
  return words.some((word) => word === "tokens" || word === "token") && words.some((word) => QUALIFIERS.has(word));
}

function wordsOf(name: string): readonly string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll(/([A-Z])([A-Z][a-z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .map((word) => word.replace(/(?<=[a-z])\d+$/, ""))
    .filter((word) => word !== "");
}

function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.trim().split(/\s+/));
}
