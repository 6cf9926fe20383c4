import { HOOK_EVENTS, type HookDecision, type HookEventName, type HookKind } from "#src/domain/hook-event";
import type { HookLogEntry } from "#src/domain/hook";
import { withoutPrototypeKeys } from "./prototype-keys";

type Field = keyof HookDecision;

/** What every answer may say, whatever the event. */
const EVERYWHERE: readonly Field[] = ["notes", "stop", "reason"];

const BY_KIND: Readonly<Record<HookKind, readonly Field[]>> = {
  gate: ["decision", "ruleKey"],
  inject: ["context"],
  transform: ["text"],
  claim: [],
  "keep-going": ["keepGoing", "decision"],
  observe: [],
};

/** What single events understand beside what their kind does. */
const BY_EVENT: Partial<Record<HookEventName, readonly Field[]>> = {
  "message.received": ["decision", "skip", "text"],
  "prompt.submit": ["text", "meta"],
  "session.setup": ["meta"],
  "session.start": ["meta"],
  "tool.pre": ["input"],
  "tool.permission": ["permission"],
  "tool.permission.denied": ["retry"],
  "tool.post": ["output", "text"],
  "tool.failure": ["output", "text"],
  "tool.result": ["output"],
  "outbound.message": ["text"],
  "compaction.pre": ["prevent"],
  "config.change": ["prevent"],
  "task.created": ["prevent"],
  "mcp.elicitation": ["elicitation"],
  "mcp.elicitation.result": ["elicitation"],
  "cwd.changed": ["meta"],
  "directory.added": ["meta"],
  "file.changed": ["meta"],
  "worktree.create": ["meta"],
};

/** For each event what an answer may hold. */
const SUPPORTED: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(HOOK_EVENTS).map(([event, spec]) => [
    event,
    new Set<string>([
      ...EVERYWHERE,
      ...BY_KIND[spec.kind],
      ...("injects" in spec ? ["context"] : []),
      ...(BY_EVENT[event as HookEventName] ?? []),
    ]),
  ]),
);

/** Whether an answer at this event may say this. */
export function supports(event: HookEventName, field: keyof HookDecision): boolean {
  return SUPPORTED.get(event)?.has(field) === true;
}

/**
 * Keeps of an answer what its event understands; the rest is dropped and told. Keys that would reach an object's
 * prototype are dropped from whatever the hook sent.
 */
export function keepSupported(
  decision: HookDecision,
  event: HookEventName,
  hookId: string,
): { readonly decision: HookDecision; readonly log: readonly HookLogEntry[] } {
  const supported = SUPPORTED.get(event);
  const log: HookLogEntry[] = [];
  const kept: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(decision)) {
    if (value === undefined) continue;
    if (supported?.has(field) === true)
      kept[field] = withoutPrototypeKeys(value, (key) => log.push(refused(hookId, field, key)));
    else
      log.push({
        level: "debug",
        code: "hook.field_ignored",
        hook: hookId,
        message: `${field} means nothing at ${event}`,
      });
  }
  // every value is one of the decision's own, or a copy of it with keys left out
  return { decision: kept, log };
}

function refused(hook: string, field: string, key: string): HookLogEntry {
  return { level: "warn", code: "hook.rewrite_unknown_key", hook, message: `${field}: the key "${key}" is refused` };
}
