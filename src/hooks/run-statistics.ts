/** One call of a hook as lists show it. Plain JSON. */
export interface RunRecord {
  /** Epoch milliseconds. */
  readonly at: number;
  /** The hook's id, and its name. */
  readonly hook: string;
  readonly name: string;
  readonly event: string;
  readonly mode: string;
  /** 0 fine, 2 block, 124 timed out, 1 everything else. */
  readonly exit: number;
  readonly code?: string;
  readonly durationMs: number;
  /** What it wanted, in a word. */
  readonly decision?: string;
}

/** How hooks did at one event. */
export interface RunStatistics {
  readonly event: string;
  readonly calls: number;
  readonly failed: number;
  readonly timedOut: number;
  /** Milliseconds within which half of the calls, and 95 of 100, were answered. */
  readonly p50Ms: number;
  readonly p95Ms: number;
}

/** How hooks did, by event in the order of the alphabet. */
export function runStatistics(runs: readonly RunRecord[]): readonly RunStatistics[] {
  const events = [...new Set(runs.map(({ event }) => event))].sort();
  return events.map((event) => {
    const ofEvent = runs.filter((run) => run.event === event);
    const took = ofEvent.map(({ durationMs }) => durationMs).sort((a, b) => a - b);
    return {
      event,
      calls: ofEvent.length,
      failed: ofEvent.filter(isFailed).length,
      timedOut: ofEvent.filter(({ exit }) => exit === 124).length,
      p50Ms: share(took, 0.5),
      p95Ms: share(took, 0.95),
    };
  });
}

/** Runs of several tellers, each once, latest first. */
export function joinRuns(...lists: readonly (readonly RunRecord[])[]): readonly RunRecord[] {
  const byKey = new Map(lists.flat().map((run) => [JSON.stringify([run.at, run.hook, run.event, run.mode]), run]));
  return [...byKey.values()].sort((a, b) => b.at - a.at);
}

/** The answer to `/hooks log`, latest first. */
export function describeRuns(runs: readonly RunRecord[]): string {
  if (runs.length === 0) return "No hook was called lately.";
  return runs.map(describeRun).join("\n");
}

function describeRun({ at, hook, event, mode, exit, code, durationMs, decision }: RunRecord): string {
  const time = new Date(at).toISOString().slice(0, 19).replace("T", " ");
  const came = code === undefined ? (exit === 0 ? "ok" : `exit ${exit}`) : `✗ ${code}`;
  const wanted = decision === undefined ? "" : ` · ${decision}`;
  const told = mode === "observe" ? " · observed" : "";
  return `- ${time} \`${hook}\` ${event} · ${came}${wanted}${told} · ${Math.round(durationMs)} ms`;
}

function isFailed({ exit, code }: RunRecord): boolean {
  return exit !== 124 && (code !== undefined || (exit !== 0 && exit !== 2));
}

function share(sorted: readonly number[], part: number): number {
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0);
}
