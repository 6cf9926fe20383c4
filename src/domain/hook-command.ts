/** A hook that is a command, for the sidecar to run. Field names are the wire's. */
export interface HookCommand {
  readonly argv?: readonly string[];
  /** Run as `sh -c` of this. */
  readonly shell?: string;
  readonly stdin: string;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly timeout_ms: number;
  readonly max_output: number;
  /** What may run: another content of this file is refused. */
  readonly script?: { readonly path: string; readonly sha256: string };
}

/** How a command went. Field names are the wire's. */
export interface HookCommandResult {
  readonly exit_code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly timed_out?: boolean;
  /** Why it could not be started. */
  readonly error?: string;
  readonly duration_ms?: number;
  /** SHA-256, hex, of the script that was run or refused. */
  readonly script_sha256?: string;
}
