/** What the reviver of JSON.parse is told besides key and value. Source: https://tc39.es/proposal-json-parse-with-source/ */
interface ReviverContext {
  readonly source?: string;
}

/**
 * Parses JSON, with integers that a number cannot hold exactly as strings of their digits: ids must survive.
 *
 * @throws SyntaxError | RangeError for text that is no JSON, or nested too deeply
 */
export function parseLosslessJson(text: string): unknown {
  const reviver = (_key: string, value: unknown, context?: ReviverContext): unknown =>
    typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? "")
      ? context?.source
      : value;
  return JSON.parse(text, reviver);
}
