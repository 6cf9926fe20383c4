import type { Command } from "#src/lib/shell/script";
import type { Call } from "./call";
import type { Expansion } from "./expand-word";
import { resolveOperand } from "./paths";

/** What the rules are told while a command line is followed. */
export interface Observer {
  /** A program would run. */
  readonly onCall: (call: Call) => void;
  /** A file would be written; the path is resolved. */
  readonly onWrite: (path: string, how: WriteKind, call: Call | undefined) => void;
  /** Something that is no single program or file. */
  readonly onSign: (sign: Sign) => void;
}

export type WriteKind = "redirect" | "program";

export type Sign =
  /** A shell or interpreter would run what came from the network. */
  | "runs-remote"
  /** ... what was decoded, and cannot be known. */
  | "runs-decoded"
  /** ... what another program puts out, and cannot be known. */
  | "runs-produced"
  /** A file would be run that the same command line made a program. */
  | "runs-made"
  /** A function that starts itself more than once at a time. */
  | "fork-bomb"
  /** Code of another language that starts programs. */
  | "starts-programs"
  /** Code of another language that opens a connection. */
  | "connects"
  /** More than can be followed. */
  | "too-complex";

/** How far a command line has been followed: what is known at this place. */
export interface Walk {
  readonly observer: Observer;
  readonly variables: Map<string, readonly string[]>;
  readonly functions: Map<string, Command>;
  /** What files contain that were written on the way, by resolved path. */
  readonly files: Map<string, string>;
  /** Files that were made programs on the way. */
  readonly made: Set<string>;
  cwd: string | undefined;
  positional: readonly string[];
  readonly via: readonly string[];
  readonly depth: number;
  /** What is piped into the command that is being followed. */
  input: string | undefined;
  expansion: Expansion | undefined;
  /** Shared by all copies. */
  readonly budget: Budget;
}

const MAX_FILE_CHARS = 65_536;
/** Programs within programs; deeper ones are not followed. */
const MAX_WALK_DEPTH = 16;
const MAX_CALLS = 10_000;
const MAX_CHARS = 300_000;

/** What looking through a command line may cost, of so many characters. */
export interface Budget {
  calls: number;
  chars: number;
}

/** A budget that no command line uses up that a person could read. */
export function budgetFor(chars: number): Budget {
  return { calls: MAX_CALLS, chars: MAX_CHARS + 3 * chars };
}

/** The beginning of a walk. */
export function beginWalk(observer: Observer, budget: Budget): Walk {
  return {
    observer,
    variables: new Map(),
    functions: new Map(),
    files: new Map(),
    made: new Set(),
    cwd: undefined,
    positional: [],
    via: [],
    depth: 0,
    input: undefined,
    expansion: undefined,
    budget,
  };
}

/** A walk of its own: what changes in a subshell is not seen outside of it. Files are. */
export function branch(walk: Walk, changes: Partial<Pick<Walk, "via" | "positional">> = {}): Walk {
  return {
    ...walk,
    via: changes.via ?? walk.via,
    positional: changes.positional ?? walk.positional,
    variables: walk.variables.size === 0 ? new Map() : new Map(walk.variables),
    depth: walk.depth + 1,
    input: undefined,
    expansion: undefined,
  };
}

/** The same walk seen from further in: variables are shared, but not what changes here. */
export function within(walk: Walk, changes: Partial<Pick<Walk, "via" | "positional">> = {}): Walk {
  return { ...walk, ...changes, input: undefined, expansion: undefined };
}

/** Takes one step; false, and told once, when the command line has too many. */
export function takeStep(walk: Walk): boolean {
  walk.budget.calls -= 1;
  if (walk.budget.calls >= 0 && walk.budget.chars >= 0) return true;
  walk.observer.onSign("too-complex");
  return false;
}

/** Pays for text that is put together on the way; when there is nothing left, the next step is not taken. */
export function spend(walk: Walk, chars: number): void {
  walk.budget.chars -= chars;
  if (walk.budget.chars < 0) walk.observer.onSign("too-complex");
}

/** Whether so much text may still be read, and the walk go one level down. */
export function canEnter(walk: Walk, chars: number): boolean {
  walk.budget.chars -= chars;
  if (walk.budget.chars >= 0 && walk.depth < MAX_WALK_DEPTH) return true;
  walk.observer.onSign("too-complex");
  return false;
}

/** What a file contains that was written on the way; undefined of any other. */
export function readFile(path: string, walk: Walk): string | undefined {
  return walk.files.size === 0 ? undefined : walk.files.get(resolveOperand(path, walk.cwd));
}

/** Remembers what a file contains from here on. */
export function keepFile(path: string, text: string, walk: Walk): void {
  spend(walk, text.length);
  walk.files.set(resolveOperand(path, walk.cwd), text.slice(0, MAX_FILE_CHARS));
}
