import type { HookStatus } from "./approvals";
import type { RunStatistics } from "./run-statistics";

/** How all hooks of a profile are doing. Plain JSON. */
export interface HooksHealth {
  /** The master switch. */
  readonly isOn: boolean;
  /** Hooks by where they stand. */
  readonly hooks: Readonly<Partial<Record<HookStatus, number>>>;
  readonly events: readonly RunStatistics[];
  /** Ids of hooks that are not called for a while because they failed too often. */
  readonly openCircuits: readonly string[];
  /** Modules that were running when the process died, twice in a row. */
  readonly quarantined: readonly string[];
  readonly deliveries: { readonly owed: number; readonly dead: number };
}

/** The answer to `/hooks status`. */
export function describeStatus(health: HooksHealth): string {
  const { hooks, events, openCircuits, quarantined, deliveries } = health;
  const counts = Object.entries(hooks).map(([status, count]) => `${count} ${status.replaceAll("_", " ")}`);
  return [
    `Hooks are ${health.isOn ? "on" : "off"}: ${counts.join(", ") || "there are none"}.`,
    ...events.map(describeEvent),
    ...openCircuits.map((id) => `⚠ \`${id}\` is not called for a while: it failed too often`),
    ...quarantined.map(
      (module) => `⚠ ${module} is in quarantine: it was running when the process died, twice in a row`,
    ),
    `Observers: ${deliveries.owed} owed, ${deliveries.dead} given up.`,
  ].join("\n");
}

function describeEvent({ event, calls, failed, timedOut, p50Ms, p95Ms }: RunStatistics): string {
  const share = (count: number): string => `${Math.round((100 * count) / calls)} %`;
  const fine = calls - failed - timedOut;
  return `- ${event}: ${calls} calls · ${share(fine)} fine, ${share(failed)} failed, ${share(timedOut)} timed out · p50 ${p50Ms} ms, p95 ${p95Ms} ms`;
}
