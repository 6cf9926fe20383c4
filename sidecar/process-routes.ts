import { constants } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { Config } from "./config.ts";
import { readIdempotencyKey, readStdin } from "./exec-routes.ts";
import type { Call, Reply, Route } from "./http.ts";
import { unfinishedBytes } from "./output.ts";
import { Problem } from "./problem.ts";
import type { BackgroundProcess, ProcessRequest, Processes } from "./processes.ts";
import type { ReadCommand } from "./read-command.ts";
import type { RecordedRuns } from "./recorded-runs.ts";

interface World {
  readonly config: Config;
  readonly processes: Processes;
  readonly readCommand: ReadCommand;
  readonly runs: RecordedRuns;
}

const MAX_WAIT_MS = 300_000;
const MAX_GRACE_MS = 30_000;
const MAX_LOG_PART_BYTES = 1024 ** 2;
const MAX_WATCHED = 20;

/** Routes of background processes. */
export function processRoutes(world: World): readonly Route[] {
  const find = ({ session, params }: Call) => world.processes.get(session, params["id"] ?? "");
  return [
    { method: "POST", path: "/v1/processes", run: async (call) => start(world, call) },
    {
      method: "GET",
      path: "/v1/processes",
      run: ({ session }) => ({ body: { processes: world.processes.list(session).map((one) => one.view()) } }),
    },
    { method: "GET", path: "/v1/processes/:id", run: (call) => ({ body: find(call).view() }) },
    { method: "GET", path: "/v1/processes/:id/log", run: (call) => readLog(find(call), call) },
    { method: "POST", path: "/v1/processes/:id/wait", run: async (call) => wait(find(call), call) },
    { method: "POST", path: "/v1/processes/:id/kill", run: async (call) => kill(find(call), call) },
    { method: "POST", path: "/v1/processes/:id/stdin", run: async (call) => write(find(call), call) },
    {
      method: "DELETE",
      path: "/v1/processes/:id",
      async run(call) {
        const found = find(call);
        await found.kill();
        await found.ended;
        world.processes.remove(call.session, found.id);
        return { status: 204 };
      },
    },
  ];
}

async function start(world: World, call: Call): Promise<Reply> {
  const { session } = call;
  call.query.end();
  const fields = await call.json();
  const request: ProcessRequest = {
    ...world.readCommand(fields, session),
    timeoutMs: fields.integer("timeout_ms", { min: 0, max: 7 * 24 * 3600 * 1000, otherwise: 0 }),
    watch: fields.textList("watch", { maxItems: MAX_WATCHED }) ?? [],
  };
  fields.end();
  if (request.watch.includes("")) throw fields.refuse("watch", "must not hold an empty text");
  const { script } = request;
  if (script?.isWanted === false)
    throw new Problem("hash_mismatch", "The script is not the one that was approved.", { field: "script.sha256" });
  const work = async () => (await world.processes.start(session, request)).id;
  const key = readIdempotencyKey(call);
  const identity = { ...request, command: { ...request.command, env: [...request.command.env] } };
  const id = key === undefined ? await work() : await world.runs.once({ session, key, request: identity, work });
  return { status: 201, body: world.processes.get(session, id).view() };
}

function readLog(found: BackgroundProcess, { query }: Call): Reply {
  const wanted = query.integer("offset", { min: 0, max: Number.MAX_SAFE_INTEGER, otherwise: 0 });
  const limit = query.integer("limit", { min: 4, max: MAX_LOG_PART_BYTES, otherwise: 64 * 1024 });
  const encoding = query.choice("encoding", ["utf8", "base64"]);
  query.end();
  const { log } = found;
  const isEnded = found.view().status !== "running";
  const part = log.read(wanted, limit);
  const isLast = part.nextOffset === log.size();
  // half a character is given with its other half
  const cut = encoding === "utf8" && !(isLast && isEnded) ? unfinishedBytes(part.bytes) : 0;
  return {
    body: {
      offset: part.offset,
      next_offset: part.nextOffset - cut,
      dropped_bytes: part.droppedBytes,
      text: part.bytes.subarray(0, part.bytes.length - cut).toString(encoding),
      is_end: isLast && isEnded,
    },
  };
}

async function wait(found: BackgroundProcess, { query, gone }: Call): Promise<Reply> {
  const timeoutMs = query.integer("timeout_ms", { min: 0, max: MAX_WAIT_MS, otherwise: 30_000 });
  query.end();
  await endedWithin(found, timeoutMs, gone);
  return { body: found.view() };
}

async function kill(found: BackgroundProcess, call: Call): Promise<Reply> {
  const fields = await call.json();
  const signal = fields.optionalText("signal", { maxChars: 16 }) ?? "SIGTERM";
  const graceMs = fields.integer("grace_ms", { min: 0, max: MAX_GRACE_MS, otherwise: 2000 });
  fields.end();
  if (!isSignal(signal)) throw fields.refuse("signal", "is no signal");
  if (found.view().status !== "running") return { body: found.view() };
  found.signal(signal);
  // any other signal is a message that the process may live through
  if (signal !== "SIGTERM" && signal !== "SIGKILL") return { body: found.view() };
  await endedWithin(found, signal === "SIGKILL" ? 0 : graceMs, call.gone);
  await found.kill();
  await found.ended;
  return { body: found.view() };
}

async function write(found: BackgroundProcess, call: Call): Promise<Reply> {
  const fields = await call.json();
  const bytes = readStdin(fields, "data");
  const closes = fields.flag("close");
  fields.end();
  const { stdin } = found;
  if (stdin === undefined || !stdin.writable || found.view().status !== "running")
    throw new Problem("process_ended", "The process reads no more.");
  if (bytes !== undefined && stdin.writableLength + bytes.length > MAX_LOG_PART_BYTES)
    throw new Problem("too_many", "The process has not read what it was given before.");
  if (bytes !== undefined) stdin.write(bytes);
  if (closes) stdin.end();
  return { body: found.view() };
}

async function endedWithin(found: BackgroundProcess, timeoutMs: number, gone: AbortSignal): Promise<void> {
  const over = new AbortController();
  const signal = AbortSignal.any([gone, over.signal]);
  await Promise.race([found.ended, sleep(timeoutMs, undefined, { signal }).catch(() => {})]);
  over.abort();
}

function isSignal(name: string): name is NodeJS.Signals {
  return Object.hasOwn(constants.signals, name);
}
