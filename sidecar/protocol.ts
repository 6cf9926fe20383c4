/** The version of the protocol, which is the beginning of every path. */
export const PROTOCOL = "v1";

/** Source: the exec envelope of HTTP hooks, which any command hook understands. */
export const ENVELOPE_TYPE = "application/vnd.agent-hook.exec+json";

/** Why a command did not run, or did not end by itself. */
export type ExecError = "command_not_found" | "not_executable" | "hash_mismatch" | "memory_limit" | "disk_limit";

/** What came of a command. */
export interface ExecEnvelope {
  /** 124 when time ran out, 126 and 127 when it could not be started, 128 + n when a signal ended it. */
  readonly exit_code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly stdout_dropped_bytes: number;
  readonly stderr_dropped_bytes: number;
  readonly duration_ms: number;
  readonly timed_out?: true;
  readonly signal?: string;
  readonly error?: ExecError;
  /** The hash of the script that was found, when one was asked for. */
  readonly script_sha256?: string;
  /** Processes that outlived the command were ended. */
  readonly left_behind?: true;
}

/** A line of the streamed form of exec. */
export type ExecLine =
  | { readonly type: "stdout" | "stderr"; readonly text: string }
  | { readonly type: "alive" }
  | { readonly type: "result"; readonly result: ExecEnvelope };

/** A background process. */
export interface ProcessView {
  readonly id: string;
  readonly command: string;
  /** `lost`: it ran when the sidecar was killed, and how it ended is not known. */
  readonly status: "running" | "exited" | "lost";
  readonly started_at: number;
  readonly ended_at?: number;
  readonly exit_code?: number;
  readonly signal?: string;
  readonly timed_out?: true;
  readonly error?: ExecError;
  /** How much it has written, stdout and stderr together. */
  readonly log_bytes: number;
  /** Its last lines. */
  readonly tail: string;
}

/** A terminal. */
export interface TerminalView {
  readonly id: string;
  readonly command: string;
  readonly status: "running" | "exited";
  readonly cols: number;
  readonly rows: number;
  readonly started_at: number;
  readonly exit_code?: number;
  readonly log_bytes: number;
  /** Sockets that are attached. */
  readonly clients: number;
}

/** Something that happened in a session while nobody need have looked. */
export interface SessionEvent {
  readonly cursor: string;
  readonly at: number;
  readonly type: "process.exited" | "process.matched" | "process.lost" | "terminal.exited";
  readonly id: string;
  readonly exit_code?: number;
  /** `process.matched`: what was watched for, and the line that holds it. */
  readonly pattern?: string;
  readonly line?: string;
  /** `process.matched`: matches that were left out because they came too fast. */
  readonly suppressed?: number;
}

/** A file, folder or symbolic link. */
export interface FileView {
  /** From the session's folder of files. */
  readonly path: string;
  readonly type: "file" | "folder" | "link" | "other";
  readonly size: number;
  readonly mode: number;
  readonly modified_at: number;
  /** Where a link points to, as it is written. */
  readonly target?: string;
  readonly sha256?: string;
}
