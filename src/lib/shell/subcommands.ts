import { parseScript } from "./parse-script";
import type { Command, Script, Word, WordPart } from "./script";

/**
 * Every simple command that a command line contains, as written but without leading assignments: those of lists,
 * pipelines, subshells and compound commands, and those inside of `$(...)`, backticks and process substitutions.
 * Undefined when a shell could not read the line. Never throws.
 */
export function subcommands(command: string): readonly string[] | undefined {
  const { script, problem } = parseScript(command);
  if (problem !== undefined) return undefined;
  const found: string[] = [];
  collectScript(script, found);
  return found;
}

function collectScript(script: Script, found: string[]): void {
  for (const pipeline of script.pipelines) for (const command of pipeline.commands) collectCommand(command, found);
}

function collectCommand(command: Command, found: string[]): void {
  if (command.type === "function") return collectCommand(command.body, found);
  if (command.type === "simple") {
    if (command.words.length > 0) found.push(command.source);
    for (const { value, elements = [] } of command.assignments) collectWords([value, ...elements], found);
  } else for (const script of command.scripts) collectScript(script, found);
  collectWords([...command.words, ...command.redirects.map(({ target }) => target)], found);
}

function collectWords(words: readonly Word[], found: string[]): void {
  for (const word of words) collectParts(word.parts, found);
}

function collectParts(parts: readonly WordPart[], found: string[]): void {
  for (const part of parts) {
    if (part.type === "command" || part.type === "process") collectScript(part.script, found);
    else if (part.type === "arithmetic") collectParts(part.parts, found);
    else if (part.type === "parameter") collectParts(part.operand, found);
  }
}
