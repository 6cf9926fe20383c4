import { linkSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type ProcessIdentity, identify, isAlive } from "./process-table.ts";

/** Milliseconds that a dead owner's processes have to go once they were killed. */
const LEFTOVER_TIMEOUT_MS = 5_000;

/** Who runs on a state folder. */
interface Owner {
  readonly process: ProcessIdentity;
  readonly address: string;
  /** Its runtime's processes, to end when it died without doing so. */
  readonly runtime: readonly ProcessIdentity[];
}

/** A state folder that is ours until this process ends. */
export interface OwnedState {
  /** Notes which processes to end should this one die. */
  noteRuntime(processes: readonly ProcessIdentity[]): void;
}

/**
 * Makes a state folder ours and ends what a dead owner left running on it. Two runtimes on one folder would both fire
 * its alarms.
 *
 * Owners stand in numbered files, and the highest counts. Each is created exclusively, so that of two who find the last
 * owner dead only one takes the next number; the highest is never removed, so that a slow one cannot start a new count.
 */
export async function ownState(folder: string, address: string): Promise<OwnedState | { readonly heldBy: Owner }> {
  const owners = join(folder, "owners");
  mkdirSync(owners, { recursive: true, mode: 0o700 });
  const self = identify(process.pid);
  if (self === undefined) throw new Error("This process is not in the list of processes.");
  for (;;) {
    const last = Math.max(0, ...ownerNumbers(owners));
    const before = last === 0 ? undefined : readOwner(join(owners, `${last}.json`));
    if (before !== undefined && isAlive(before.process)) return { heldBy: before };
    const file = join(owners, `${last + 1}.json`);
    const owner: Owner = { process: self, address, runtime: before?.runtime ?? [] };
    if (!createOwner(file, owner)) continue;
    await endProcesses(owner.runtime);
    for (const number of ownerNumbers(owners))
      if (number <= last) rmSync(join(owners, `${number}.json`), { force: true });
    return { noteRuntime: (runtime) => replaceOwner(file, { ...owner, runtime }) };
  }
}

/** Kills these very processes and resolves when they are gone. */
export async function endProcesses(processes: readonly ProcessIdentity[]): Promise<void> {
  const deadline = performance.now() + LEFTOVER_TIMEOUT_MS;
  for (let left = processes.filter(isAlive); left.length > 0; left = left.filter(isAlive)) {
    if (performance.now() > deadline)
      throw new Error(`Processes ${left.map(({ pid }) => pid).join(", ")} cannot be ended.`);
    for (const { pid } of left) kill(pid);
    await sleep(20);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // it ended meanwhile
  }
}

function ownerNumbers(owners: string): readonly number[] {
  return readdirSync(owners).flatMap((name) => (/^\d+\.json$/.test(name) ? [Number.parseInt(name, 10)] : []));
}

/** Undefined for a file that is gone or damaged: neither says that anyone lives. */
function readOwner(file: string): Owner | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Owner; // written by createOwner alone
  } catch {
    return undefined;
  }
}

/** Creates the file whole or not at all; false when there is one already. */
function createOwner(file: string, owner: Owner): boolean {
  const draft = writeDraft(file, owner);
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false; // what linkSync throws
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function replaceOwner(file: string, owner: Owner): void {
  renameSync(writeDraft(file, owner), file);
}

function writeDraft(file: string, owner: Owner): string {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(owner), { mode: 0o600 });
  return draft;
}
