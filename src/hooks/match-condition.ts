import type { HookOccurrence } from "#src/domain/hook-event";
import { globMatcher } from "#src/lib/glob";
import { subcommands } from "#src/lib/shell/subcommands";
import type { JsonObject } from "#src/domain/json";
import { callOf, pathIn } from "./match-fields";
import { textOf } from "./plain-json";
import { wildcardMatcher } from "./match-wildcard";
import { type NamedCall, namesOf, toTheirs } from "./translate-tool";

/**
 * Makes the test of a condition like `Bash(git push *)`, `Edit(src/**)` or `mcp__db__*`: a tool by its name in Claude
 * Code, and what its call has to be about. A shell tool is looked at command by command, substitutions included; a line
 * that no shell could read passes, so that a guard is not lost by it.
 * Source: https://code.claude.com/docs/en/hooks
 */
export function conditionMatcher(condition: string): (occurrence: HookOccurrence) => boolean {
  const [, name = "", , pattern] = /^\s*([^()\s]+)\s*(\((.*)\))?\s*$/s.exec(condition) ?? [];
  const isTool = wildcardMatcher(name);
  const isAbout = pattern === undefined || pattern === "" || pattern === "*" ? undefined : pattern;
  const prepared = new Map<string, (call: Theirs) => boolean>();
  return (occurrence) => {
    const call = callOf(occurrence);
    if (call === undefined || !namesOf(call, "claude").some(isTool)) return false;
    if (isAbout === undefined) return true;
    const cwd = occurrence.common.cwd ?? "";
    const theirs = { ...toTheirs(call, "claude", cwd), cwd };
    const test = prepared.get(theirs.name) ?? contentTest(theirs.name, isAbout);
    prepared.set(theirs.name, test);
    return test(theirs);
  };
}

interface Theirs extends NamedCall {
  readonly cwd: string;
}

function contentTest(tool: string, pattern: string): (call: Theirs) => boolean {
  if (tool === "Bash") return commandTest(pattern);
  if (tool === "WebFetch") return domainTest(pattern);
  if (tool === "Agent") return ({ input }) => wildcardMatcher(pattern)(textOf(input["subagent_type"]));
  const isMatch = pathTest(pattern);
  return ({ input, cwd }) => {
    const path = pathIn(input);
    if (path !== undefined) return isMatch(path, cwd);
    return textsIn(input).some(wildcardMatcher(pattern));
  };
}

function commandTest(pattern: string): (call: Theirs) => boolean {
  // "git *" and "git:*" are git alone too, but not gitk
  const [, prefix] = /^(.*?)(?::| )\*$/s.exec(pattern) ?? [];
  const isMatch = wildcardMatcher(pattern);
  const isPrefixed = prefix === undefined ? undefined : wildcardMatcher(prefix);
  const isLonger = prefix === undefined ? undefined : wildcardMatcher(`${prefix} *`);
  const matches = (command: string): boolean =>
    isMatch(command) || isPrefixed?.(command) === true || isLonger?.(command) === true;
  return ({ input }) => {
    const { command } = input;
    if (typeof command !== "string") return false;
    const parts = subcommands(command);
    return parts === undefined || parts.map(withoutAssignments).some(matches);
  };
}

function withoutAssignments(command: string): string {
  const line = command.trim();
  const [leading = ""] = /^(?:[A-Za-z_]\w*\+?=(?:"[^"]*"|'[^']*'|[^\s"'])*\s+)+/.exec(line) ?? [];
  return line.slice(leading.length);
}

function domainTest(pattern: string): (call: Theirs) => boolean {
  const isDomain = wildcardMatcher(pattern.replace(/^domain:/, "").toLowerCase());
  return ({ input }) => {
    const url = textOf(input["url"]);
    return URL.canParse(url) && isDomain(new URL(url).hostname);
  };
}

/** Paths as rules write them: `//` from the root, `~/` at home, all else from the working directory. */
function pathTest(pattern: string): (path: string, cwd: string) => boolean {
  const isAbsolute = pattern.startsWith("//");
  const isMatch = globMatcher(isAbsolute ? pattern.slice(1) : pattern);
  return (path, cwd) => {
    const folder = `${cwd.replace(/\/+$/, "")}/`;
    const isInside = path.startsWith(folder);
    if (isAbsolute || pattern.startsWith("~")) return isMatch(path);
    return isMatch(isInside ? path.slice(folder.length) : path);
  };
}

function textsIn(input: JsonObject): readonly string[] {
  return Object.values(input).filter((value) => typeof value === "string");
}
