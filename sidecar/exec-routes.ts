import type { Config } from "./config.ts";
import type { Fields } from "./fields.ts";
import { type Call, type Reply, type Route, readBody } from "./http.ts";
import type { Jobs } from "./jobs.ts";
import { Problem } from "./problem.ts";
import { ENVELOPE_TYPE, type ExecEnvelope, type ExecLine } from "./protocol.ts";
import type { CommandRequest, ReadCommand } from "./read-command.ts";
import type { RecordedRuns } from "./recorded-runs.ts";
import { type RunOptions, runCommand } from "./run-command.ts";
import { MAX_SCRIPT_BYTES, type ScriptFound, type Scripts } from "./scripts.ts";

interface World {
  readonly config: Config;
  readonly jobs: Jobs;
  readonly readCommand: ReadCommand;
  readonly runs: RecordedRuns;
  readonly scripts: Scripts;
}

interface ExecRequest extends CommandRequest {
  readonly options: Omit<RunOptions, "signal" | "onText">;
}

const DEFAULT_TIMEOUT_MS = 60_000;
const DEFAULT_OUTPUT_BYTES = 1024 ** 2;
const ALIVE_EVERY_MS = 10_000;
const EXIT_NOT_EXECUTABLE = 126;

/** Routes that run commands to their end. */
export function execRoutes(world: World): readonly Route[] {
  return [
    { method: "POST", path: "/v1/exec", run: async (call) => exec(world, call) },
    {
      method: "PUT",
      path: "/v1/scripts/:sha256",
      async run({ request, params }) {
        const sha256 = params["sha256"] ?? "";
        if (!/^[0-9a-f]{64}$/.test(sha256))
          throw new Problem("field_invalid", "The hash must be 64 hexadecimal digits.", { field: "sha256" });
        world.scripts.keep(sha256, await readBody(request, MAX_SCRIPT_BYTES));
        return { status: 201, body: { sha256 } };
      },
    },
  ];
}

async function exec(world: World, call: Call): Promise<Reply | void> {
  const { session } = call;
  call.query.end();
  const fields = await call.json();
  const request = readExec(world, fields, session);
  const key = readIdempotencyKey(call);
  const isStreamed = /application\/x-ndjson/i.test(call.request.headers.accept ?? "");
  const stream = isStreamed ? streamLines(call) : undefined;

  const run = async (): Promise<ExecEnvelope> => {
    const { script, options } = request;
    if (script?.isWanted === false) return hashMismatch(script);
    const envelope = await runCommand(world.jobs, session, {
      ...options,
      // what has a key is finished for the caller who comes back; what has none is of no use to anybody
      ...(key === undefined && { signal: call.gone }),
      ...(stream && { onText: stream.text }),
    });
    return script === undefined ? envelope : { ...envelope, script_sha256: script.sha256 };
  };

  try {
    const identity = { ...request, options: { ...request.options, stdin: request.options.stdin?.toString("base64") } };
    const described = { ...identity, command: { ...request.command, env: [...request.command.env] } };
    const result =
      key === undefined ? await run() : await world.runs.once({ session, key, request: described, work: run });
    if (stream === undefined) return { body: result, type: ENVELOPE_TYPE };
    stream.end(result);
  } finally {
    stream?.close();
  }
}

function readExec({ config, readCommand }: World, fields: Fields, session: Call["session"]): ExecRequest {
  const request = readCommand(fields, session);
  const { limits } = config;
  const options: ExecRequest["options"] = {
    command: request.command,
    stdin: readStdin(fields, "stdin"),
    timeoutMs: fields.integer("timeout_ms", { min: 1, max: limits.timeoutMs, otherwise: DEFAULT_TIMEOUT_MS }),
    maxOutputBytes: fields.integer("max_output", { min: 0, max: limits.outputBytes, otherwise: DEFAULT_OUTPUT_BYTES }),
    encoding: fields.choice("output_encoding", ["utf8", "base64"]),
  };
  fields.end();
  return { ...request, options };
}

/** Reads bytes that stand in a field, as text or in base64 (`<name>_encoding`). */
export function readStdin(fields: Fields, name: string): Buffer | undefined {
  const text = fields.optionalText(name, { allowEmpty: true, allowNul: true, maxChars: 8 * 1024 ** 2 });
  const encoding = fields.choice(`${name}_encoding`, ["utf8", "base64"]);
  if (text === undefined) return undefined;
  if (encoding === "base64" && !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) throw fields.refuse(name, "is not base64");
  return Buffer.from(text, encoding);
}

/** @throws {@link Problem} field_invalid */
export function readIdempotencyKey({ request }: Call): string | undefined {
  const key = request.headers["idempotency-key"];
  if (key === undefined) return undefined;
  if (typeof key === "string" && /^[\x21-\x7e]{1,200}$/.test(key)) return key;
  throw new Problem("field_invalid", "The key must be 1 to 200 visible ASCII characters.", {
    field: "idempotency-key",
  });
}

function hashMismatch({ sha256 }: ScriptFound): ExecEnvelope {
  return {
    exit_code: EXIT_NOT_EXECUTABLE,
    stdout: "",
    stderr: "The script is not the one that was approved.\n",
    stdout_dropped_bytes: 0,
    stderr_dropped_bytes: 0,
    duration_ms: 0,
    error: "hash_mismatch",
    script_sha256: sha256,
  };
}

/** The streamed answer: begun with the first line, so that a refusal before it still has its status. */
function streamLines({ response, gone }: Call) {
  let alive: NodeJS.Timeout | undefined;

  async function write(line: ExecLine): Promise<void> {
    if (gone.aborted) return;
    if (!response.headersSent)
      response.writeHead(200, { "content-type": "application/x-ndjson", "cache-control": "no-store" });
    if (response.write(`${JSON.stringify(line)}\n`)) return;
    // nobody reads any more: the command goes on without a reader, or is ended by `gone`
    await new Promise<void>((resolve) => {
      const go = () => {
        response.off("drain", go);
        gone.removeEventListener("abort", go);
        resolve();
      };
      response.once("drain", go);
      gone.addEventListener("abort", go, { once: true });
    });
  }

  alive = setInterval(() => void write({ type: "alive" }), ALIVE_EVERY_MS);
  return {
    text: (type: "stdout" | "stderr", text: string) => (text === "" ? undefined : write({ type, text })),
    end(result: ExecEnvelope) {
      void write({ type: "result", result });
      response.end();
    },
    close: () => clearInterval(alive),
  };
}
