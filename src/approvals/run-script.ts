import { visitPipelines } from "#src/lib/shell/parse-script";
import type { BlockCommand, Command, Pipeline, Redirect, Script, SimpleCommand, Word } from "#src/lib/shell/script";
import { type Expansion, expandText, expandWord, expandWords } from "./expand-word";
import { HOME, REMOTE, SECRET, UNKNOWN } from "./markers";
import { resolveOperand } from "./paths";
import { withoutChange } from "./printed-text";
import { type Invocation, runInvocation } from "./run-call";
import { isSecretFile } from "./sensitive-files";
import { type Walk, branch, canEnter, keepFile, readFile, spend, takeStep, within } from "./walk";

const MAX_OUTPUT_CHARS = 65_536;
/** What a field costs that is not written but put together. */
const FIELD_CHARS = 16;
const MAX_LOOP_VALUES = 8;

/** What is piped into a command; absent when nothing is. */
export type Input = string | undefined;

/** Follows a command line and answers what it prints, as far as that is known. */
function runText(text: string, walk: Walk, stdin: Input): string {
  if (!canEnter(walk, text.length)) return UNKNOWN;
  return runWhole(text, walk, stdin).printed;
}

/** Follows a command line from its beginning; `problem` says why a shell would not take it. */
export function runWhole(
  text: string,
  walk: Walk,
  stdin: Input,
): { readonly printed: string; readonly problem: string | undefined } {
  let printed = "";
  const problem = visitPipelines(text, (pipeline) => {
    const output = runPipeline(pipeline, walk, stdin);
    if (printed.length < MAX_OUTPUT_CHARS) printed += output;
    return walk.budget.calls >= 0 && walk.budget.chars >= 0;
  });
  return { printed, problem };
}

function runScript(script: Script, walk: Walk, stdin: Input): string {
  let printed = "";
  for (const pipeline of script.pipelines) {
    const output = runPipeline(pipeline, walk, stdin);
    if (printed.length < MAX_OUTPUT_CHARS) printed += output;
  }
  return printed;
}

function runPipeline({ commands, isBackground }: Pipeline, walk: Walk, stdin: Input): string {
  let piped = stdin;
  const outside = isBackground ? within(walk, { via: [...walk.via, "&"] }) : walk;
  for (const command of commands) {
    piped = runCommand(command, commands.length > 1 ? branch(outside) : outside, piped);
    spend(walk, piped.length);
  }
  return piped ?? "";
}

function runCommand(command: Command, walk: Walk, stdin: Input): string {
  if (command.type === "simple") return runSimple(command, walk, stdin);
  if (command.type === "block") return runBlock(command, walk, stdin);
  walk.functions.set(command.name, command.body);
  if (isForkBomb(command.name, command.body)) walk.observer.onSign("fork-bomb");
  // what is never called is judged all the same: it may be called from elsewhere
  if (takeStep(walk) && canEnter(walk, 0)) {
    const inside = branch(walk, { positional: [] });
    runCommand(command.body, { ...inside, functions: new Map() }, UNKNOWN);
  }
  return "";
}

/** Whether a function starts itself twice at a time: by a pipe to itself, or in the background. */
function isForkBomb(name: string, body: Command): boolean {
  if (body.type !== "block") return false;
  const isSelf = (command: Command): boolean => command.type === "simple" && command.words[0]?.source === name;
  const pipelines = body.scripts.flatMap((script) => script.pipelines);
  const selves = pipelines.flatMap(({ commands }) => commands).filter(isSelf).length;
  return (
    selves > 1 &&
    pipelines.some(({ commands, isBackground }) => commands.some(isSelf) && (isBackground || commands.length > 1))
  );
}

function runBlock(block: BlockCommand, walk: Walk, given: Input): string {
  if (!takeStep(walk)) return "";
  const { stdin, files } = applyRedirects(block.redirects, walk, given);
  const inside = block.kind === "subshell" ? branch(walk) : within(walk, { via: [...walk.via, block.kind] });
  if (block.kind === "subshell" && !canEnter(inside, 0)) return UNKNOWN;
  inside.cwd = walk.cwd;
  const printed =
    block.kind === "for" || block.kind === "select" ? runLoop(block, inside, stdin) : runBodies(block, inside, stdin);
  if (block.kind !== "subshell") Object.assign(walk, { cwd: inside.cwd, positional: inside.positional });
  return keepIn(files, printed, walk);
}

function runBodies({ words, scripts }: BlockCommand, walk: Walk, stdin: Input): string {
  expandWords(words, expansionOf(walk, stdin));
  return scripts.map((script) => runScript(script, walk, stdin)).join("");
}

/** Once for each value, or once with a value that nobody knows. */
function runLoop({ variable, words, scripts }: BlockCommand, walk: Walk, stdin: Input): string {
  const values = [...new Set(expandWords(words, expansionOf(walk, stdin)))].slice(0, MAX_LOOP_VALUES);
  let printed = "";
  for (const value of values.length === 0 ? [UNKNOWN] : values) {
    if (!takeStep(walk)) break;
    if (variable !== undefined) walk.variables.set(variable, [value]);
    for (const script of scripts) printed += runScript(script, walk, stdin);
  }
  return printed;
}

const NO_VARIABLES: Map<string, string> = new Map();

function runSimple(command: SimpleCommand, walk: Walk, given: Input): string {
  if (!takeStep(walk)) return "";
  const expansion = expansionOf(walk, given);
  const environment: Map<string, string> = command.assignments.length === 0 ? NO_VARIABLES : new Map();
  for (const { name, value, elements, isAppended } of command.assignments) {
    const assigned = elements === undefined ? [expandText(value.parts, expansion)] : expandWords(elements, expansion);
    const before = isAppended ? (walk.variables.get(name) ?? []) : [];
    const joined = elements === undefined ? [before.join("") + assigned.join("")] : [...before, ...assigned];
    walk.variables.set(name, joined);
    spend(walk, joined.length + (joined[0]?.length ?? 0));
    environment.set(name, joined.join(" "));
  }
  const { stdin, files } = applyRedirects(command.redirects, walk, given);
  const fields: string[] = [];
  const sources: string[] = [];
  for (const word of command.words) spend(walk, addWord(word, expansion, fields, sources));
  if (fields.length === 0) return keepIn(files, stdin ?? "", walk);
  const invocation: Invocation = { fields, sources, stdin, environment, hasPattern: hasPattern(command.words[0]) };
  return keepIn(files, runInvocation(invocation, walk, { runText, runCommand }), walk);
}

/** A word that is one field is known as it was written, too. */
function addWord(word: Word, expansion: Expansion, fields: string[], sources: string[]): number {
  const expanded = expandWord(word, expansion);
  let chars = 0;
  const isOne = expanded.length === 1;
  for (const field of expanded) {
    fields.push(field);
    sources.push(isOne ? word.source : field);
    chars += field.length + (isOne ? 1 : FIELD_CHARS);
  }
  return chars;
}

function hasPattern(word: Word | undefined): boolean {
  return word?.parts.some((part) => part.type === "text" && !part.isQuoted && /[*?[]/.test(part.text)) === true;
}

/** What a command reads, and the files that it prints into; what it complains into takes nothing from the next one. */
function applyRedirects(
  redirects: readonly Redirect[],
  walk: Walk,
  given: Input,
): { readonly stdin: Input; readonly files: readonly string[] } {
  let stdin = given;
  const files: string[] = [];
  for (const { operator, descriptor = "1", target } of redirects) {
    const expansion = expansionOf(walk, given);
    const text = expandText(target.parts, expansion);
    if (/^\/dev\/(?:tcp|udp)\/(?!localhost\/|127\.0\.0\.1\/|::1\/)/.test(text)) walk.observer.onSign("connects");
    if (operator === "<<<") stdin = `${text}\n`;
    else if (operator === "<<" || operator === "<<-") stdin = text;
    else if (operator === "<" || operator === "<>") stdin = readFile(text, walk) ?? UNKNOWN + originIn(text, walk);
    else if (!/^(?:\d+|-)$/.test(text)) {
      noteWrite(text, target.source, walk);
      if (descriptor === "1") files.push(text);
    }
  }
  return { stdin, files };
}

function originIn(path: string, walk: Walk): string {
  if (/^\/dev\/(?:tcp|udp)\//.test(path)) return REMOTE;
  return isSecretFile(resolveOperand(path, walk.cwd)) ? SECRET : "";
}

function noteWrite(path: string, source: string, walk: Walk): void {
  walk.observer.onWrite(resolveOperand(path, walk.cwd), "redirect", undefined);
  if (source.includes("\\")) walk.observer.onWrite(source, "redirect", undefined);
}

/** What goes into a file is not printed. */
function keepIn(files: readonly string[], printed: string, walk: Walk): string {
  if (files.length === 0) return printed;
  for (const file of files) keepFile(file, (readFile(file, walk) ?? "") + printed, walk);
  return "";
}

/** How words are expanded here; made once for a walk, since most commands need it. */
function expansionOf(walk: Walk, stdin: Input): Expansion {
  walk.input = stdin;
  walk.expansion ??= {
    variables: {
      read: (name) => readVariable(name, walk),
      write: (name, elements) => walk.variables.set(name, elements),
    },
    cwd: () => walk.cwd,
    substitute: (script) => {
      const inside = branch(walk);
      return canEnter(inside, 0) ? withoutChange(runScript(script, inside, undefined)).replace(/\n+$/, "") : UNKNOWN;
    },
    openProcess: (script, direction) => {
      const inside = branch(walk);
      const printed = canEnter(inside, 0)
        ? runScript(script, inside, direction === ">" ? walk.input : undefined)
        : UNKNOWN;
      const path = `/dev/fd/${63 - (walk.files.size % 48)}`;
      keepFile(path, printed, walk);
      return path;
    },
  };
  return walk.expansion;
}

/** Variables that stand for the same everywhere. */
const COMMON: Readonly<Record<string, readonly string[]>> = {
  HOME: [HOME],
  IFS: [" \t\n"],
  PATH: ["/usr/local/bin:/usr/bin:/bin"],
  SHELL: ["/bin/bash"],
  BASH: ["/bin/bash"],
  HERMES_HOME: [`${HOME}/.hermes`],
  XDG_CONFIG_HOME: [`${HOME}/.config`],
  "0": ["bash"],
};

function readVariable(name: string, walk: Walk): readonly string[] | undefined {
  if (name === "@" || name === "*") return walk.positional;
  if (/^[1-9]\d*$/.test(name)) return walk.positional.slice(Number(name) - 1, Number(name));
  if (name === "PWD" && walk.cwd !== undefined) return [walk.cwd];
  return walk.variables.get(name) ?? (Object.hasOwn(COMMON, name) ? COMMON[name] : undefined);
}
