/** A command that goes on while its session does other things. */
export interface ProcessRecord {
  readonly id: string;
  readonly command: string;
  /** `lost`: it ran when its machine went away, and how it ended is not known. */
  readonly status: "running" | "exited" | "lost";
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly endedAt?: number;
  /** 124 when time ran out, 128 + n when a signal ended it. */
  readonly exitCode?: number;
  /** The last of what it has written. */
  readonly tail: string;
  /** How much it has written, both streams together. */
  readonly logBytes: number;
}

/** How a background process is started. */
export interface ProcessStart {
  /** The same for every run of this call: a second start with it finds the first one's process. */
  readonly key: string;
  readonly sessionKey: string;
  readonly workdir?: string;
  /** Milliseconds after which it is ended; absent: it runs until it ends by itself. */
  readonly timeoutMs?: number;
  /** Runs in a terminal of its own, as programs want that ask a person. */
  readonly isTerminal: boolean;
  /** The session is told when it ends. */
  readonly tellsEnd: boolean;
  /** Texts of which the session is told when a line holds one. */
  readonly watch: readonly string[];
}

/** A part of what a process has written. Offsets count the bytes of all of it. */
export interface ProcessLog {
  readonly offset: number;
  readonly nextOffset: number;
  /** Bytes that were asked for but are no longer kept. */
  readonly droppedBytes: number;
  readonly text: string;
  /** The process has ended, and this is its last word. */
  readonly isEnd: boolean;
}

/**
 * Background processes of a workspace; a session sees its own. They outlive the session's object, and its turns.
 *
 * Every method @throws GatewayError `not_configured` where commands do not run in a real shell, `not_found` for an id
 * that the session has no process of, `unavailable` when the machine cannot be reached.
 */
export interface Processes {
  start(command: string, options: ProcessStart): Promise<ProcessRecord>;
  /** Oldest first. */
  list(sessionKey: string): Promise<readonly ProcessRecord[]>;
  find(sessionKey: string, id: string): Promise<ProcessRecord>;
  log(sessionKey: string, id: string, range: { readonly offset: number; readonly limit: number }): Promise<ProcessLog>;
  /** Resolves when it has ended, or when the time is over and it still runs. */
  wait(
    sessionKey: string,
    id: string,
    options: { readonly timeoutMs: number; readonly signal: AbortSignal },
  ): Promise<ProcessRecord>;
  kill(sessionKey: string, id: string): Promise<ProcessRecord>;
  /** Writes to its standard input, once for a key. @throws GatewayError `conflict` when it reads no more */
  write(
    sessionKey: string,
    id: string,
    input: { readonly text: string; readonly closes: boolean; readonly key: string },
  ): Promise<void>;
}
