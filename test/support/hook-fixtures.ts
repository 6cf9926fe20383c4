import type { Hook, HookLogEntry, HookReading, HookResult } from "#src/domain/hook";
import type { HookEventName, HookOccurrence } from "#src/domain/hook-event";
import type { EngagedHook } from "#src/hooks/engaged-hook";

/** A native hook that is a module, with what a test changes of it. */
export function aHook(over: Partial<Hook> = {}): Hook {
  const id = over.id ?? "h1";
  return {
    id,
    name: id,
    dialect: "native",
    source: "config.yaml",
    rank: "config",
    nativeEvent: "tool.pre",
    events: ["tool.pre"],
    target: { type: "module", module: id },
    timeoutMs: 10_000,
    onError: "allow",
    onTimeout: "allow",
    observe: false,
    priority: 0,
    ...over,
  };
}

/** An HTTP target, with what a test changes of it. */
export function httpTarget(over: Partial<Extract<Hook["target"], { type: "http" }>> = {}): Hook["target"] {
  return {
    type: "http",
    url: "https://hooks.example.com/h",
    headers: {},
    allowedSecrets: [],
    signature: ["standard"],
    blockStatuses: [],
    ...over,
  };
}

/** An event that happened; a call of `terminal` unless a test says otherwise. */
export function occurrenceOf(
  event: HookEventName = "tool.pre",
  data: HookOccurrence["data"] = {},
  over: Partial<HookOccurrence> = {},
): HookOccurrence {
  return {
    event,
    id: "evt_1",
    seq: 1,
    at: 0,
    common: { session_id: "s", session_key: "main:web:dm:1", agent_id: "main", surface: "web", turn_id: "1" },
    data: { tool: { name: "terminal", kind: "builtin", call_id: "c1" }, input: { command: "ls" }, ...data },
    ...over,
  };
}

/** A hook made ready, whose answers are read as they are: its result's `returned` is the decision. */
export function engaged(over: Partial<Hook> = {}, rest: Partial<EngagedHook> = {}): EngagedHook {
  return {
    hook: aHook(over),
    matches: () => true,
    payload: ({ event }) => ({ type: event }),
    read: readReturned,
    decides: true,
    onlyAdds: false,
    isToldOfDenied: false,
    maxContinuations: 3,
    ...rest,
  };
}

function readReturned(result: HookResult): HookReading {
  if (result.exit !== 0) {
    return { type: "failed", isTimeout: result.exit === 124, why: result.why ?? `exit ${result.exit}`, log: [] };
  }
  return { type: "decision", decision: result.returned ?? {}, log: [] };
}

/** A log that a test can read. */
export function hookLog(): { readonly entries: HookLogEntry[]; readonly log: (entry: HookLogEntry) => void } {
  const entries: HookLogEntry[] = [];
  return { entries, log: (entry) => void entries.push(entry) };
}
