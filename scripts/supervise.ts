import { mkdirSync } from "node:fs";
import { createServer } from "node:net";
import { relative, resolve } from "node:path";
import { STOP_SIGNALS, watchParent } from "./guard.mjs";
import { ROOT } from "./install.mjs";
import { knownNames } from "./known-names.ts";
import { type LocalSettings, readLocalSettings } from "./local-settings.ts";
import { keepRuntime } from "./keep-runtime.ts";
import { keepSidecar } from "./keep-sidecar.ts";
import type { ProcessIdentity } from "./process-table.ts";
import { ownState } from "./state-owner.ts";

const DEFAULT_PORT = 8787;

/** `npm start`: owns the state folder, keeps the runtime alive, and ends with all of it. */
export async function supervise(): Promise<void> {
  // a reader of our output that went away is no reason to stop serving
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  const { env } = process;
  const port = readPort(env["PORT"]);
  const address = `http://127.0.0.1:${port}`;
  const stateFolder = resolve(ROOT, env["TALARIA_STATE"] || ".talaria");
  mkdirSync(stateFolder, { recursive: true, mode: 0o700 });

  const owned = await ownState(stateFolder, address);
  if ("heldBy" in owned) {
    const { process: holder, address: where } = owned.heldBy;
    refuse(
      `Talaria already runs on ${shown(stateFolder)} (process ${holder.pid}, ${where}): stop it, or set TALARIA_STATE to another folder.`,
    );
  }
  if (!(await isFree(port))) refuse(`Port ${port} is taken: stop what listens there, or set PORT to another one.`);

  const isKnown = knownNames(ROOT);
  const settings = readLocalSettings({ env, isKnown, root: ROOT, stateFolder });
  const processes = new Map<string, readonly ProcessIdentity[]>();
  const noteAs = (part: string) => (started: readonly ProcessIdentity[]) => {
    processes.set(part, started);
    owned.noteRuntime([...processes.values()].flat());
  };
  const log = (line: string): void => console.error(line);
  const { SIDECAR: wanted } = settings.bindings;
  if (wanted !== undefined && wanted !== "local") refuse(`SIDECAR can only be "local", not ${JSON.stringify(wanted)}.`);
  const sidecar =
    wanted === "local" ? await keepSidecar({ stateFolder, env, onProcesses: noteAs("sidecar"), log }) : undefined;
  const runtime = keepRuntime({
    port,
    stateFolder,
    bindings: { ...settings.bindings, ...(sidecar && { SIDECAR_URL: sidecar.url, SIDECAR_TOKEN: sidecar.token }) },
    env: Object.fromEntries(Object.entries(env).filter(([name]) => !isKnown(name))),
    onProcesses: noteAs("runtime"),
    onReady: () => greet(address, settings),
    log,
  });
  // both at once: stopping has five seconds
  const stop = (): void => {
    runtime.stop();
    void sidecar?.stop();
  };
  for (const signal of STOP_SIGNALS) process.on(signal, stop);
  watchParent(stop);
  const code = await runtime.ended;
  await sidecar?.stop();
  process.exit(code);
}

function greet(address: string, { madeToken }: LocalSettings): void {
  console.log(`Talaria is ready at ${address} (${process.uptime().toFixed(1)} s)`);
  if (madeToken === undefined) return;
  const { value, file, isNew } = madeToken;
  if (isNew) console.log(`Admin token, kept in ${shown(file)}: ${value}\nOpen ${address}/#token=${value}`);
  else console.log(`Its admin token is in ${shown(file)}`);
}

/** @throws never: a wrong value is told to the user, and the process ends. */
function readPort(value: string | undefined): number {
  if (value === undefined || value === "") return DEFAULT_PORT;
  const port = Number(value);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  return refuse(`PORT must be a number from 1 to 65535, not ${JSON.stringify(value)}.`);
}

function refuse(sentence: string): never {
  console.error(sentence);
  process.exit(1);
}

function shown(path: string): string {
  const fromRoot = relative(ROOT, path);
  return fromRoot.startsWith("..") ? path : fromRoot;
}

function isFree(port: number): Promise<boolean> {
  const { promise, resolve: settle } = Promise.withResolvers<boolean>();
  const server = createServer();
  server.once("error", () => settle(false));
  server.listen(port, "127.0.0.1", () => server.close(() => settle(true)));
  return promise;
}
