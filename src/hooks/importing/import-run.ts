import { HOOK_EVENTS, type HookEventName } from "#src/domain/hook-event";
import type { Hook, HookDialectName, HookFailurePolicy, HookLogCode, HookLogEntry, HookTarget } from "#src/domain/hook";
import type { JsonObject, JsonValue } from "#src/domain/json";
import { nearestWord } from "#src/lib/nearest-word";
import type { HookImport, ImportOptions, ImportedSettings } from "../dialect";
import { isFields, textIn } from "../plain-json";
import { digestNow } from "../short-digest";
import { type FailurePolicies, readOwnPolicy, settlePolicies } from "./read-policy";
import { readTarget } from "./read-target";
import { type TimeoutRule, readTimeout } from "./read-timeout";

/** What the entries of one system have in common. */
export interface EntryRules {
  readonly dialect: HookDialectName;
  readonly nativeEvents: readonly string[];
  resolveEvent(native: string): readonly HookEventName[] | undefined;
  timeout(native: string, entry: JsonObject, target: HookTarget): TimeoutRule;
  /** What is wrong with a matcher; one that is `ignored` is left out of the hook. */
  matcherProblem(matcher: JsonValue, native: string): MatcherProblem | undefined;
  /** What is wrong with an entry beside that. */
  problems?(entry: JsonObject): readonly HookLogEntry[];
  /** The system's own words for what failures mean. */
  policy?(native: string, entry: JsonObject): FailurePolicies;
}

export interface MatcherProblem {
  readonly code: "hook.matcher_invalid" | "hook.matcher_ignored";
  readonly message: string;
  readonly isIgnored: boolean;
}

/** One entry of a configuration. */
export interface RawEntry {
  /** The events it is for, in its system's names: each becomes a hook. */
  readonly natives: readonly string[];
  readonly fields: JsonValue;
  /** Said outside of the entry, for several of them. */
  readonly around?: JsonObject;
  /** What the hook is beside what its entry says. */
  readonly fixed?: Partial<
    Pick<Hook, "target" | "observe" | "extra" | "maxConcurrent" | "disabled" | "rank" | "timeoutMs">
  >;
}

/** Gathers the hooks of one configuration. A bad entry costs nothing but itself. */
export interface ImportRun {
  add(entry: RawEntry): void;
  /** An entry that is none. */
  skip(code: HookLogCode, message: string): void;
  tell(entry: HookLogEntry): void;
  end(settings?: ImportedSettings): HookImport;
}

export function importRun(rules: EntryRules, options: ImportOptions): ImportRun {
  const hooks = new Map<string, Hook>();
  const log: HookLogEntry[] = [];
  const entries: (readonly string[])[] = [];
  const toldEvents = new Set<string>();

  function resolve(native: string): readonly HookEventName[] | undefined {
    const events = rules.resolveEvent(native);
    if (events !== undefined || toldEvents.has(native)) return events;
    toldEvents.add(native);
    log.push(unknownEvent(native, rules.nativeEvents));
    return undefined;
  }

  function take(native: string, { fields, around = {}, fixed = {} }: RawEntry): readonly string[] {
    const events = resolve(native);
    if (events === undefined) return [];
    if (!isFields(fields)) return refuse("hook.missing_target", `an entry of ${native} is no object`);
    const entry = { ...around, ...fields };
    const reading = fixed.target === undefined ? readTarget(entry, rules.dialect) : { target: fixed.target };
    if (!("target" in reading)) return refuse(reading.code, `an entry of ${native} was left out: ${reading.message}`);
    const said: HookLogEntry[] = [];
    const hook = { ...hookOf(native, events, entry, reading.target, rules, options, said), ...fixed };
    const id = idFor(hook, textIn(entry["id"]), hooks);
    log.push(...said.map((one) => ({ ...one, hook: id })));
    // said twice, it is one hook
    if (hooks.has(id)) return [];
    hooks.set(id, { ...hook, id });
    return [id];
  }

  function refuse(code: HookLogCode, message: string): readonly string[] {
    log.push({ level: "warn", code, message });
    return [];
  }

  return {
    add: (entry) => void entries.push(entry.natives.flatMap((native) => take(native, entry))),
    skip: (code, message) => void entries.push(refuse(code, message)),
    tell: (entry) => void log.push(entry),
    end: (settings = {}) => ({ hooks: [...hooks.values()], log, settings, entries }),
  };
}

function unknownEvent(native: string, known: readonly string[]): HookLogEntry {
  const suggestion = nearestWord(native, known);
  return {
    level: "warn",
    code: "hook.unknown_event",
    message: `there is no event "${native.slice(0, 100)}"`,
    ...(suggestion === undefined ? {} : { suggestion }),
  };
}

type NewHook = Omit<Hook, "id">;

function hookOf(
  native: string,
  resolved: readonly HookEventName[],
  entry: JsonObject,
  target: HookTarget,
  rules: EntryRules,
  options: ImportOptions,
  log: HookLogEntry[],
): NewHook {
  const events = resolved.filter((event) => !("absent" in HOOK_EVENTS[event]));
  if (events.length === 0) {
    log.push({ level: "warn", code: "hook.no_such_moment", message: `nothing here is what ${native} is for` });
  }
  const timeout = readTimeout(entry["timeout"], rules.timeout(native, entry, target), target.type);
  log.push(...(rules.problems?.(entry) ?? []), ...timeout.log, ...urlLog(target, rules.dialect, options));
  const { priority, observe, fields, chain } = entry;
  const own = readOwnPolicy(entry);
  const condition = rules.dialect === "claude" ? textIn(entry["if"]) : undefined;
  return {
    name: textIn(entry["name"])?.trim() ?? targetName(target),
    dialect: rules.dialect,
    source: options.source,
    rank: options.rank,
    nativeEvent: native,
    events,
    ...readMatcher(entry["matcher"], native, rules, log),
    ...(condition === undefined ? {} : { condition }),
    target,
    timeoutMs: timeout.timeoutMs,
    ...settlePolicies(own, rules.policy?.(native, entry) ?? {}, usualPolicy(events, rules.dialect, options)),
    observe: observe === true,
    priority: typeof priority === "number" && Number.isFinite(priority) ? priority : 0,
    ...(isFields(fields) ? { fields } : {}),
    ...(chain === true ? { chain: true } : {}),
    ...(own.onError === undefined ? {} : { extra: { hasOwnPolicy: true } }),
  };
}

function usualPolicy(
  events: readonly HookEventName[],
  dialect: HookDialectName,
  { gateDefault }: ImportOptions,
): HookFailurePolicy {
  const isGate = events.some((event) => HOOK_EVENTS[event].kind === "gate");
  return (dialect === "native" && isGate ? gateDefault : undefined) ?? "allow";
}

function urlLog(target: HookTarget, dialect: HookDialectName, { judgeUrl }: ImportOptions): readonly HookLogEntry[] {
  const refusal = target.type === "http" ? judgeUrl?.(target.url, dialect) : undefined;
  if (refusal === undefined) return [];
  return [{ level: "error", code: "hook.ssrf_blocked", message: `its url is refused (${refusal})` }];
}

function readMatcher(
  matcher: JsonValue | undefined,
  native: string,
  rules: EntryRules,
  log: HookLogEntry[],
): Pick<Hook, "matcher"> {
  if (matcher === undefined || matcher === null) return {};
  const problem = rules.matcherProblem(matcher, native);
  if (problem === undefined) return { matcher };
  log.push({ level: "warn", code: problem.code, message: problem.message });
  return problem.isIgnored ? {} : { matcher };
}

function targetName(target: HookTarget): string {
  if (target.type === "http") return target.url;
  if (target.type === "module") return target.module;
  return target.type === "command" ? target.command : target.prompt.trim().slice(0, 60);
}

/**
 * The same definition always has the same id: its name where it was given one that nobody else has, else a digest of
 * what makes two hooks the same.
 */
function idFor(hook: NewHook, named: string | undefined, taken: ReadonlyMap<string, Hook>): string {
  const derived = `hk_${digestNow(identityOf(hook)).slice(0, 12)}`;
  if (hook.dialect !== "native" || named === undefined || !/^[\w.:-]{1,100}$/.test(named)) return derived;
  const other = taken.get(named);
  return other === undefined || identityOf(other) === identityOf(hook) ? named : derived;
}

function identityOf({ dialect, nativeEvent, matcher, condition, target }: NewHook): string {
  const { command, ...rest } = { command: undefined, ...target };
  const reached = target.type === "http" ? ["http", target.url] : [command ?? rest];
  return JSON.stringify([dialect, nativeEvent, matcher ?? null, condition ?? null, reached]);
}
