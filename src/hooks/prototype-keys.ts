const REFUSED: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** Depth below which nothing is looked at any more: such a value is cut off there. */
const MAX_DEPTH = 64;

/** Whether a key would reach an object's prototype when it is assigned. */
export function isPrototypeKey(key: string): boolean {
  return REFUSED.has(key);
}

/** A JSON value without the keys that reach a prototype; the very value when there are none. */
export function withoutPrototypeKeys(value: unknown, onRefused: (key: string) => void, depth = 0): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (depth >= MAX_DEPTH) return null;
  if (Array.isArray(value)) {
    const items = value.map((item) => withoutPrototypeKeys(item, onRefused, depth + 1));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  let isSame = true;
  const entries: [string, unknown][] = [];
  for (const [key, item] of Object.entries(value)) {
    if (REFUSED.has(key)) {
      onRefused(key);
      isSame = false;
      continue;
    }
    const kept = withoutPrototypeKeys(item, onRefused, depth + 1);
    if (kept !== item) isSame = false;
    entries.push([key, kept]);
  }
  return isSame ? value : Object.fromEntries(entries);
}
