import { isKey, keyShapes, type KeyShape } from "./key-shapes";
import { isMasked, mask } from "./mask";
import type { Span } from "./span";

const WORTH = /[A-Za-z0-9_\-.~/:$]{12}/;
const PROBE_CHARS = 3;
const BUCKETS = 65_536;

/** Vendors' keys, known by how they begin. `isNamed`: as `«redacted:ghp_…»`. */
export function findKeys(text: string, isNamed: boolean): readonly Span[] {
  if (!WORTH.test(text)) return [];
  return presentShapes(text).flatMap((shape) => findShape(text, shape, isNamed));
}

const isLong = ({ has }: KeyShape) => has.length >= PROBE_CHARS;
const shortShapes = keyShapes.filter((shape) => !isLong(shape));
const longShapes = Map.groupBy(keyShapes.filter(isLong), ({ has }) => probeAt(has, 0));
const filter = Uint8Array.from({ length: BUCKETS }, (_, probe) => (longShapes.has(probe) ? 1 : 0));

/** The shapes whose beginning a text has, found in one pass instead of one for each. */
function presentShapes(text: string): readonly KeyShape[] {
  const found = new Set(shortShapes.filter(({ has }) => text.includes(has)));
  for (let at = 0; at + PROBE_CHARS <= text.length; at++) {
    const probe = probeAt(text, at);
    if (filter[probe] !== 1) continue;
    for (const shape of longShapes.get(probe) ?? []) if (text.startsWith(shape.has, at)) found.add(shape);
  }
  return [...found];
}

function probeAt(text: string, at: number): number {
  return (text.charCodeAt(at) * 961 + text.charCodeAt(at + 1) * 31 + text.charCodeAt(at + 2)) % BUCKETS;
}

function findShape(text: string, shape: KeyShape, isNamed: boolean): Span[] {
  const spans: Span[] = [];
  const pattern = new RegExp(shape.pattern);
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const key = match[0];
    const end = match.index + key.length;
    const isOpen = isKey(key, shape) && !isMasked(key);
    if (isOpen) spans.push({ start: match.index, end, replacement: isNamed ? nameOf(key) : mask(key) });
    // the next key may begin with this one's last letters: nothing stands between them
    pattern.lastIndex = Math.max(match.index + 1, end - shape.has.length + 1);
  }
  return spans;
}

/** A beginning that says whose key it was. */
function nameOf(key: string): string {
  const beginning = /^[A-Za-z0-9]{1,12}[-_.]/.exec(key)?.[0];
  return beginning === undefined ? mask(key) : `«redacted:${beginning}…»`;
}
