import type { Bash } from "just-bash/browser";

/** How much computation just-bash may still do: see src/workspace/fuel.ts. */
export interface Meter {
  /** Loop rounds, calls and the like; below zero the shell throws wherever it is. */
  left: number;
}

/** The shell, as `scripts/build-late.ts` builds it. */
export interface JustBash {
  readonly Bash: typeof Bash;
  /** One for the isolate: several workspaces can live in it. */
  readonly meter: Meter;
}

let loaded: JustBash | undefined;

/**
 * Loads the shell: a module of its own, because it is larger than all the rest of the Worker and most starts never run
 * a command. Its path is the same here and, by `base_dir` in wrangler.toml, beside the uploaded Worker.
 */
export async function loadJustBash(): Promise<JustBash> {
  // not its promise: one that belongs to an object that was ended never settles for the others
  // oxlint-disable-next-line typescript/no-unnecessary-type-assertion -- the file may not be built when types are checked
  loaded ??= (await import("./dist/just-bash.js" as string)) as JustBash;
  return loaded;
}
