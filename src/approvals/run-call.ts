import type { Command } from "#src/lib/shell/script";
import { type Carried, carriedBy, isShell } from "./carried";
import { type Call, hasFlag, optionsOf } from "./call";
import { DECODED, HOME, PRODUCED, REMOTE, SHELL_OUTPUT, UNKNOWN, isKnown, originsOf } from "./markers";
import { outputOf } from "./output";
import { resolveOperand } from "./paths";
import { withoutChange } from "./printed-text";
import { programName } from "./program-name";
import { readCode } from "./read-code";
import { type Walk, branch, canEnter, keepFile, readFile, spend, takeStep, within } from "./walk";
import { findWrapped } from "./wrappers";
import { filesWritten } from "./written-files";

/** A simple command once its words are expanded. */
export interface Invocation {
  readonly fields: readonly string[];
  readonly sources: readonly string[];
  readonly stdin: string | undefined;
  readonly environment: ReadonlyMap<string, string>;
  /** The program is named by a file pattern. */
  readonly hasPattern: boolean;
}

/** The rest of the walk, which programs lead back into. */
export interface Runner {
  readonly runText: (text: string, walk: Walk, stdin: string | undefined) => string;
  readonly runCommand: (command: Command, walk: Walk, stdin: string | undefined) => string;
}

/** Programs that hand their words to a shell, which reads them anew. */
const REPARSED: ReadonlySet<string> = new Set("ssh autossh watch parallel adb heroku salt tmux".split(" "));
/** Programs whose command runs on another machine, or in a container: its folders are not ours. */
const ELSEWHERE: ReadonlySet<string> = new Set(
  "ssh autossh docker podman nerdctl docker-compose kubectl oc adb heroku salt lxc incus chroot".split(" "),
);
/** Programs whose command reads what they are given. */
const HANDS_INPUT_ON: ReadonlySet<string> = new Set("su runuser sg flock script env eval nix-shell".split(" "));
const MAX_ARGUMENTS = 200;

/** Follows one program, and every program inside of it; answers what it prints, as far as that is known. */
export function runInvocation(invocation: Invocation, walk: Walk, runner: Runner): string {
  const [name = "", ...args] = invocation.fields;
  const body = walk.functions.get(name);
  if (body !== undefined) return runFunction(`${name}()`, { body, args, stdin: invocation.stdin }, walk, runner);
  const call = callOf(invocation, walk);
  if (call.program === "") return args.length === 0 ? "" : runInvocation(withoutFirst(invocation), walk, runner);
  walk.observer.onCall(call);
  const builtin = Object.hasOwn(BUILTINS, call.program) ? BUILTINS[call.program] : undefined;
  if (builtin !== undefined) return builtin(call, walk, runner);
  if (
    walk.made.size > 0 &&
    (walk.made.has(resolveOperand(call.path, walk.cwd)) || walk.made.has(`./${lastName(call.path)}`))
  )
    walk.observer.onSign("runs-made");
  for (const path of filesWritten(call)) walk.observer.onWrite(resolveOperand(path, walk.cwd), "program", call);
  const carried = runCarried(call, walk, runner);
  const wrapped = runWrapped(call, walk, runner);
  return carried ?? wrapped ?? printed(call, walk);
}

function callOf({ fields, sources, stdin, environment, hasPattern }: Invocation, walk: Walk): Call {
  const path = fields[0] ?? "";
  return {
    program: programName(path, sources[0] ?? "", hasPattern),
    path,
    args: fields.slice(1),
    sources: sources.slice(1),
    stdin: stdin ?? "",
    hasStdin: stdin !== undefined,
    environment,
    via: walk.via,
    ...(walk.cwd === undefined ? {} : { cwd: walk.cwd }),
  };
}

/** An empty word in front, as an unset variable in quotes leaves it: what follows is looked at all the same. */
function withoutFirst(invocation: Invocation): Invocation {
  return { ...invocation, fields: invocation.fields.slice(1), sources: invocation.sources.slice(1) };
}

/** A function that calls itself is not followed again: what it does has been seen. */
function runFunction(
  name: string,
  {
    body,
    args,
    stdin,
  }: { readonly body: Command; readonly args: readonly string[]; readonly stdin: string | undefined },
  walk: Walk,
  runner: Runner,
): string {
  if (walk.via.includes(name)) return UNKNOWN;
  const inside = { ...within(walk, { via: [...walk.via, name], positional: args }), depth: walk.depth + 1 };
  return canEnter(inside, 0) && takeStep(inside) ? runner.runCommand(body, inside, stdin) : UNKNOWN;
}

/** The program inside of a wrapper; undefined where there is none. */
function runWrapped(call: Call, walk: Walk, runner: Runner): string | undefined {
  const found = findWrapped(call);
  if (found === undefined) return undefined;
  const inside = branch(walk, { via: [...walk.via, call.program] });
  if (!canEnter(inside, 0) || !takeStep(inside)) return UNKNOWN;
  if (ELSEWHERE.has(call.program)) inside.cwd = undefined;
  const environment = new Map(call.environment);
  for (const variable of found.variables) {
    const at = variable.indexOf("=");
    environment.set(variable.slice(0, at), variable.slice(at + 1));
    inside.variables.set(variable.slice(0, at), [variable.slice(at + 1)]);
  }
  const fields = withInput(call, call.args.slice(found.start));
  const stdin = call.hasStdin && call.program !== "xargs" ? call.stdin : undefined;
  if (REPARSED.has(call.program)) {
    const text = runner.runText(fields.join(" "), inside, stdin);
    return call.program === "ssh" ? text + REMOTE : text;
  }
  const sources = call.sources.slice(found.start);
  return runInvocation(
    { fields, sources: fields.map((field, at) => sources[at] ?? field), stdin, environment, hasPattern: false },
    inside,
    runner,
  );
}

/** What `xargs` and `parallel` make of their input: more arguments, or what stands for `{}`. */
function withInput(call: Call, fields: readonly string[]): readonly string[] {
  if (call.program !== "xargs" && call.program !== "parallel") return fields;
  const separator = fields.indexOf(":::");
  const command = separator === -1 ? fields : fields.slice(0, separator);
  const input = separator === -1 ? inputItems(call) : fields.slice(separator + 1);
  const at = call.args.findIndex((arg) => /^-(?:I|i|-replace)/.test(arg));
  const placeholder =
    at === -1 ? "{}" : call.args[at]?.replace(/^-(?:I|i|-replace=?)/, "") || (call.args[at + 1] ?? "{}");
  const hasPlaceholder =
    (call.program === "parallel" || at !== -1) && command.some((field) => field.includes(placeholder));
  if (!hasPlaceholder) return [...command, ...input];
  return command.flatMap((field) =>
    field === placeholder ? input : [field.replaceAll(placeholder, () => input[0] ?? UNKNOWN)],
  );
}

function inputItems({ stdin }: Call): readonly string[] {
  const text = withoutChange(stdin);
  const items = text.split(/[\s\0]+/).filter((item) => item !== "");
  return items.length === 0 ? [UNKNOWN] : items.slice(0, MAX_ARGUMENTS);
}

/** Runs what a call carries; undefined when it carries nothing. */
function runCarried(call: Call, walk: Walk, runner: Runner): string | undefined {
  const carried = [...carriedBy(call), ...carriedInFile(call, walk)];
  if (carried.length === 0) return isShell(call.program) && hasFlag(call, "-i") ? SHELL_OUTPUT : undefined;
  let output = "";
  for (const each of carried) {
    const inside = branch(walk, { via: [...walk.via, call.program] });
    if (!canEnter(inside, 0)) return UNKNOWN;
    if (ELSEWHERE.has(call.program)) inside.cwd = undefined;
    output += runOne(each, call, inside, runner) ?? "";
  }
  if (!isShell(call.program) && call.program !== "eval") return undefined;
  return isKnown(call.stdin) && !hasFlag(call, "-i") ? output : output + SHELL_OUTPUT;
}

function runOne(carried: Carried, call: Call, walk: Walk, runner: Runner): string | undefined {
  if (carried.type === "call") {
    const { fields } = carried;
    if (fields.length === 0 || !takeStep(walk)) return undefined;
    return runInvocation(
      { fields, sources: fields, stdin: undefined, environment: call.environment, hasPattern: false },
      walk,
      runner,
    );
  }
  if (carried.text.includes(REMOTE)) walk.observer.onSign("runs-remote");
  if (carried.text.includes(DECODED)) walk.observer.onSign("runs-decoded");
  if (carried.text.includes(PRODUCED) && carried.text === call.stdin) walk.observer.onSign("runs-produced");
  if (carried.type === "code") return runCode(carried.language, carried.text, call, walk, runner);
  if (carried.positional !== undefined) walk.positional = carried.positional.slice(1);
  const [own] = carried.positional ?? [];
  if (own !== undefined && own !== "") walk.variables.set("0", [own]);
  const readsOn = call.hasStdin && (carried.positional !== undefined || HANDS_INPUT_ON.has(call.program));
  return runner.runText(carried.text, walk, readsOn ? call.stdin : undefined);
}

/** A shell or interpreter whose file was written on the way, and a program that was. */
function carriedInFile(call: Call, walk: Walk): readonly Carried[] {
  if (walk.files.size === 0) return [];
  const own = call.path.includes("/") ? readFile(call.path, walk) : undefined;
  if (own !== undefined) return [{ type: "script", text: own, positional: ["", ...call.args] }];
  const runsFiles = isShell(call.program) || /^(?:python|perl|ruby|node|php|deno|bun)[\d.]*$/.test(call.program);
  const file = runsFiles && !hasFlag(call, "-c", "-e", "-m") ? optionsOf(call).operands[0] : undefined;
  const text = file === undefined ? undefined : readFile(file, walk);
  if (text === undefined) return [];
  return isShell(call.program)
    ? [{ type: "script", text, positional: ["", ...call.args] }]
    : [{ type: "code", language: "other", text }];
}

function runCode(
  language: Parameters<typeof readCode>[0],
  text: string,
  call: Call,
  walk: Walk,
  runner: Runner,
): undefined {
  const reading = readCode(language, text);
  for (const script of reading.scripts) runner.runText(script, walk, undefined);
  for (const fields of reading.calls) runOne({ type: "call", fields }, call, walk, runner);
  for (const path of reading.writes)
    walk.observer.onWrite(resolveOperand(path.replace(/^~(?=\/)/, HOME), walk.cwd), "program", call);
  if (reading.starts) walk.observer.onSign("starts-programs");
  if (reading.connects) walk.observer.onSign("connects");
  if (reading.runsText) walk.observer.onSign("runs-decoded");
  if (reading.forks) walk.observer.onSign("fork-bomb");
}

/** What a program prints that runs no other; what it writes is remembered. */
function printed(call: Call, walk: Walk): string {
  // looking through a long input costs, however little
  spend(walk, call.stdin.length >> 6);
  const { text, files } = outputOf(call, (path) => readFile(path, walk));
  for (const [path, content] of files) keepFile(path, content, walk);
  return text;
}

type Builtin = (call: Call, walk: Walk, runner: Runner) => string;

const BUILTINS: Readonly<Record<string, Builtin>> = {
  cd: changeFolder,
  pushd: changeFolder,
  popd: (_, walk) => {
    walk.cwd = undefined;
    return "";
  },
  set: (call, walk) => {
    const at = call.args.indexOf("--");
    if (at !== -1) walk.positional = call.args.slice(at + 1);
    return call.args.length === 0 ? outputOf(call, () => undefined).text : "";
  },
  shift: (_, walk) => {
    walk.positional = walk.positional.slice(1);
    return "";
  },
  read: (call, walk) => {
    const values = isKnown(call.stdin) ? call.stdin.trim().split(/\s+/) : [];
    const names = call.args.filter((arg) => /^[A-Za-z_]\w*$/.test(arg));
    names.forEach((name, at) => {
      const value = at === names.length - 1 ? values.slice(at).join(" ") : values[at];
      walk.variables.set(name, [value === undefined || value === "" ? UNKNOWN + originsOf(call.stdin) : value]);
    });
    return "";
  },
  chmod: (call, walk) => {
    const [mode = "", ...paths] = optionsOf(call).operands;
    const makesProgram = /^[ugoa]*\+[rw]*x|^[0-7]*[1357][0-7]{0,2}$/.test(mode) || hasFlag(call, "+x");
    for (const path of makesProgram ? paths : [])
      walk.made.add(resolveOperand(path, walk.cwd)).add(`./${lastName(path)}`);
    return "";
  },
  mkfifo: (call, walk) => {
    // whoever opens the other end says what comes out of it
    for (const path of optionsOf(call).operands) keepFile(path, REMOTE, walk);
    return "";
  },
  source: runSourced,
  ".": runSourced,
  printf: (call, walk) => {
    const { text } = outputOf(call, () => undefined);
    if (call.args[0] !== "-v") return text;
    walk.variables.set(call.args[1] ?? "", [text]);
    return "";
  },
};

function lastName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function changeFolder({ args }: Call, walk: Walk): string {
  const path = args.find((arg) => arg === "-" || !arg.startsWith("-"));
  if (path === undefined) walk.cwd = HOME;
  else if (!path.startsWith("/") && !path.startsWith(HOME) && walk.cwd === undefined) walk.cwd = undefined;
  else walk.cwd = isKnown(path.replaceAll(HOME, "")) ? resolveOperand(path, walk.cwd) : undefined;
  return "";
}

function runSourced(call: Call, walk: Walk, runner: Runner): string {
  const text = readFile(call.args[0] ?? "", walk) ?? (call.args[0] === "/dev/stdin" ? call.stdin : "");
  if (text.includes(REMOTE)) walk.observer.onSign("runs-remote");
  if (text.includes(DECODED)) walk.observer.onSign("runs-decoded");
  return text === "" ? "" : runner.runText(text, { ...within(walk), depth: walk.depth + 1 }, call.stdin);
}
