import type { Approval, AuditEntry, Delivery, HookDetail, HookList, HookRow, ModuleRow, Moment, Run } from "./wire";

/** What the server said last; undefined as long as it has said nothing of it. */
interface State {
  /** Version of the hooks that is shown: what is changed must still be so. */
  etag: string;
  list: HookList | undefined;
  approvals: readonly Approval[];
  /** Calls, latest first. */
  runs: readonly Run[];
  /** Ids of hooks that are not called for a while, because they failed too often. */
  circuits: readonly string[];
  audit: readonly AuditEntry[] | undefined;
  deliveries: readonly Delivery[] | undefined;
  modules: readonly ModuleRow[] | undefined;
  events: readonly Moment[] | undefined;
}

/** How something went that a person asked for. */
export interface Said {
  readonly kind: "done" | "failed";
  readonly text: string;
}

export const state: State = {
  etag: "",
  list: undefined,
  approvals: [],
  runs: [],
  circuits: [],
  audit: undefined,
  deliveries: undefined,
  modules: undefined,
  events: undefined,
};
/** All of a hook, by its id, as it is now. */
export const details = new Map<string, HookDetail>();
/** All of a hook that waits, as a person reads it: it stays so, that nobody approves what came under their hand. */
export const shown = new Map<string, HookDetail>();
/** Ids of the hooks that a person has unfolded. */
export const open = new Set<string>();
/** What is being done, by a key of its own. */
export const busy = new Set<string>();
/** How it went, by the key of where that is said. */
export const said = new Map<string, Said>();

let listener: (() => void) | undefined;

/** Has one who draws the state hear of every change. */
export function onChange(told: () => void): void {
  listener = told;
}

/** Tells that the state is another one now. */
export function changed(): void {
  listener?.();
}

export function isWaiting({ status }: HookRow): boolean {
  return status === "not_approved" || status === "changed_since_approval";
}

export function momentNamed(name: string): Moment | undefined {
  return state.events?.find((one) => one.name === name);
}

export function runsOf(id: string): readonly Run[] {
  return state.runs.filter(({ hook }) => hook === id);
}

export function approvalsOf({ target, event }: HookRow): readonly Approval[] {
  return state.approvals.filter((one) => one.target === target && one.event === event);
}

/** The name of a hook, or its id when it is gone. */
export function nameOf(id: string): string {
  return state.list?.hooks.find((row) => row.id === id)?.name ?? id;
}

export function mayReachNetwork(sha256: string | undefined): boolean {
  return state.modules?.some((one) => one.sha256 === sha256 && one.network) ?? false;
}
