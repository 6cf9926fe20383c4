import { redactSecrets, type RedactMode } from "#src/safety/redact-secrets";
import { redactTerminal } from "#src/safety/redact-terminal";
import { type CaseFile, type Result, type Suite, resultOf } from "../result";
import { type BuiltText, buildText } from "./build-text";

/** What a case says of a text, in the names of the format. */
interface RedactCase {
  readonly id: string;
  readonly input: { readonly text: BuiltText; readonly mode: RedactMode; readonly command?: string };
  readonly expected: BuiltText;
  /** Other labels, or none: what no pattern can tell, or what nobody judged. */
  readonly label?: string;
  /** For secrets, what must be gone; for the rest, the text as it must be. */
  readonly better?: { readonly must_not_contain: readonly BuiltText[] } | BuiltText;
}

interface Problem {
  readonly expected: unknown;
  readonly got: unknown;
}

/** Characters of a secret that must not stand in a row. */
const MAX_RUN_CHARS = 12;

/** What must not be told of secrets, and what must stay because it is none. */
export const redact: Suite = {
  suite: "redact",
  async run(file: CaseFile): Promise<readonly Result[]> {
    // the format is that of the suite's own files
    return (file["cases"] as readonly RedactCase[]).map(judge);
  },
};

function judge(given: RedactCase): Result {
  const text = buildText(given.input.text);
  const got = redacted(text, given);
  const problems: Problem[] = [];
  if (given.label === "secret") problems.push(...leaks(given, text, got));
  if (given.label === "benign" && mustStay(given, text) && got !== text) problems.push({ expected: text, got });
  const again = redacted(got, given);
  if (again !== got) problems.push({ expected: `the same when redacted again: ${got}`, got: again });
  return resultOf(given.id, problems);
}

function redacted(text: string, { input }: RedactCase): string {
  if (input.mode === "terminal" && input.command !== undefined) return redactTerminal(input.command, text);
  return redactSecrets(text, input.mode);
}

function leaks(given: RedactCase, text: string, got: string): Problem[] {
  const expected = buildText(given.expected);
  const hidden = isBanned(given.better) ? given.better.must_not_contain.map(buildText) : [];
  const left = hidden.find((secret) => got.includes(secret)) ?? findRun(text, expected, got);
  return left === undefined ? [] : [{ expected: `no "${left}" in it`, got }];
}

/** A run of the input that the peer took out and we did not. */
function findRun(text: string, expected: string, got: string): string | undefined {
  for (let at = 0; at + MAX_RUN_CHARS <= text.length; at++) {
    const run = text.slice(at, at + MAX_RUN_CHARS);
    if (!expected.includes(run) && got.includes(run)) return run;
  }
  return undefined;
}

function mustStay({ better, expected }: RedactCase, text: string): boolean {
  const wanted = better === undefined || isBanned(better) ? expected : better;
  return buildText(wanted) === text;
}

function isBanned(better: RedactCase["better"]): better is { readonly must_not_contain: readonly BuiltText[] } {
  return typeof better === "object" && "must_not_contain" in better;
}
