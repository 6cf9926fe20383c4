import { subcommands } from "#src/lib/shell/subcommands";
import { normaliseCommand } from "./normalise-command";

/**
 * The first of an operator's patterns that a command meets, as a whole or in one of the commands that it is made of.
 * `*` is any text and `?` any character; case does not matter.
 */
export function findDenied(command: string, patterns: readonly string[]): string | undefined {
  if (patterns.length === 0) return undefined;
  const shown = normaliseCommand(command);
  const texts = [command, shown, ...(subcommands(shown) ?? [])].map((text) => text.trim().toLowerCase());
  return patterns.find((pattern) => texts.some((text) => matchesWildcards(text, pattern.trim().toLowerCase())));
}

/** Takes time in proportion to text times pattern, whatever the pattern. */
function matchesWildcards(text: string, pattern: string): boolean {
  let at = 0;
  let next = 0;
  let star = -1;
  let resume = 0;
  while (at < text.length) {
    if (pattern[next] === "*") {
      star = next;
      resume = at;
      next += 1;
    } else if (next < pattern.length && (pattern[next] === "?" || pattern[next] === text[at])) {
      at += 1;
      next += 1;
    } else if (star !== -1) {
      next = star + 1;
      resume += 1;
      at = resume;
    } else return false;
  }
  while (pattern[next] === "*") next += 1;
  return next === pattern.length;
}
