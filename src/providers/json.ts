/** A field of a value that a vendor sent, which may be no object at all. */
export function field(value: unknown, name: string): unknown {
  // a vendor's JSON has own fields only; the cast gives a name to what the check found
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

/** A field that is a text with something in it. */
export function textField(value: unknown, name: string): string | undefined {
  const found = field(value, name);
  return typeof found === "string" && found !== "" ? found : undefined;
}

/** A field that is a count. */
export function countField(value: unknown, name: string): number | undefined {
  const found = field(value, name);
  return typeof found === "number" && Number.isFinite(found) && found >= 0 ? found : undefined;
}

/** Parsed JSON, or undefined when the text is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
