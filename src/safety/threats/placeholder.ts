const PLACEHOLDER =
  /^(?:your|my|the|some|an?|insert|enter|put|add|replace|change|example|sample|dummy|fake|not|see|placeholder|todo|xxx+|\*+|test)(?:[-_ ]|$)|(?:[-_](?:here|goes|placeholder|example)|change_?me)$/i;

/** True for a value that stands where a secret will be: "your-api-key-here". */
export function isPlaceholder(value: string): boolean {
  return PLACEHOLDER.test(value);
}
