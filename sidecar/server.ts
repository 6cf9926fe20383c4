// The sidecar: `node server.ts`. Settings are environment variables, see README.md.
import { mkdirSync, readFileSync, realpathSync } from "node:fs";
import { randomBytes } from "node:crypto";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { archiveRoutes } from "./archive-routes.ts";
import { authorizeBy } from "./auth.ts";
import { type Config, ConfigError, readConfig } from "./config.ts";
import { createConfine } from "./confine.ts";
import { eventRoutes } from "./event-routes.ts";
import { createEvents } from "./events.ts";
import { execRoutes } from "./exec-routes.ts";
import { fileRoutes } from "./file-routes.ts";
import { surveyHost } from "./host.ts";
import { createDoor } from "./http.ts";
import { createJobs } from "./jobs.ts";
import { createNamespaces } from "./namespaces.ts";
import { PATHS } from "./paths.ts";
import { createPipes } from "./pipes.ts";
import { processRoutes } from "./process-routes.ts";
import { listProcesses } from "./process-table.ts";
import { openProcesses } from "./processes.ts";
import { createQuota, watchLimits } from "./quota.ts";
import { createReadCommand } from "./read-command.ts";
import { openRecordedRuns } from "./recorded-runs.ts";
import { openScripts } from "./scripts.ts";
import { searchRoutes } from "./search-routes.ts";
import { sessionRoutes } from "./session-routes.ts";
import { openSessions, saveFile } from "./sessions.ts";
import { acceptSockets, terminalRoutes } from "./terminal-routes.ts";
import { createTerminals } from "./terminals.ts";

const STOP_GRACE_MS = 3000;

/** Starts the sidecar. @throws {@link ConfigError} */
async function start(settings: Config): Promise<void> {
  process.umask(0o077);
  mkdirSync(settings.root, { recursive: true, mode: 0o711 });
  const config = { ...settings, root: realpathSync(settings.root) };
  const { root, limits } = config;
  const host = surveyHost(config);
  if (process.getuid?.() === 0 && !host.hasUsers)
    throw new ConfigError("As root the sidecar must be able to change users (setpriv); start it as another user.");
  // groups of root's would come along to the users of sessions
  if (host.hasUsers) process.setgroups?.([]);
  const sessions = await openSessions(config, host);
  const namespaces = createNamespaces(host, join(root, "scripts"));
  const pipes = createPipes(root, host);
  const confine = createConfine(config, host, namespaces, ownThreads());
  const jobs = createJobs({
    config,
    host,
    namespaces,
    pipes,
    confine,
    sessions: () => sessions.list(),
    instance: instanceOf(root),
  });
  // what an earlier sidecar in this folder has left running
  jobs.sweep();
  const quota = createQuota(config, host);
  const events = createEvents(Date.now);
  const scripts = openScripts(config);
  const runs = openRecordedRuns(root);
  const readCommand = createReadCommand(config, host, PATHS, scripts);
  const watch = { jobs, events, logBytes: limits.logBytes, now: Date.now };
  const processes = openProcesses({ ...watch, root, sessions: sessions.list() });
  const terminals = await createTerminals({ ...watch, confine });
  const authorize = authorizeBy(config.token);
  const world = {
    config,
    host,
    jobs,
    quota,
    runs,
    scripts,
    processes,
    terminals,
    sessions,
    events,
    authorize,
    readCommand,
  };

  const server = createDoor({
    routes: [
      ...sessionRoutes(world),
      ...execRoutes(world),
      ...processRoutes(world),
      ...eventRoutes(events),
      ...terminalRoutes(world),
      ...fileRoutes({ ...world, rm: host.programs.rm ?? "rm" }),
      ...searchRoutes(world),
      ...archiveRoutes(world),
    ],
    authorize,
    sessions,
    maxBodyBytes: limits.bodyBytes,
  });
  const sockets = acceptSockets(server, world);
  const stopWatching = watchLimits(config, jobs, quota);

  let isStopping = false;
  async function stop(): Promise<void> {
    if (isStopping) return;
    isStopping = true;
    setTimeout(() => process.exit(1), STOP_GRACE_MS).unref();
    stopWatching();
    server.close();
    await jobs.stop();
    for (const client of sockets.clients) client.terminate();
    server.closeAllConnections();
    process.exit(0);
  }
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => void stop());
  if (config.stopsWithStdin) process.stdin.resume().on("end", () => void stop());

  server.on("error", (error) => {
    console.error(`sidecar: ${error.message}`);
    process.exit(1);
  });
  server.listen(config.port, config.host, () => {
    const { port } = server.address() as AddressInfo; // it listens on a port
    const name = config.host.includes(":") ? `[${config.host}]` : config.host;
    const has = Object.entries(host).flatMap(([ability, value]) =>
      value === true ? [ability.replace(/^(?:has|can)/, "")] : [],
    );
    console.log(`sidecar listening on http://${name}:${port} (${has.join(", ").toLowerCase() || "no isolation"})`);
  });
}

/** A name for this folder's sidecar that outlives it, by which its processes are known again. */
function instanceOf(root: string): string {
  const path = join(root, "state", "instance");
  try {
    return readFileSync(path, "utf8");
  } catch {
    const name = randomBytes(6).toString("hex"); // the first start
    saveFile(path, name);
    return name;
  }
}

function ownThreads(): number {
  const uid = process.getuid?.();
  return listProcesses()
    .filter((row) => row.uid === uid)
    .reduce((total, row) => total + row.threads, 0);
}

try {
  await start(readConfig(process.env));
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  console.error(`sidecar: ${error.message}`);
  process.exitCode = 1;
}
