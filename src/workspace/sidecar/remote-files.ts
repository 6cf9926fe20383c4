import type { WorkspaceQuota } from "../base-files";
import { type AttachPorts, attachDisk, confirmDisk } from "./attach-disk";
import { pullFiles } from "./pull-files";
import { pushFiles } from "./push-files";
import { SidecarError } from "./sidecar-error";
import type { SyncPorts, SyncReport } from "./sync-ports";
import type { SyncState } from "./sync-store";

/** What keeping two sides the same needs of the world. */
export interface RemoteFilesPorts extends AttachPorts {
  readonly quota: WorkspaceQuota;
}

const LINK_TIMEOUT_MS = 15_000;

/** Attaches to the sidecar and sends what changed here. Resolves with what the model has to know. @throws SidecarError */
export async function sendFiles(
  ports: RemoteFilesPorts,
): Promise<{ readonly state: SyncState; readonly notes: readonly string[] }> {
  const state = await attachDisk(ports);
  const report = newReport();
  await pushFiles(syncPorts(ports, state, report));
  return { state, notes: report.notes };
}

/**
 * Fetches what changed on the sidecar. `isQuiet` asks, at the end, whether anything runs there that could change more.
 *
 * @throws SidecarError
 */
export async function fetchFiles(ports: RemoteFilesPorts, isQuiet: () => boolean): Promise<readonly string[]> {
  const { store } = ports;
  const state = await attachDisk(ports);
  const report = newReport();
  const quietBefore = isQuiet();
  await pullFiles(syncPorts(ports, state, report));
  const after = store.state();
  if (after === undefined) return report.notes;
  const left = [...report.left].sort();
  const isNew = left.join("\n") !== after.left.join("\n");
  // what began while files were fetched has not been seen
  const quiet = quietBefore && isQuiet();
  if (isNew || quiet !== after.isQuiet) store.setState({ ...after, left, isQuiet: quiet });
  return isNew && left.length > 0 ? [...report.notes, leftNote(left)] : report.notes;
}

const MAX_NAMED = 10;

function leftNote(left: readonly string[]): string {
  const more = left.length > MAX_NAMED ? ` and ${left.length - MAX_NAMED} more` : "";
  return `Only on the sidecar, out of reach of the file tools: ${left.slice(0, MAX_NAMED).join(", ")}${more}.`;
}

function newReport(): SyncReport {
  return { notes: [], left: new Set() };
}

function syncPorts(ports: RemoteFilesPorts, { root }: SyncState, report: SyncReport): SyncPorts {
  const { client, store, quota } = ports;
  return {
    store,
    files: client.files,
    root,
    quota,
    report,
    confirm: () => confirmDisk(ports),
    async link(path, target) {
      const script = 'mkdir -p -- "$(dirname -- "$2")" && ln -sfnT -- "$1" "$2"';
      const argv = ["sh", "-c", script, "sh", target, `./${path}`];
      const { exitCode, stderr } = await client.exec({ argv, timeout_ms: LINK_TIMEOUT_MS }, {});
      if (exitCode !== 0) throw new SidecarError("file_type_wrong", stderr.trim().slice(0, 200));
    },
  };
}
