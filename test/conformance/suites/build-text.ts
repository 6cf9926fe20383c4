/** A text of the case format: long and secret ones are stored as how to build them. */
export type BuiltText =
  | string
  | { readonly $join: readonly BuiltText[] }
  | { readonly $repeat: readonly [BuiltText, number] };

/** The text that a case means. */
export function buildText(text: BuiltText): string {
  if (typeof text === "string") return text;
  if ("$join" in text) return text.$join.map(buildText).join("");
  const [part, times] = text.$repeat;
  return buildText(part).repeat(times);
}
