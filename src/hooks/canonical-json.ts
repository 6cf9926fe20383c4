import type { JsonValue } from "#src/domain/json";

/**
 * JSON in one form only, whatever order its keys were written in: what is hashed or signed.
 * Source: https://www.rfc-editor.org/rfc/rfc8785
 *
 * @throws RangeError for a number that JSON cannot say
 */
export function canonicalJson(value: JsonValue): string {
  if (typeof value === "number" && !Number.isFinite(value)) throw new RangeError(`${value} is not JSON`);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  // the standard orders keys by their UTF-16 code units, which is how sort() compares
  const members = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`);
  return `{${members.join(",")}}`;
}
