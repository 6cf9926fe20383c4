import type { RemoteStore } from "./remote-store";
import { markScript, READ_MARK } from "./shell-script";
import type { SidecarClient } from "./sidecar-client";
import { brokenProtocol } from "./sidecar-error";
import { type EventPage, bootOf } from "./sidecar-processes";
import type { SyncState } from "./sync-store";
import { endProcess, takeEvents } from "./take-events";

/** What attaching needs of the world. */
export interface AttachPorts {
  readonly client: SidecarClient;
  readonly store: RemoteStore;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly randomId: () => string;
}

const NOTES_TIMEOUT_MS = 15_000;

/**
 * Makes sure that the sidecar has the disk that the workspace knows, and takes in what happened to its processes. A
 * disk that it does not know gets a mark, and the workspace begins anew with it.
 *
 * @throws SidecarError
 */
export async function attachDisk(ports: AttachPorts): Promise<SyncState> {
  const { client, store } = ports;
  const before = store.state();
  const page = await client.processes.events(before?.cursor);
  const boot = bootOf(page.cursor);
  if (before === undefined || before.boot !== boot) {
    const { maxTimeoutMs } = await inspect(client);
    const isKnown = before !== undefined && before.mark !== "" && (await readMark(client)) === before.mark;
    if (isKnown) store.setState({ ...before, boot, maxTimeoutMs });
    else await begin(ports, boot, page.cursor, maxTimeoutMs);
  }
  await note(ports, page);
  const state = store.state();
  if (state === undefined) throw new TypeError("a workspace lost its state while it was attached");
  return state;
}

/**
 * Makes sure that what was just asked of the sidecar was answered by the disk that the workspace is attached to.
 *
 * @throws SidecarError `protocol` when it was another
 */
export async function confirmDisk(ports: AttachPorts): Promise<void> {
  const { client, store } = ports;
  const state = store.state();
  const page = await client.processes.events(state?.cursor);
  if (state === undefined || bootOf(page.cursor) !== state.boot)
    throw brokenProtocol("it was started anew in the middle of a sync; the next one begins again");
  await note(ports, page);
}

/** Asked in this order: without the token the sidecar says of itself only that it is there. */
async function inspect(client: SidecarClient): Promise<{ readonly maxTimeoutMs: number }> {
  await client.root();
  return client.health();
}

async function readMark(client: SidecarClient): Promise<string> {
  const command = { shell: READ_MARK, shell_name: "sh", timeout_ms: NOTES_TIMEOUT_MS } as const;
  return (await client.exec(command, {})).stdout.trim();
}

/** A crash before the last line leaves a mark that nobody knows, which is replaced the next time. */
async function begin(
  { client, store, now, randomId }: AttachPorts,
  boot: string,
  cursor: string,
  maxTimeoutMs: number,
): Promise<void> {
  const mark = randomId();
  const root = await client.root();
  const command = { shell: markScript(mark), shell_name: "sh", timeout_ms: NOTES_TIMEOUT_MS } as const;
  const { exitCode, stderr } = await client.exec(command, {});
  if (exitCode !== 0) throw brokenProtocol(`its disk cannot be written: ${stderr.trim().slice(0, 200)}`);
  const isQuiet = false;
  const running = new Set((await client.processes.list()).map(({ id }) => id));
  store.transaction(() => {
    store.beginSync({ mark, boot, cursor, root, maxTimeoutMs, isQuiet, left: [] });
    const lost = store.processes().filter(({ id }) => !running.has(id));
    for (const row of lost) endProcess(store, row, { status: "lost", tail: "" }, now());
  });
}

async function note({ client, store, now }: AttachPorts, page: EventPage): Promise<void> {
  const tails = new Map<string, string>();
  for (const { type, processId } of page.events) {
    if (type !== "exited" || store.process(processId)?.tellsEnd !== true) continue;
    const found = await client.processes.find(processId).catch(() => undefined);
    tails.set(processId, found?.tail ?? "");
  }
  takeEvents(store, page, (id) => tails.get(id) ?? "", now());
}
