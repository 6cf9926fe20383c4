/** A value of a case as text, or what stands for it when it is none. */
export function textOf(value: unknown, otherwise = ""): string {
  return typeof value === "string" ? value : otherwise;
}
