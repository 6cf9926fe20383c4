/** How one case came out. */
export type Result =
  | { readonly id: string; readonly passed: true }
  | { readonly id: string; readonly passed: false; readonly expected: string; readonly got: string };

/** A file of acceptance cases, as parsed JSON; each suite reads the rest of it. */
export interface CaseFile {
  readonly meta: { readonly suite: string };
  readonly [field: string]: unknown;
}

/** Runs the files of one format: `suite` is what their `meta.suite` says. */
export interface Suite {
  readonly suite: string;
  /** Answers for every case in the file. Throws only for a file that is not in the format. */
  run(file: CaseFile): Promise<readonly Result[]>;
}

/** The result of comparing what must be with what is. */
export function resultOf(
  id: string,
  problems: readonly { readonly expected: unknown; readonly got: unknown }[],
): Result {
  const first = problems[0];
  if (first === undefined) return { id, passed: true };
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
  return { id, passed: false, expected: show(first.expected), got: show(first.got) + more };
}

/** A value on one line, cut to a length that can be read. */
export function show(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? String(value));
  const line = text.replaceAll("\n", "\\n");
  return line.length > 400 ? `${line.slice(0, 400)}…` : line;
}
