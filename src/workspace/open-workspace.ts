import { type ErrorCode, GatewayError } from "#src/domain/errors";
import type { ProcessLog, ProcessRecord, ProcessStart, Processes } from "#src/domain/process";
import type { ExecResult, FileStat, Workspace } from "#src/domain/tool";
import { abortable, wait } from "#src/lib/abortable";
import type { HookCommand, HookCommandResult } from "#src/domain/hook-command";

/** What a workspace answers across RPC, where an error would lose its code. */
export type Answer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly code: ErrorCode; readonly message: string };

export interface ExecRequest {
  readonly key: string;
  readonly workdir?: string;
  readonly timeoutMs: number;
  readonly isTerminal?: boolean;
}

/** A background process to be started. */
export interface StartRequest extends ProcessStart {
  readonly command: string;
}

/** A workspace as its Durable Object offers it: plain data in and out, so that a stub of it is one. */
export interface SandboxStub {
  readFile(path: string): Promise<Answer<Uint8Array | undefined>>;
  writeFile(path: string, bytes: Uint8Array, key: string): Promise<Answer<null>>;
  removeFile(path: string, key: string): Promise<Answer<boolean>>;
  stat(path: string): Promise<Answer<FileStat | undefined>>;
  list(path: string, limit: number): Promise<Answer<readonly FileStat[]>>;
  exec(command: string, request: ExecRequest, onOutput?: (text: string) => void): Promise<Answer<ExecResult>>;
  /** Ends the exec or hook of this key at its next statement; its result is then an interrupted one. */
  cancel(key: string): Promise<void>;
  startProcess(request: StartRequest): Promise<Answer<ProcessRecord>>;
  listProcesses(sessionKey: string): Promise<Answer<readonly ProcessRecord[]>>;
  findProcess(sessionKey: string, id: string): Promise<Answer<ProcessRecord>>;
  processLog(sessionKey: string, id: string, offset: number, limit: number): Promise<Answer<ProcessLog>>;
  waitForProcess(sessionKey: string, id: string, timeoutMs: number): Promise<Answer<ProcessRecord>>;
  killProcess(sessionKey: string, id: string): Promise<Answer<ProcessRecord>>;
  writeToProcess(
    sessionKey: string,
    id: string,
    input: { readonly text: string; readonly closes: boolean; readonly key: string },
  ): Promise<Answer<null>>;
  /** Runs a hook's command where there is a real shell. The key is only for `cancel`. */
  runHook(command: HookCommand, key: string): Promise<Answer<HookCommandResult | "unavailable">>;
}

/** Milliseconds before each new try. */
const RETRY_DELAYS_MS = [100, 500, 2000];

/**
 * The workspace port over an object's stub. A call that was cut off (the object restarted, moved or was updated) is
 * made again on a new stub: the key makes sure that it happens once.
 *
 * @param connect makes a stub; one is of no use after a call on it threw.
 */
export function openWorkspace(connect: () => SandboxStub): Workspace {
  const ask = async <T>(call: (stub: SandboxStub) => Promise<Answer<T>>, signal?: AbortSignal): Promise<T> => {
    const answer = await persist(() => call(connect()), signal ?? new AbortController().signal);
    if (!answer.ok) throw new GatewayError(answer.code, answer.message);
    return answer.value;
  };
  return {
    readFile: (path) => ask((stub) => stub.readFile(path)),
    writeFile: async (path, bytes, key) => void (await ask((stub) => stub.writeFile(path, bytes, key))),
    removeFile: (path, key) => ask((stub) => stub.removeFile(path, key)),
    stat: (path) => ask((stub) => stub.stat(path)),
    list: (path, limit) => ask((stub) => stub.list(path, limit)),
    exec: async (command, { signal, onOutput, ...request }) => {
      signal.throwIfAborted();
      // an abort signal does not cross RPC
      const cancel = (): void =>
        void connect()
          .cancel(request.key)
          .catch(() => undefined);
      signal.addEventListener("abort", cancel, { once: true });
      try {
        return await ask((stub) => abortable(stub.exec(command, request, onOutput), signal), signal);
      } finally {
        signal.removeEventListener("abort", cancel);
      }
    },
    processes: processesOf(ask),
  };
}

type Ask = <T>(call: (stub: SandboxStub) => Promise<Answer<T>>, signal?: AbortSignal) => Promise<T>;

/** Milliseconds of one wait: an abort signal does not cross RPC. */
const WAIT_SLICE_MS = 20_000;

function processesOf(ask: Ask): Processes {
  return {
    start: (command, options) => ask((stub) => stub.startProcess({ ...options, command })),
    list: (session) => ask((stub) => stub.listProcesses(session)),
    find: (session, id) => ask((stub) => stub.findProcess(session, id)),
    log: (session, id, { offset, limit }) => ask((stub) => stub.processLog(session, id, offset, limit)),
    async wait(session, id, { timeoutMs, signal }) {
      for (let leftMs = timeoutMs; ; leftMs -= WAIT_SLICE_MS) {
        const sliceMs = Math.min(leftMs, WAIT_SLICE_MS);
        const found = await ask((stub) => abortable(stub.waitForProcess(session, id, sliceMs), signal), signal);
        if (found.status !== "running" || leftMs <= WAIT_SLICE_MS) return found;
      }
    },
    kill: (session, id) => ask((stub) => stub.killProcess(session, id)),
    write: async (session, id, input) => void (await ask((stub) => stub.writeToProcess(session, id, input))),
  };
}

async function persist<T>(call: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (const delayMs of RETRY_DELAYS_MS) {
    try {
      return await call();
    } catch {
      await wait(delayMs, signal);
    }
  }
  try {
    return await call();
  } catch (cause) {
    signal.throwIfAborted();
    throw new GatewayError("unavailable", "The workspace does not answer.", { cause });
  }
}
