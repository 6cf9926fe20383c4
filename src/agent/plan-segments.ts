import type { ToolCall } from "#src/domain/message";
import type { AnyTool } from "#src/domain/tool";
import { pathsOverlap, resolvePath } from "#src/lib/posix-path";

/** Calls that run together, or one after the other; a segment begins when the one before it has ended. */
export interface Segment {
  readonly parallel: boolean;
  /** Indexes into the answer's calls. */
  readonly calls: readonly number[];
}

/** What a call touches; undefined stands for "unknown": nothing may run beside it. */
interface Claim {
  readonly writes: boolean;
  /** In normal form. */
  readonly paths: readonly string[];
}

/**
 * Cuts the calls of one answer into segments, in the model's order. A run of calls goes on until one of them may not
 * run beside others, or touches a path that another touches and one of the two writes. A run of one is no run; calls
 * that stand alone next to each other make one sequential segment.
 */
export function planSegments(
  calls: readonly ToolCall[],
  toolOf: (name: string) => AnyTool | undefined,
  { cwd }: { readonly cwd: string },
): readonly Segment[] {
  const runs: number[][] = [];
  let claims: Claim[] | undefined;
  for (const [index, call] of calls.entries()) {
    const claim = claimOf(call, toolOf(call.name), cwd);
    const joins = claim !== undefined && claims?.every((other) => !collide(claim, other)) === true;
    if (joins) runs.at(-1)?.push(index);
    else runs.push([index]);
    claims = claim === undefined ? undefined : [...(joins ? (claims ?? []) : []), claim];
  }
  return mergeSingles(runs);
}

function mergeSingles(runs: readonly (readonly number[])[]): Segment[] {
  const segments: Segment[] = [];
  for (const run of runs) {
    const last = segments.at(-1);
    if (run.length > 1) segments.push({ parallel: true, calls: run });
    else if (last?.parallel === false)
      segments[segments.length - 1] = { parallel: false, calls: [...last.calls, ...run] };
    else segments.push({ parallel: false, calls: run });
  }
  return segments;
}

function claimOf(call: ToolCall, tool: AnyTool | undefined, cwd: string): Claim | undefined {
  if (tool === undefined || tool.parallel === "never") return undefined;
  const { parallel } = tool;
  try {
    const input: unknown = JSON.parse(call.arguments);
    if (typeof input !== "object" || input === null || Array.isArray(input)) return undefined;
    if (parallel === "always") return { writes: false, paths: [] };
    const paths: readonly unknown[] = parallel.paths(readArguments(tool, input)) ?? [];
    const named = paths.filter((path) => typeof path === "string" && path.trim() !== "");
    if (named.length === 0 || named.length < paths.length) return undefined;
    return { writes: parallel.access === "write", paths: named.map((path) => resolvePath(cwd, String(path))) };
  } catch {
    // whatever is wrong with its arguments, the call itself says so when it runs
    return undefined;
  }
}

/** A call that does not fit its tool is only told so when it runs: till then it counts as what it would touch. */
function readArguments(tool: AnyTool, input: object): unknown {
  try {
    return tool.parse(input);
  } catch {
    return input;
  }
}

function collide(a: Claim, b: Claim): boolean {
  if (!a.writes && !b.writes) return false;
  return a.paths.some((path) => b.paths.some((other) => pathsOverlap(path, other)));
}
