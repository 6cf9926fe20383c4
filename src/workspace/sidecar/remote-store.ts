import type { SidecarCommand } from "./sidecar-exec";
import type { SyncStore } from "./sync-store";

/** A command that was, or is about to be, given to the sidecar: a row before it is an action. */
export interface RunRow {
  /** The caller's key. */
  readonly key: string;
  /** By which the sidecar knows it, and by which its processes are found. */
  readonly name: string;
  readonly command: SidecarCommand;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Whether it ran is not known, and it will not be run again. */
  readonly isLost: boolean;
}

/** A background process as the workspace remembers it, whatever becomes of the sidecar. */
export interface ProcessRow {
  readonly id: string;
  readonly sessionKey: string;
  readonly command: string;
  readonly tellsEnd: boolean;
  readonly watches: boolean;
  readonly startedAt: number;
  readonly status: "running" | "exited" | "lost";
  readonly endedAt?: number;
  readonly exitCode?: number;
  /** Its session knows that it has ended. */
  readonly isEndKnown: boolean;
}

/** Something that a session is still to be told. */
export interface NoticeRow {
  /** Unique for ever: a session that heard it once does not hear it again. */
  readonly key: string;
  readonly sessionKey: string;
  readonly text: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** What a workspace remembers of its sidecar. */
export interface RemoteStore extends SyncStore {
  run(key: string): RunRow | undefined;
  saveRun(run: RunRow): void;
  /** It did not run, or its outcome is recorded. */
  dropRun(key: string): void;
  process(id: string): ProcessRow | undefined;
  /** Oldest first. */
  processes(): readonly ProcessRow[];
  saveProcess(row: ProcessRow): void;
  /** Keeps the newest of those that have ended. */
  pruneProcesses(): void;
  notices(): readonly NoticeRow[];
  addNotice(notice: NoticeRow): void;
  dropNotice(key: string): void;
  transaction<T>(work: () => T): T;
}
