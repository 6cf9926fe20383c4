import type { FileChange, StoredNode } from "../base-files";
import { childOf } from "../workspace-path";
import { type RemoteFiles, listRemote } from "./list-remote";
import { pushLink, reconcile } from "./push-files";
import { type RemoteFile, sha256Of } from "./sidecar-files";
import { type SyncPorts, fileNode, forEachOf, syncedAs, toLocalTarget, toRemotePath } from "./sync-ports";
import type { SyncedFile } from "./sync-store";

/** Young files that are looked at again in one fetch. */
const MAX_YOUNG = 200;
/** Bytes that are fetched before they are committed. */
const BATCH_BYTES = 4 * 1024 * 1024;
const BATCH_FILES = 100;

/**
 * Fetches what changed on the sidecar since both sides were the same. A file that changed here too is kept in both
 * forms. What is fetched is committed with the note that it was, so what is cut off goes on where it was.
 *
 * @throws SidecarError when the sidecar is not there
 */
export async function pullFiles(ports: SyncPorts): Promise<void> {
  const { store, files, report } = ports;
  const remote = await listRemote(files);
  await ports.confirm();
  for (const name of remote.left) report.left.add(name);
  const base = store.allSynced();
  if (remote.isWhole) forgetGone(ports, remote, base);
  const changed = [...remote.files].filter(([path, file]) => !isAlike(base.get(path), file));
  await confirmYoung(ports, remote, base);
  const sorted = changed.sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [path, file] of sorted.filter(([, { kind }]) => kind !== "file"))
    if (await isFree(ports, path, file)) takeOther(ports, path, file);
  await takeFiles(
    ports,
    sorted.filter(([, { kind }]) => kind === "file"),
    remote,
  );
}

/** Whether the sidecar's file shows no change. */
function isAlike(base: SyncedFile | undefined, file: RemoteFile): boolean {
  if (base === undefined || base.kind !== file.kind) return false;
  if (file.kind === "directory") return true;
  if (file.kind === "symlink") return base.content === (file.target ?? "");
  return base.size === file.size && base.modifiedAt === file.modifiedAt && base.mode === file.mode;
}

/** Whether the sidecar's may take a path here. What changed on both sides is settled first. */
async function isFree(ports: SyncPorts, path: string, file: RemoteFile): Promise<boolean> {
  const { store } = ports;
  const node = store.files.find(path);
  if (node === undefined) {
    // removed here and changed there: it comes back
    if (store.isDirty(path)) store.commitSync({ clean: [path] });
    return true;
  }
  if (node.kind === "directory" && file.kind === "directory") {
    store.commitSync({ synced: [[path, syncedAs(file, "", false)]], clean: [path] });
    return false;
  }
  if (!store.isDirty(path) && store.synced(path) !== undefined) return !hasFolderInTheWay(ports, path);
  await settle(ports, path, node);
  return store.files.find(path) === undefined;
}

/** Removes here what was removed there. What changed here stays, with its folders, and is sent anew. */
function forgetGone({ store }: SyncPorts, remote: RemoteFiles, base: ReadonlyMap<string, SyncedFile>): void {
  // the deepest first
  const gone = [...base.keys()].filter((path) => !remote.files.has(path)).sort((a, b) => (a < b ? 1 : -1));
  if (gone.length === 0) return;
  const removed = new Set<string>();
  const kept: string[] = [];
  for (const path of gone) {
    const left = [...store.files.children(path).keys()].some((name) => !removed.has(childOf(path, name)));
    if (store.isDirty(path) || left) kept.push(path);
    else removed.add(path);
  }
  store.commitSync({
    changes: [...removed].map((path) => ({ path, node: undefined })),
    synced: gone.map((path) => [path, undefined]),
    dirty: kept,
  });
}

/** Looks at the content of files that were noted so young that a later change may look the same. */
async function confirmYoung(
  ports: SyncPorts,
  remote: RemoteFiles,
  base: ReadonlyMap<string, SyncedFile>,
): Promise<void> {
  const { store, files } = ports;
  const young = [...base].filter(([path, file]) => {
    const found = remote.files.get(path);
    return file.isYoung && file.kind === "file" && found !== undefined && isAlike(file, found);
  });
  const confirmed: (readonly [string, SyncedFile])[] = [];
  const taken: (readonly [string, RemoteFile])[] = [];
  await forEachOf(young.slice(0, MAX_YOUNG), async ([path, file]) => {
    const stat = await files.stat(toRemotePath(path));
    if (stat?.kind !== "file") return; // the next fetch sees it
    if (stat.sha256 !== file.content) taken.push([path, stat]);
    else if (!remote.isYoung(stat)) confirmed.push([path, { ...file, isYoung: false }]);
  });
  if (confirmed.length > 0) store.commitSync({ synced: confirmed });
  await takeFiles(ports, taken, remote);
}

function takeOther({ store, root }: SyncPorts, path: string, file: RemoteFile): void {
  const { kind, modifiedAt } = file;
  const target = toLocalTarget(file.target ?? "", root);
  const node: StoredNode =
    kind === "directory"
      ? { kind: "directory", size: 0, mode: 0o755, modifiedAt }
      : { kind: "symlink", size: 0, mode: 0o777, modifiedAt, target };
  store.commitSync({ changes: [{ path, node }], synced: [[path, syncedAs(file, "", false)]] });
}

interface Batch {
  changes: FileChange[];
  synced: (readonly [string, SyncedFile | undefined])[];
  bytes: number;
}

async function takeFiles(
  ports: SyncPorts,
  wanted: readonly (readonly [string, RemoteFile])[],
  remote: RemoteFiles,
): Promise<void> {
  const { store, files, quota, report } = ports;
  let batch: Batch = { changes: [], synced: [], bytes: 0 };
  const commit = (): void => {
    if (batch.synced.length > 0) store.commitSync(batch);
    batch = { changes: [], synced: [], bytes: 0 };
  };
  try {
    await forEachOf(wanted, async ([path, file]) => {
      if (!(await isFree(ports, path, file))) return;
      const { totals } = store.files;
      if (
        totals.nodes + batch.changes.length >= quota.maxNodes ||
        totals.bytes + batch.bytes + file.size > quota.maxBytes
      ) {
        report.left.add(`${file.path} (the workspace is full)`);
        return;
      }
      const found = await files.read(file.path);
      if (found === undefined) return;
      const known = store.synced(path);
      const node = fileNode(found.bytes.length, file.mode, file.modifiedAt);
      const isSame = known?.kind === "file" && known.content === found.sha256;
      batch.changes.push({ path, node, ...(isSame ? {} : { content: found.bytes }) });
      batch.synced.push([path, syncedAs(file, found.sha256, remote.isYoung(file) || found.bytes.length !== file.size)]);
      batch.bytes += found.bytes.length;
      if (batch.bytes >= BATCH_BYTES || batch.synced.length >= BATCH_FILES) commit();
    });
  } finally {
    commit();
  }
}

/** A folder that is something else there, and has something in it here that is not there, stays a folder here. */
function hasFolderInTheWay({ store, report }: SyncPorts, path: string): boolean {
  if (store.files.find(path)?.kind !== "directory" || store.files.children(path).size === 0) return false;
  report.notes.push(`${toRemotePath(path)} is a folder here and none on the sidecar: the sidecar's is not kept here.`);
  return true;
}

async function settle(ports: SyncPorts, path: string, node: StoredNode): Promise<void> {
  // a folder is sent as one, and told about when it cannot be
  if (node.kind === "directory") return;
  if (node.kind === "symlink") return pushLink(ports, path);
  const bytes = ports.store.files.read(path);
  await reconcile(ports, path, { node, bytes, sha256: await sha256Of(bytes) });
}
