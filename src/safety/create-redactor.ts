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
  const index = indexOf(needles);
  return needles.length === 0 ? (text) => text : (text) => replaceAll(text, index);
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

/** What is looked for, by its first letters. */
interface Index {
  /** 1 where something is looked for, by the number of its letters: made once, as it is larger than most texts. */
  readonly filter: Uint8Array;
  readonly needles: ReadonlyMap<number, readonly string[]>;
}

function indexOf(forms: readonly string[]): Index {
  const filter = new Uint8Array(BUCKETS);
  const needles = new Map<number, string[]>();
  for (const form of forms) {
    const probe = probeAt(form, 0);
    filter[probe] = 1;
    needles.set(probe, [...(needles.get(probe) ?? []), form]);
  }
  return { filter, needles };
}

/** A number of the four letters at a place: almost every place of a text is told apart from a secret by it. */
function probeAt(text: string, at: number): number {
  const near = text.charCodeAt(at) * 31 + text.charCodeAt(at + 1);
  const far = text.charCodeAt(at + 2) * 31 + text.charCodeAt(at + 3);
  return (near * 961 + far) % BUCKETS;
}

function replaceAll(text: string, { filter, needles }: Index): string {
  const parts: string[] = [];
  let done = 0;
  for (let at = 0; at + PROBE_CHARS <= text.length; at++) {
    const probe = probeAt(text, at);
    if (filter[probe] !== 1) continue;
    const needle = needles.get(probe)?.find((form) => text.startsWith(form, at));
    if (needle === undefined) continue;
    parts.push(text.slice(done, at), MASK);
    done = at + needle.length;
    at = done - 1;
  }
  return done === 0 ? text : parts.join("") + text.slice(done);
}
