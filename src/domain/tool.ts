import type { Delegation } from "./delegation";
import type { JsonObject } from "./json";
import type { Processes } from "./process";
import type { ToolSchema } from "./provider";

/**
 * What may happen when a call that had started is found unfinished after a crash.
 * - `safe`: it changes nothing; it runs again.
 * - `idempotent`: it runs again with the same key, and whoever it acts on drops the second one.
 * - `unsafe`: it never runs again; the model is told that the outcome is unknown.
 */
export type ToolEffect = "safe" | "idempotent" | "unsafe";

/** One file or folder of a workspace. */
export interface FileStat {
  readonly path: string;
  readonly isDirectory: boolean;
  /** Bytes. */
  readonly size: number;
  /** Epoch milliseconds. */
  readonly modifiedAt: number;
}

export interface ExecResult {
  readonly exitCode: number;
  /** Text of both streams, each in order; already bounded by the workspace. */
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
  /** Working directory after the command. */
  readonly cwd: string;
  /** What else there is to know of it, a sentence each: copies made of a conflict, files that are not kept. */
  readonly notes?: readonly string[];
}

/** Text found in a file: `line` is 1-based. */
export interface SearchMatch {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

/**
 * The files and the shell of a profile, wherever they live. Paths are absolute or relative to the shell's directory.
 * A mutation with a `key` that was seen before returns the first one's result and changes nothing.
 */
export interface Workspace {
  /** Resolves undefined when there is no such file. @throws GatewayError `bad_request` for a directory. */
  readFile(path: string): Promise<Uint8Array | undefined>;
  writeFile(path: string, bytes: Uint8Array, key: string): Promise<void>;
  removeFile(path: string, key: string): Promise<boolean>;
  stat(path: string): Promise<FileStat | undefined>;
  /** Everything below a path, files and folders, at most `limit` entries, sorted by path. */
  list(path: string, limit: number): Promise<readonly FileStat[]>;
  exec(
    command: string,
    options: {
      readonly key: string;
      readonly workdir?: string;
      readonly timeoutMs: number;
      readonly signal: AbortSignal;
      /** Runs in a terminal of its own. @throws GatewayError `not_configured` where there is none */
      readonly isTerminal?: boolean;
      /** Hears the latest of what a long command prints, now and then. */
      readonly onOutput?: (text: string) => void;
    },
  ): Promise<ExecResult>;
  /** Absent where nothing can run in the background. */
  readonly processes?: Processes;
}

/** The profile's two memory documents; entries are joined by a line with only `§`. */
export interface MemoryStore {
  read(target: "memory" | "user"): Promise<readonly string[]>;
  /** Replaces the entries if they are still `expected`. @throws GatewayError `conflict` */
  write(target: "memory" | "user", entries: readonly string[], expected: readonly string[]): Promise<void>;
}

/** The session's task list. */
export interface TodoItem {
  readonly id: string;
  readonly content: string;
  readonly status: "pending" | "in_progress" | "completed" | "cancelled";
}

export interface TodoStore {
  read(): readonly TodoItem[];
  write(items: readonly TodoItem[]): void;
}

/** What a running tool may use. */
export interface ToolContext {
  /** The same for every run of this call, also after a crash: the idempotency key. */
  readonly callKey: string;
  readonly sessionKey: string;
  readonly signal: AbortSignal;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly workspace: Workspace;
  readonly memory: MemoryStore;
  readonly todos: TodoStore;
  /** Absent where nothing may be delegated. */
  readonly delegation?: Delegation;
  /** Shows what a command printed to those who may change it, before it is cut and cleaned. */
  readonly shapeOutput?: (raw: {
    readonly command: string;
    readonly output: string;
    readonly exitCode: number;
    readonly cwd: string;
  }) => Promise<string>;
  /** Shows people what a long call is at. */
  readonly onProgress?: (text: string) => void;
  /**
   * Runs another tool on behalf of this call, past the same hooks and rules as a call of the model. `number` counts
   * them: the same call with the same number is the same one, also after a crash. Never throws but for an abort.
   */
  readonly callTool?: (
    name: string,
    args: JsonObject,
    number: number,
  ) => Promise<{ readonly content: string; readonly isError?: boolean }>;
}

/** A question to the person, which parks the turn until they answer. */
export interface Question {
  readonly text: string;
  readonly choices: readonly string[];
}

export type ToolOutcome =
  | { readonly content: string; readonly isError?: boolean }
  /** The person's answer becomes the result. */
  | { readonly ask: Question };

/** How a call may run beside others of the same answer. Paths are as the arguments give them. */
export type ToolParallel<Args> =
  | "never"
  | "always"
  /** Beside others unless their paths overlap and one of them writes. An undefined path is unknown: never parallel. */
  | { readonly access: "read" | "write"; readonly paths: (args: Args) => readonly string[] | undefined };

/**
 * One tool. `Args` is what `parse` makes of the model's JSON.
 * `execute` never throws for what the outside does: a failure is an outcome with `isError`, written for the model.
 */
export interface Tool<Args = unknown> {
  readonly name: string;
  readonly toolset: string;
  readonly description: string;
  /** JSON Schema of the arguments object, for the model. */
  readonly parameters: ToolSchema["parameters"];
  /** Reads the model's arguments. @throws GatewayError `bad_request`, its sentence names the field. */
  parse(input: unknown): Args;
  readonly effect: ToolEffect;
  readonly parallel: ToolParallel<Args>;
  /** Longest result in characters before the rest is spilled to the workspace; the turn's default when absent. */
  readonly maxResultChars?: number;
  execute(args: Args, context: ToolContext): Promise<ToolOutcome>;
}

/** Lets tools of different argument types stand in one list: what `parse` returns is what `execute` takes. */
// oxlint-disable-next-line typescript/no-explicit-any -- the pairing of parse and execute is inside each tool
export type AnyTool = Tool<any>;
