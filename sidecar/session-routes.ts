import { readFileSync } from "node:fs";
import type { Authorize } from "./auth.ts";
import type { Config } from "./config.ts";
import type { Events } from "./events.ts";
import type { Host } from "./host.ts";
import type { Call, Reply, Route } from "./http.ts";
import type { Jobs } from "./jobs.ts";
import { Problem } from "./problem.ts";
import type { Processes } from "./processes.ts";
import { PROTOCOL } from "./protocol.ts";
import type { Quota } from "./quota.ts";
import type { RecordedRuns } from "./recorded-runs.ts";
import type { Sessions } from "./sessions.ts";
import type { Terminals } from "./terminals.ts";

interface World {
  readonly config: Config;
  readonly host: Host;
  readonly jobs: Jobs;
  readonly quota: Quota;
  readonly sessions: Sessions;
  readonly processes: Processes;
  readonly terminals: Terminals;
  readonly events: Events;
  readonly runs: RecordedRuns;
  readonly authorize: Authorize;
}

const { version } = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8")) as { version: string }; // ours

/** Routes of the sidecar itself and of a session as a whole. */
export function sessionRoutes(world: World): readonly Route[] {
  const { sessions, jobs, quota, processes, terminals, events, runs } = world;
  return [
    { method: "GET", path: "/v1/health", isOpen: true, run: (call) => health(world, call) },
    {
      method: "GET",
      path: "/v1/session",
      async run({ session }) {
        const ran = jobs.list(session).length;
        return {
          body: { key: session.key, root: session.work, running: ran, disk_bytes: await quota.measure(session) },
        };
      },
    },
    {
      method: "DELETE",
      path: "/v1/session",
      async run({ session }) {
        for (const owner of [processes, terminals, events, runs]) owner.forget(session);
        await jobs.endSession(session);
        sessions.remove(session);
        return { status: 204 };
      },
    },
  ];
}

/** Whoever asks learns that the sidecar is there; who may use it also learns what it can do. */
function health({ config, host, terminals, authorize }: World, { request }: Call): Reply {
  const basic = { status: "ok", protocol: PROTOCOL };
  try {
    authorize(request);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { body: basic };
  }
  const { processes, memoryBytes, cpuSeconds, fileBytes, diskBytes, jobs, timeoutMs, outputBytes, uploadBytes } =
    config.limits;
  return {
    body: {
      ...basic,
      version,
      capabilities: {
        users: host.hasUsers,
        namespaces: host.hasNamespaces,
        limits: host.hasLimits,
        network_none: host.canCutNetwork,
        reaper: host.hasReaper,
        terminals: terminals.isAvailable,
        programs: Object.keys(host.programs),
      },
      network: config.network,
      limits: {
        processes,
        memory_bytes: memoryBytes,
        cpu_seconds: cpuSeconds,
        file_bytes: fileBytes,
        disk_bytes: diskBytes,
        jobs,
        timeout_ms: timeoutMs,
        output_bytes: outputBytes,
        upload_bytes: uploadBytes,
      },
    },
  };
}
