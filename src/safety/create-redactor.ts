import { toBase64, toHex, utf8 } from "#src/lib/encoding";

const MASK = "[REDACTED]";
const MIN_SECRET_CHARS = 6;
const PROBE_CHARS = 4;
const BUCKETS = 65_536;

/**
 * A function that takes a deployment's own secrets out of any text: each value as it is, in base64 at any offset, in URL
 * encoding, in hexadecimal digits and as a JSON string has it. A stored value is the one secret that can be told surely,
 * whatever its shape. Values of fewer than 6 characters are left alone: they are words of every text.
 */
export function createRedactor(values: readonly string[]): (text: string) => string {
  const needles = [...new Set(values.flatMap(formsOf))].toSorted((a, b) => b.length - a.length);
  const buckets = bucketsOf(needles);
  return needles.length === 0 ? (text) => text : (text) => replaceAll(text, buckets);
}

function formsOf(value: string): string[] {
  const secret = value.trim();
  if (secret.length < MIN_SECRET_CHARS || MASK.includes(secret)) return [];
  const url = encodeUrl(secret);
  const forms = [
    secret,
    url,
    url.replaceAll(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase()),
    url.replaceAll("%20", "+"),
    JSON.stringify(secret).slice(1, -1),
    toHex(utf8(secret)),
    ...[0, 1, 2].flatMap((offset) => base64At(secret, offset)),
  ];
  return forms.filter((form) => form.length >= MIN_SECRET_CHARS);
}

/** A lone surrogate has no URL encoding. */
function encodeUrl(secret: string): string {
  return encodeURIComponent(secret.toWellFormed());
}

/** The letters of base64 that a value gives wherever it stands; those it shares with its neighbours are left out. */
function base64At(secret: string, offset: number): string[] {
  const bytes = utf8(secret);
  const padded = new Uint8Array(offset + bytes.length);
  padded.set(bytes, offset);
  const whole = toBase64(padded).replaceAll("=", "");
  const skipped = Math.ceil((offset * 8) / 6);
  const shared = (offset + bytes.length) % 3 === 0 ? 0 : 1;
  const sure = whole.slice(skipped, whole.length - shared);
  return sure.length < 8 ? [] : [sure, sure.replaceAll("+", "-").replaceAll("/", "_")];
}

type Buckets = ReadonlyMap<number, readonly string[]>;

function bucketsOf(needles: readonly string[]): Buckets {
  const buckets = new Map<number, string[]>();
  for (const needle of needles) {
    const probe = probeAt(needle, 0);
    buckets.set(probe, [...(buckets.get(probe) ?? []), needle]);
  }
  return buckets;
}

/** A number of the four letters at a place: almost every place of a text is told apart from a secret by it. */
function probeAt(text: string, at: number): number {
  const near = text.charCodeAt(at) * 31 + text.charCodeAt(at + 1);
  const far = text.charCodeAt(at + 2) * 31 + text.charCodeAt(at + 3);
  return (near * 961 + far) % BUCKETS;
}

function replaceAll(text: string, buckets: Buckets): string {
  // one that is kept is quicker by itself, and yet a turn then takes a tenth more of workerd: `npm run bench -- turns`
  const filter = new Uint8Array(BUCKETS);
  for (const probe of buckets.keys()) filter[probe] = 1;
  const parts: string[] = [];
  let done = 0;
  for (let at = 0; at + PROBE_CHARS <= text.length; at++) {
    const probe = probeAt(text, at);
    if (filter[probe] !== 1) continue;
    const needle = buckets.get(probe)?.find((form) => text.startsWith(form, at));
    if (needle === undefined) continue;
    parts.push(text.slice(done, at), MASK);
    done = at + needle.length;
    at = done - 1;
  }
  return done === 0 ? text : parts.join("") + text.slice(done);
}
