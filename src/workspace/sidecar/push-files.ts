import type { StoredNode } from "../base-files";
import { HOME, isWithin } from "../workspace-path";
import { SidecarError, isFault } from "./sidecar-error";
import { type RemoteFile, sha256Of } from "./sidecar-files";
import { MAX_SYNCED_BYTES, conflictName, isUnsynced, unsyncedFolderOf } from "./sync-rules";
import {
  type SyncPorts,
  fileNode,
  forEachOf,
  isAboutRequest,
  syncedAs,
  toRemotePath,
  toRemoteTarget,
} from "./sync-ports";
import type { SyncedFile } from "./sync-store";

/** How often what a sync itself changes here is sent too. */
const MAX_ROUNDS = 3;

/**
 * Sends what changed here since both sides were the same. A file that changed there too is kept in both forms. Each
 * file is noted as it arrives, so what is cut off goes on where it was.
 *
 * @throws SidecarError when the sidecar is not there
 */
export async function pushFiles(ports: SyncPorts): Promise<void> {
  const tried = new Set<string>();
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const dirty = ports.store.dirty().filter((path) => !tried.has(path));
    if (dirty.length === 0) return;
    for (const path of dirty) tried.add(path);
    await pushPaths(ports, dirty);
  }
}

async function pushPaths(ports: SyncPorts, dirty: readonly string[]): Promise<void> {
  const { store } = ports;
  const wanted = dirty.filter((path) => isSyncable(ports, path));
  const kindOf = (path: string) => store.files.find(path)?.kind;
  const guarded = (push: (path: string) => Promise<void>) => (path: string) => noteFailure(ports, path, push(path));
  // what is gone makes room first; the deepest first
  const gone = wanted.filter((path) => kindOf(path) === undefined).toReversed();
  for (const path of gone) await guarded((each) => pushRemoval(ports, each))(path);
  for (const path of wanted.filter((each) => kindOf(each) === "directory"))
    await guarded((each) => pushFolder(ports, each))(path);
  await forEachOf(
    wanted.filter((path) => kindOf(path) === "file"),
    guarded((path) => pushFile(ports, path)),
  );
  for (const path of wanted.filter((each) => kindOf(each) === "symlink"))
    await guarded((each) => pushLink(ports, each))(path);
}

/** What is never sent is no longer looked at. */
function isSyncable({ store, report }: SyncPorts, path: string): boolean {
  const remote = toRemotePath(path);
  if (path !== HOME && isWithin(HOME, path) && !isUnsynced(remote)) return true;
  store.commitSync({ clean: [path] });
  const folder = unsyncedFolderOf(remote);
  if (folder !== undefined && store.files.find(path) !== undefined)
    report.notes.push(`${folder} of the workspace was not sent to the sidecar.`);
  return false;
}

/** A file that cannot be sent keeps no other from it, and is tried again the next time. */
async function noteFailure({ report }: SyncPorts, path: string, work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof SidecarError) || !isAboutRequest(error)) throw error;
    report.notes.push(`${toRemotePath(path)} could not be sent to the sidecar. ${error.message}`);
  }
}

async function pushFolder({ store, files }: SyncPorts, path: string): Promise<void> {
  const made = await files.makeFolder(toRemotePath(path));
  store.commitSync({ synced: [[path, syncedAs(made, "", false)]], clean: [path] });
}

/** Sends a link, unless something else has come to its place there: then it is kept beside that. */
export async function pushLink(ports: SyncPorts, path: string): Promise<void> {
  const { store, link, files, root } = ports;
  const node = store.files.find(path);
  if (node?.kind !== "symlink") return;
  const remote = toRemotePath(path);
  const target = toRemoteTarget(node.target ?? "", root);
  const there = await files.stat(remote);
  const isThere = there?.kind === "symlink" && there.target === target;
  if (there !== undefined && !isThere && !isUnchanged(there, store.synced(path)))
    return keepLocalBeside(ports, path, node);
  if (!isThere) await link(remote, target);
  const made = isThere ? there : await files.stat(remote);
  store.commitSync({ synced: [[path, made && syncedAs(made, "", false)]], clean: [path] });
}

async function pushRemoval({ store, files }: SyncPorts, path: string): Promise<void> {
  const base = store.synced(path);
  const remote = toRemotePath(path);
  const found = base === undefined ? undefined : await files.stat(remote);
  // what changed there meanwhile is newer than the removal: it comes back with the next fetch
  if (found !== undefined && isUnchanged(found, base)) await files.remove(remote).catch(unlessNotEmpty);
  store.commitSync({ synced: [[path, undefined]], clean: [path] });
}

/** Whether the sidecar has what both sides had. */
function isUnchanged(found: RemoteFile, base: SyncedFile | undefined): boolean {
  const content = found.kind === "file" ? (found.sha256 ?? "") : (found.target ?? "");
  return found.kind === base?.kind && content === base.content;
}

function unlessNotEmpty(error: unknown): void {
  if (!isFault(error, "folder_not_empty")) throw error;
}

async function pushFile(ports: SyncPorts, path: string): Promise<void> {
  const { store, files, report } = ports;
  const node = store.files.find(path);
  if (node === undefined) return;
  if (node.size > MAX_SYNCED_BYTES) {
    store.commitSync({ clean: [path] });
    report.notes.push(`${toRemotePath(path)} (${megabytes(node.size)}) is too large to be sent to the sidecar.`);
    return;
  }
  const base = store.synced(path);
  const bytes = store.files.read(path);
  const sha256 = await sha256Of(bytes);
  if (base?.kind === "file" && base.content === sha256 && base.mode === (node.mode & 0o777))
    return store.commitSync({ clean: [path] });
  const expected = base?.kind === "file" ? base.content : null;
  try {
    const written = await files.write(toRemotePath(path), bytes, { mode: node.mode, expected });
    store.commitSync({ synced: [[path, syncedAs(written, sha256, true)]], clean: [path] });
  } catch (error) {
    if (!isFault(error, "precondition_failed", "file_type_wrong")) throw error;
    await reconcile(ports, path, { node, bytes, sha256 });
  }
}

/** A file as it is here. */
interface LocalFile {
  readonly node: StoredNode;
  readonly bytes: Uint8Array;
  readonly sha256: string;
}

/**
 * Settles a file that changed here and there. The one from here keeps its name, the other one is kept beside it; where
 * a folder or link has the name there, it is the other way round. Nothing is overwritten before it is kept.
 */
export async function reconcile(ports: SyncPorts, path: string, local: LocalFile): Promise<void> {
  const { store, files } = ports;
  const remotePath = toRemotePath(path);
  const remote = await files.stat(remotePath);
  if (remote?.kind === "file" && remote.sha256 === local.sha256)
    return store.commitSync({ synced: [[path, syncedAs(remote, local.sha256, true)]], clean: [path] });
  if (remote !== undefined && (remote.kind !== "file" || remote.size > MAX_SYNCED_BYTES))
    return keepLocalBeside(ports, path, local.node, local.bytes);
  const expected = remote === undefined ? null : await keepRemoteBeside(ports, path);
  if (expected === undefined) return; // it is gone again: the next time tells
  const written = await files.write(remotePath, local.bytes, { mode: local.node.mode, expected });
  store.commitSync({ synced: [[path, syncedAs(written, local.sha256, true)]], clean: [path] });
}

/** Keeps what the sidecar has under another name. Resolves with the hash of what was kept, unless it is gone. */
async function keepRemoteBeside({ store, files, report }: SyncPorts, path: string): Promise<string | undefined> {
  const remotePath = toRemotePath(path);
  const found = await files.read(remotePath);
  const stat = await files.stat(remotePath);
  if (found === undefined || stat === undefined || stat.sha256 !== found.sha256) return undefined;
  if (found.sha256 === store.synced(path)?.content) return found.sha256; // only here it changed
  const copy = conflictName(path, (name) => store.files.find(name) !== undefined);
  const node = fileNode(found.bytes.length, stat.mode, stat.modifiedAt);
  store.commitSync({
    changes: [{ path: copy, node, content: found.bytes }],
    synced: [[path, syncedAs(stat, found.sha256, true)]],
    dirty: [copy, path],
  });
  report.notes.push(
    `${remotePath} changed both here and on the sidecar: the sidecar's is kept as ${toRemotePath(copy)}.`,
  );
  return found.sha256;
}

function keepLocalBeside({ store, report }: SyncPorts, path: string, node: StoredNode, content?: Uint8Array): void {
  const copy = conflictName(path, (name) => store.files.find(name) !== undefined);
  store.commitSync({
    changes: [
      { path, node: undefined },
      { path: copy, node, ...(content === undefined ? {} : { content }) },
    ],
    synced: [[path, undefined]],
    clean: [path],
    dirty: [copy],
  });
  report.notes.push(
    `${toRemotePath(path)} is something else on the sidecar: the workspace's is kept as ${toRemotePath(copy)}.`,
  );
}

/** A size for people. */
export function megabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
