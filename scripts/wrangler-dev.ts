// What `wrangler dev` does, without its proxy (a second runtime that every request passes) and its watch on the sources:
// bundles with wrangler, then runs the Worker in wrangler's own Miniflare. Started by the supervisor only, which writes
// one line of JSON to standard input and keeps it open: when it ends, so does this.
import { createInterface } from "node:readline";
import { once } from "node:events";
import { join } from "node:path";
import { parseArgs } from "node:util";
import {
  Log,
  LogLevel,
  Miniflare,
  type V4WorkerOptions,
  type WorkerdStructuredLog,
  convertV4MiniflareOptions,
} from "miniflare";
import { buildWorker } from "./build-worker.ts";
import { ROOT } from "./install.mjs";

/** The line that the supervisor writes: not arguments, which everyone on the machine can read. */
export interface RuntimeInput {
  readonly bindings: Readonly<Record<string, string>>;
}

const { values } = parseArgs({
  options: { port: { type: "string" }, "persist-to": { type: "string" } },
  allowPositionals: true,
});

/** A reader of our output that went away is no reason to stop serving. */
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

try {
  await run(Number(values.port), values["persist-to"] ?? "");
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}

async function run(port: number, stateFolder: string): Promise<void> {
  const { bindings } = await readInput();
  const worker = await buildWorker(ROOT, join(stateFolder, "build"));
  const { modulesRoot, modules, options, vars } = worker;
  const workers: V4WorkerOptions[] = [
    {
      ...options,
      modulesRoot,
      modules: [...modules],
      bindings: { ...vars, ...bindings },
      // what a paid plan has and a local runtime gives away: isolates for modules of hooks
      workerLoaders: { LOADER: {} },
    },
  ];
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      host: "127.0.0.1",
      port,
      cf: false, // else it asks Cloudflare where this machine is
      log: new Log(LogLevel.ERROR),
      logRequests: false,
      handleStructuredLogs: printLog,
      resourcePersistencePath: join(stateFolder, "storage"),
      resourceTmpPath: join(stateFolder, "tmp"),
      workers,
    }),
  );
  await miniflare.ready;
}

async function readInput(): Promise<RuntimeInput> {
  const lines = createInterface({ input: process.stdin });
  lines.on("close", () => process.exit(0));
  const [line] = (await once(lines, "line")) as [string];
  return JSON.parse(line) as RuntimeInput;
}

function printLog({ level, message }: WorkerdStructuredLog): void {
  if (level === "error" || level === "warn") console.error(message);
  else console.log(message);
}
