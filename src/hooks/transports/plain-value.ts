import type { JsonValue } from "#src/domain/json";

/** Bounds of what a module may return: an answer is a handful of fields. */
const MAX_NODES = 20_000;
const MAX_DEPTH = 32;
const MAX_CHARS = 1024 * 1024;

/**
 * A copy of what a module returned that is JSON and nothing else: no getters, no functions, no live objects.
 * Undefined stays undefined.
 *
 * @throws RangeError when it is too large, whatever a getter of it throws
 */
export function plainValue(value: unknown): JsonValue | undefined {
  const left = { nodes: MAX_NODES, chars: MAX_CHARS };
  const copy = (part: unknown, depth: number): JsonValue | undefined => {
    left.nodes -= 1;
    if (typeof part === "string") left.chars -= part.length;
    if (left.nodes < 0 || left.chars < 0 || depth > MAX_DEPTH) throw new RangeError("the answer is too large");
    if (part === null || typeof part === "string" || typeof part === "boolean") return part;
    if (typeof part === "number") return Number.isFinite(part) ? part : null;
    if (typeof part === "bigint") return part.toString();
    if (typeof part !== "object") return undefined;
    if (Array.isArray(part)) return part.map((item) => copy(item, depth + 1) ?? null);
    const entries: [string, JsonValue][] = [];
    for (const key of Object.keys(part)) {
      left.chars -= key.length;
      // the part is an object: whatever it holds is copied in turn
      const item = copy((part as Record<string, unknown>)[key], depth + 1);
      if (item !== undefined) entries.push([key, item]);
    }
    return Object.fromEntries(entries);
  };
  return copy(value, 0);
}
