import { HOOK_EVENTS, type HookEventName } from "#src/domain/hook-event";
import type { Hook, HookDialectName, HookLogEntry } from "#src/domain/hook";
import { type Consent, type HookStatus, type KnownHook, statusOf } from "./approvals";

/** One hook as lists show it. Plain JSON. */
export interface HookRow {
  readonly id: string;
  readonly name: string;
  readonly dialect: HookDialectName;
  readonly source: string;
  /** Its event in its dialect, and what that is here. */
  readonly event: string;
  readonly events: readonly HookEventName[];
  readonly target: string;
  readonly matcher?: Hook["matcher"];
  readonly timeoutSeconds: number;
  readonly status: HookStatus;
  readonly digest: string;
  /** What a person should know of it, worst first. */
  readonly flags: readonly HookFlag[];
}

/** A thing about a hook that may surprise. `code` where the hooks' log has a word for it. */
export interface HookFlag {
  readonly code?: HookLogEntry["code"];
  readonly message: string;
}

/** What lists draw on. */
export interface HookInventory {
  readonly known: readonly KnownHook[];
  readonly consent: Consent;
  /** What was said when the configuration was read. */
  readonly importLog: readonly HookLogEntry[];
  /** Hooks whose requests are signed, by id. */
  readonly signed: ReadonlySet<string>;
}

/** Every hook, or those of one event by either of its names, in the order of the configuration. */
export function listHooks(inventory: HookInventory, event?: string): readonly HookRow[] {
  return inventory.known
    .filter(({ hook }) => event === undefined || isAt(hook, event))
    .map((known) => rowOf(known, inventory));
}

/** Whether a hook is on an event, called by its own or by our name. */
export function isAt(hook: Hook, event: string): boolean {
  return hook.nativeEvent === event || hook.events.some((name) => name === event);
}

function rowOf(known: KnownHook, inventory: HookInventory): HookRow {
  const { hook, identity } = known;
  const status = statusOf(known, inventory.consent);
  return {
    id: hook.id,
    name: hook.name,
    dialect: hook.dialect,
    source: hook.source,
    event: hook.nativeEvent,
    events: hook.events,
    target: identity.target,
    ...(hook.matcher === undefined ? {} : { matcher: hook.matcher }),
    timeoutSeconds: hook.timeoutMs / 1000,
    status,
    digest: identity.digest,
    flags: flagsOf(hook, status, inventory),
  };
}

function flagsOf(hook: Hook, status: HookStatus, { importLog, signed }: HookInventory): readonly HookFlag[] {
  const { target } = hook;
  return [
    ...STATUS_FLAGS.filter((flag) => flag.status === status).map(({ status: _status, ...flag }) => flag),
    ...importLog.filter((entry) => entry.hook === hook.id && entry.level !== "debug").map(flagOfEntry),
    ...(hasNoMoment(hook) ? [NO_MOMENT] : []),
    ...(target.type === "http" && !signed.has(hook.id)
      ? [{ message: "UNSIGNED: its receiver cannot tell us from others" }]
      : []),
    ...(isOpenGate(hook) ? [{ message: "fail-open gate: when it fails, what it guards goes on" }] : []),
  ];
}

const STATUS_FLAGS: readonly (HookFlag & { readonly status: HookStatus })[] = [
  { status: "not_approved", code: "hook.not_approved", message: "nobody approved it: it is not called" },
  { status: "changed_since_approval", code: "hook.tampered", message: "changed since approval" },
  { status: "unavailable", code: "hook.unavailable", message: "nothing here can call it" },
];

const NO_MOMENT: HookFlag = { code: "hook.no_such_moment", message: "no such moment exists here: it is never called" };

/** Something that the log said of a hook, as a flag. */
export function flagOfEntry({ code, message, hint, suggestion }: HookLogEntry): HookFlag {
  const meant = suggestion === undefined ? "" : ` (did you mean ${suggestion}?)`;
  const unit = hint === undefined ? "" : ` (it counts ${hint})`;
  return { code, message: `${message ?? code}${meant}${unit}` };
}

function hasNoMoment({ events }: Hook): boolean {
  return events.every((event) => "absent" in HOOK_EVENTS[event]);
}

function isOpenGate(hook: Hook): boolean {
  return !hook.observe && hook.onError === "allow" && hook.events.some((event) => HOOK_EVENTS[event].kind === "gate");
}
