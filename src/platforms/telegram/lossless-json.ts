/** What the reviver of JSON.parse is told besides key and value. Source: https://tc39.es/proposal-json-parse-with-source/ */
interface ReviverContext {
  readonly source?: string;
}

/** Digits that a number may not hold; as many inside a text do no harm. */
const LONG_NUMBER = /\d{16}/;

/**
 * Parses JSON, with integers that a number cannot hold exactly as strings of their digits: ids must survive.
 *
 * @throws SyntaxError | RangeError for text that is no JSON, or nested too deeply
 */
export function parseLosslessJson(text: string): unknown {
  // asking for every number's source costs several times the parsing: only where one is long enough to need it
  if (!LONG_NUMBER.test(text)) return JSON.parse(text);
  const reviver = (_key: string, value: unknown, context?: ReviverContext): unknown =>
    typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? "")
      ? context?.source
      : value;
  return JSON.parse(text, reviver);
}
