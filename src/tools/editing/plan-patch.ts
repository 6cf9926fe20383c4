import { GatewayError } from "#src/domain/errors";
import type { TextFile } from "../text-file";
import { applyHunks } from "./apply-hunks";
import type { PatchOperation } from "./parse-patch";

/** One file before and after a patch: undefined where it does not exist. */
export interface FileChange {
  readonly path: string;
  readonly before: TextFile | undefined;
  readonly after: TextFile | undefined;
}

/** Reads a file of the workspace as text; undefined when there is none. */
export type ReadText = (path: string) => Promise<TextFile | undefined>;

/**
 * Works out what a patch does to every file, without writing any. An operation that was done before changes nothing.
 * Files stand in the order in which the patch first touches them, which is the same in every run.
 *
 * @throws GatewayError `bad_request` when one operation cannot be done: then none may be
 */
export async function planPatch(operations: readonly PatchOperation[], read: ReadText): Promise<FileChange[]> {
  const originals = new Map<string, TextFile | undefined>();
  const current = new Map<string, TextFile | undefined>();
  const load = async (path: string): Promise<TextFile | undefined> => {
    if (!current.has(path)) {
      const file = await read(path);
      originals.set(path, file);
      current.set(path, file);
    }
    return current.get(path);
  };
  for (const operation of operations) {
    const changes = await changesOf(operation, load);
    for (const [path, file] of changes) current.set(path, file);
  }
  return Array.from(current, ([path, after]) => ({ path, before: originals.get(path), after }));
}

type Changes = readonly (readonly [string, TextFile | undefined])[];

async function changesOf(operation: PatchOperation, load: ReadText): Promise<Changes> {
  const file = await load(operation.path);
  if (operation.kind === "delete") return [[operation.path, undefined]];
  if (operation.kind === "update") return updated(operation, file, load);
  const text = operation.lines.length === 0 ? "" : `${operation.lines.join("\n")}\n`;
  if (file !== undefined && file.text !== text) {
    throw refused(operation.path, "exists already; change it with *** Update File");
  }
  return [[operation.path, { text, hasMark: file?.hasMark ?? false }]];
}

async function updated(
  { path, moveTo, hunks }: Extract<PatchOperation, { kind: "update" }>,
  file: TextFile | undefined,
  load: ReadText,
): Promise<Changes> {
  const target = moveTo === undefined || moveTo === path ? undefined : await load(moveTo);
  if (file === undefined) {
    // a move that was cut off after its last step: the target is what the patch wants
    const moved = target === undefined ? undefined : applyHunks(target.text, hunks);
    if (moved !== undefined && "isDone" in moved && moved.isDone) return [];
    throw refused(path, "does not exist");
  }
  const patched = applyHunks(file.text, hunks);
  if ("problem" in patched) throw refused(path, patched.problem);
  const after = { text: patched.text, hasMark: file.hasMark };
  if (moveTo === undefined || moveTo === path) return [[path, after]];
  if (target !== undefined && target.text !== after.text)
    throw refused(moveTo, "exists already; nothing is moved over it");
  return [
    [moveTo, after],
    [path, undefined],
  ];
}

function refused(path: string, why: string): GatewayError {
  return new GatewayError("bad_request", `Nothing was changed. ${path}: ${why}.`);
}
