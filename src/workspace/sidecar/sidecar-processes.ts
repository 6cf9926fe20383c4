import type { ProcessLog } from "#src/domain/process";
import { type Reply, parseReply } from "./read-reply";
import type { SidecarDoor, SidecarRequest } from "./sidecar-door";
import type { SidecarCommand } from "./sidecar-exec";

/** A background process as the sidecar tells of it. */
export interface RemoteProcess {
  readonly id: string;
  readonly status: "running" | "exited" | "lost";
  readonly endedAt?: number;
  readonly exitCode?: number;
  readonly logBytes: number;
  readonly tail: string;
}

/** Something that happened to a process while nobody need have looked. */
export interface RemoteEvent {
  readonly cursor: string;
  readonly type: "exited" | "matched" | "lost" | "other";
  readonly processId: string;
  readonly exitCode?: number;
  readonly pattern?: string;
  readonly line?: string;
  /** Matches before it that were left out because they came too fast. */
  readonly suppressed: number;
}

/** What happened since a cursor. */
export interface EventPage {
  readonly events: readonly RemoteEvent[];
  readonly cursor: string;
}

/** Background processes of a workspace on its sidecar. Every method @throws SidecarError */
export interface SidecarProcesses {
  start(
    command: Pick<SidecarCommand, "argv" | "env" | "network">,
    options: { readonly key: string; readonly timeoutMs: number; readonly watch: readonly string[] },
  ): Promise<RemoteProcess>;
  list(): Promise<readonly RemoteProcess[]>;
  find(id: string): Promise<RemoteProcess>;
  log(id: string, offset: number, limit: number): Promise<ProcessLog>;
  /** Resolves when it has ended, or the time is over. */
  wait(id: string, timeoutMs: number): Promise<RemoteProcess>;
  kill(id: string): Promise<RemoteProcess>;
  write(id: string, text: string, closes: boolean): Promise<void>;
  /** Events after a cursor; all that are kept without one. */
  events(after: string | undefined): Promise<EventPage>;
}

const START_TIMEOUT_MS = 30_000;
/** Milliseconds that an answer may take beyond what it waits for. */
const GRACE_MS = 15_000;
const KILL_GRACE_MS = 2000;

/** The process and event routes of a sidecar. */
export function openSidecarProcesses(door: SidecarDoor): SidecarProcesses {
  async function ask(request: SidecarRequest): Promise<Reply> {
    const response = await door.send(request);
    return parseReply(await door.within(response.text(), request.timeoutMs ?? START_TIMEOUT_MS));
  }
  const at = (id: string, rest = ""): string => `/v1/processes/${encodeURIComponent(id)}${rest}`;
  return {
    async start(command, { key, timeoutMs, watch }) {
      const json = { ...command, timeout_ms: timeoutMs, watch };
      const headers = { "idempotency-key": key };
      return readProcess(
        await ask({ method: "POST", path: "/v1/processes", json, headers, timeoutMs: START_TIMEOUT_MS }),
      );
    },
    list: async () => (await ask({ path: "/v1/processes" })).objects("processes").map(readProcess),
    find: async (id) => readProcess(await ask({ path: at(id) })),
    async log(id, offset, limit) {
      const reply = await ask({ path: at(id, "/log"), query: { offset, limit } });
      return {
        offset: reply.whole("offset"),
        nextOffset: reply.whole("next_offset"),
        droppedBytes: reply.whole("dropped_bytes"),
        text: reply.text("text"),
        isEnd: reply.flag("is_end"),
      };
    },
    async wait(id, timeoutMs) {
      const query = { timeout_ms: timeoutMs };
      return readProcess(await ask({ method: "POST", path: at(id, "/wait"), query, timeoutMs: timeoutMs + GRACE_MS }));
    },
    async kill(id) {
      return readProcess(await ask({ method: "POST", path: at(id, "/kill"), json: { grace_ms: KILL_GRACE_MS } }));
    },
    async write(id, text, closes) {
      const json = { ...(text === "" ? {} : { data: text }), close: closes };
      await ask({ method: "POST", path: at(id, "/stdin"), json });
    },
    async events(after) {
      const reply = await ask({ path: "/v1/events", query: after === undefined ? {} : { after } });
      return { events: reply.objects("events").map(readEvent), cursor: reply.text("next_cursor") };
    },
  };
}

/** The beginning of a cursor tells one start of the sidecar from the next. */
export function bootOf(cursor: string): string {
  return cursor.split(".")[0] ?? "";
}

function readProcess(reply: Reply): RemoteProcess {
  const endedAt = reply.optionalWhole("ended_at");
  const exitCode = reply.optionalWhole("exit_code");
  return {
    id: reply.text("id"),
    status: reply.word("status", ["running", "exited", "lost"]),
    logBytes: reply.whole("log_bytes"),
    tail: reply.text("tail"),
    ...(endedAt === undefined ? {} : { endedAt }),
    ...(exitCode === undefined ? {} : { exitCode }),
  };
}

const TYPES: Readonly<Record<string, RemoteEvent["type"]>> = {
  "process.exited": "exited",
  "process.matched": "matched",
  "process.lost": "lost",
};

function readEvent(reply: Reply): RemoteEvent {
  const exitCode = reply.optionalWhole("exit_code");
  const pattern = reply.optionalText("pattern");
  const line = reply.optionalText("line");
  return {
    cursor: reply.text("cursor"),
    type: TYPES[reply.text("type")] ?? "other",
    processId: reply.text("id"),
    suppressed: reply.optionalWhole("suppressed") ?? 0,
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(pattern === undefined ? {} : { pattern }),
    ...(line === undefined ? {} : { line }),
  };
}
