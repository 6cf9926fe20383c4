/** Reads one field of a payload that may be anything; undefined when it is not there. */
export function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? // an object's own field may be asked for by name
      (value as Record<string, unknown>)[name]
    : undefined;
}

/** A text of a payload; undefined when it is anything else. */
export function textField(value: unknown, name: string): string | undefined {
  const found = field(value, name);
  return typeof found === "string" ? found : undefined;
}

/** A finite number of a payload; undefined when it is anything else. */
export function numberField(value: unknown, name: string): number | undefined {
  const found = field(value, name);
  return typeof found === "number" && Number.isFinite(found) ? found : undefined;
}

/** An id of a payload as the string of its digits; undefined when it is no whole number. */
export function idField(value: unknown, name: string): string | undefined {
  const found = field(value, name);
  if (typeof found === "number") return Number.isSafeInteger(found) ? String(found) : undefined;
  return typeof found === "string" && /^-?\d+$/.test(found) ? found : undefined;
}

/** A list of a payload; empty when it is anything else. */
export function listField(value: unknown, name: string): readonly unknown[] {
  const found = field(value, name);
  // what the list holds is unknown either way
  return Array.isArray(found) ? (found as readonly unknown[]) : [];
}

/** The part of an object literal for a field that may be absent. */
export function optional<K extends string, V>(name: K, value: V | undefined): { [P in K]?: V } {
  // a computed key widens to an index signature, so the exact shape is said here
  return (value === undefined ? {} : { [name]: value }) as { [P in K]?: V };
}
