import type { WorkspaceQuota } from "#src/workspace/base-files";
import { attachDisk } from "#src/workspace/sidecar/attach-disk";
import { fetchFiles, sendFiles } from "#src/workspace/sidecar/remote-files";
import type { RemoteShellPorts } from "#src/workspace/sidecar/remote-shell";
import type { RemoteStore } from "#src/workspace/sidecar/remote-store";
import { openSidecar } from "#src/workspace/sidecar/sidecar-client";
import { endProcess } from "#src/workspace/sidecar/take-events";
import type { ChooseShell, RealShell } from "./sandbox-backend";

/** Milliseconds for which what was fetched counts as what there is, while something runs that may change it. */
const FRESH_MS = 1500;
/** Milliseconds for which a sidecar that did not answer is not asked for the sake of a look at files. */
const SPARED_MS = 30_000;
/** Milliseconds that a look at files may wait for the sidecar, before it is answered with what is here. */
const LOOK_TIMEOUT_MS = 10_000;

/** What a workspace's sidecar needs of its object. */
export interface SandboxRemoteOptions {
  readonly store: RemoteStore;
  readonly choose: ChooseShell;
  /** By which the sidecar knows the workspace. */
  readonly session: () => string;
  readonly quota: WorkspaceQuota;
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
  readonly cwd: () => string;
  readonly now: () => number;
}

/** The workspace's side of its sidecar, if it has one. */
export interface SandboxRemote {
  /** Undefined where commands run in the simulated shell. @throws GatewayError `not_configured` */
  ports(): Promise<RemoteShellPorts | undefined>;
  /** Fetches what may have changed there, if anything runs that could have. Never throws. */
  freshen(): Promise<void>;
  /** Sends what was just written here to what runs there. To be called in turn. Never throws. */
  share(): Promise<void>;
  /** What syncs beside commands had to tell, since this was last asked. */
  takeNotes(): readonly string[];
  /** Takes in what happened to processes, and the files of those that have ended. Never throws. */
  look(): Promise<void>;
  shell(): Promise<RealShell | undefined>;
  /** Epoch milliseconds of the last time that the sidecar was needed. */
  usedAt(): number;
}

export function openSandboxRemote(options: SandboxRemoteOptions): SandboxRemote {
  const { store, choose, session, quota, inTurn, cwd, now } = options;
  let running = 0;
  let fetchedAt = 0;
  let usedAt = now();
  let notes: string[] = [];

  const isQuiet = (): boolean => running === 0 && store.processes().every(({ status }) => status !== "running");

  function begin(): () => void {
    running++;
    return () => {
      running--;
      usedAt = now();
    };
  }

  async function ports(): Promise<RemoteShellPorts | undefined> {
    const shell = await choose();
    if (shell === undefined) return undefined;
    usedAt = now();
    return {
      client: openSidecar(shell.address, session()),
      store,
      quota,
      inTurn,
      cwd,
      isQuiet,
      begin,
      now,
      network: shell.hasInternet ? "default" : "none",
      randomId: () => crypto.randomUUID(),
    };
  }

  /** The sidecar, if something may be going on there. */
  async function busyPorts(): Promise<RemoteShellPorts | undefined> {
    return store.state()?.isQuiet === false ? ports() : undefined;
  }

  /** What happens beside the call is no reason for it to fail: the next sync does what this one could not. */
  async function quietly(work: () => Promise<void>): Promise<void> {
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, LOOK_TIMEOUT_MS);
    await Promise.race([work().catch(() => undefined), late.promise]);
    clearTimeout(timer);
  }

  return {
    ports,
    shell: choose,
    usedAt: () => usedAt,
    async freshen() {
      if (store.state()?.isQuiet !== false || now() - fetchedAt < FRESH_MS) return;
      fetchedAt = now() + SPARED_MS;
      await quietly(async () => {
        const busy = await busyPorts();
        if (busy !== undefined) notes.push(...(await inTurn(() => fetchFiles(busy, isQuiet))));
        fetchedAt = now();
      });
    },
    share: () =>
      quietly(async () => {
        const busy = await busyPorts();
        if (busy !== undefined) notes.push(...(await sendFiles(busy)).notes);
      }),
    takeNotes() {
      const taken = [...new Set(notes)];
      notes = [];
      return taken;
    },
    look: () =>
      quietly(async () => {
        const there = store.state() === undefined ? undefined : await ports();
        if (there === undefined) return;
        await inTurn(() => lookAtProcesses(there));
        // the last that they changed
        const isOver = store.state()?.isQuiet === false && isQuiet();
        if (isOver) notes.push(...(await inTurn(() => fetchFiles(there, isQuiet))));
      }),
  };
}

/** Events tell of most; an end that came before its process was noted is only seen by looking. */
async function lookAtProcesses(ports: RemoteShellPorts): Promise<void> {
  const { store, client, now } = ports;
  await attachDisk(ports);
  const running = store.processes().filter(({ status }) => status === "running");
  if (running.length === 0) return;
  const found = new Map((await client.processes.list()).map((each) => [each.id, each]));
  for (const row of running) {
    const { status = "lost", exitCode, tail = "" } = found.get(row.id) ?? {};
    if (status !== "running") endProcess(store, row, { status, exitCode, tail }, now());
  }
}
