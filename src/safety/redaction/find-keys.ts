import { isKey, keyShapes, type KeyShape } from "./key-shapes";
import { isMasked, mask } from "./mask";
import type { Span } from "./span";

const WORTH = /[A-Za-z0-9_\-.~/:$]{12}/;

/** Vendors' keys, known by how they begin. `isNamed`: as `«redacted:ghp_…»`. */
export function findKeys(text: string, isNamed: boolean): readonly Span[] {
  if (!WORTH.test(text)) return [];
  return keyShapes.filter(({ has }) => text.includes(has)).flatMap((shape) => findShape(text, shape, isNamed));
}

function findShape(text: string, shape: KeyShape, isNamed: boolean): Span[] {
  const spans: Span[] = [];
  for (const { index, 0: key } of text.matchAll(shape.pattern)) {
    const isOpen = isKey(key, shape) && !isMasked(key);
    if (isOpen) spans.push({ start: index, end: index + key.length, replacement: isNamed ? nameOf(key) : mask(key) });
  }
  return spans;
}

/** A beginning that says whose key it was. */
function nameOf(key: string): string {
  const beginning = /^[A-Za-z0-9]{1,12}[-_.]/.exec(key)?.[0];
  return beginning === undefined ? mask(key) : `«redacted:${beginning}…»`;
}
