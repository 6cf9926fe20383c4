import type { Bash } from "just-bash/browser";
import type { Script, Statement } from "./shell-types";
import { HOME } from "./workspace-path";

/** What a shell keeps from one command to the next. Plain JSON. */
export interface ShellState {
  readonly cwd: string;
  /** Variables, exported or not; all are exported to the next command. Arrays do not last. */
  readonly env: Readonly<Record<string, string>>;
  /** Source of each function that a command declared at its top level, by name. */
  readonly functions: Readonly<Record<string, string>>;
}

/** A shell that nothing was done in. */
export const FRESH_STATE: ShellState = { cwd: HOME, env: { HOME }, functions: {} };

/** Longest state in characters of JSON; a command that makes more keeps its results but not its state. */
export const MAX_STATE_CHARS = 256 * 1024;

/** Those that a shell sets by itself, and those that leave it unusable when a command forgets them. */
const NOT_KEPT = new Set(
  "? _ PWD SHELLOPTS BASHOPTS IFS OPTIND OPTARG OSTYPE MACHTYPE HOSTTYPE HOSTNAME REPLY PIPESTATUS".split(" "),
);

/** Variables that last, of all that a command left. */
export function lastingEnv(env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const names = Object.keys(env).filter((name) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !NOT_KEPT.has(name));
  return Object.fromEntries(names.sort().map((name) => [name, env[name] ?? ""]));
}

/** The functions of a shell, carried from command to command. */
export interface LastingFunctions {
  /** Those that were there and those that the command declared. */
  collect(): Readonly<Record<string, string>>;
}

/**
 * Gives a shell the functions that earlier commands declared, and notes those that its first command declares. The
 * shell itself forgets them when a command ends.
 */
export function carryFunctions(bash: Bash, functions: ShellState["functions"]): LastingFunctions {
  const earlier = parse(bash, Object.values(functions).join("\n"));
  let declared: readonly Statement[] | undefined;
  let printed: Statement | undefined;
  bash.registerTransformPlugin({
    name: "lasting-functions",
    transform: ({ ast }: { readonly ast: Script }) => {
      if (printed !== undefined) return { ast: { ...ast, statements: [printed] } };
      // only the command itself: what it starts (`bash -c`, `xargs`) is a shell of its own
      if (declared !== undefined) return { ast };
      declared = ast.statements.filter((statement) => functionNameOf(statement) !== undefined);
      return { ast: { ...ast, statements: [...earlier, ...ast.statements] } };
    },
  });
  const print = (statement: Statement): string => {
    printed = statement;
    return bash.transform(":").script;
  };
  return {
    collect: () => ({
      ...functions,
      ...Object.fromEntries((declared ?? []).map((each) => [functionNameOf(each) ?? "", print(each)])),
    }),
  };
}

function parse(bash: Bash, source: string): readonly Statement[] {
  return source === "" ? [] : bash.transform(source).ast.statements;
}

/** Name of the function that a statement declares, when it does nothing else. */
function functionNameOf({ pipelines, background }: Statement): string | undefined {
  const [pipeline, ...others] = pipelines;
  const [command, ...piped] = pipeline?.commands ?? [];
  if (command?.type !== "FunctionDef" || others.length > 0 || piped.length > 0 || background) return undefined;
  return command.name;
}
