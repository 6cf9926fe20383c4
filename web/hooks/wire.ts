import type { Hook, HookDialectName, HookLogEntry } from "#src/domain/hook";
import type { HookDecision, HookEventName, HookEventSpec, HookSettlement } from "#src/domain/hook-event";
import type { JsonObject, JsonValue } from "#src/domain/json";

/** Where a hook stands between its definition and being called. */
export type HookStatus =
  | "active"
  | "not_approved"
  | "approved_master_off"
  | "changed_since_approval"
  | "disabled"
  | "unavailable";

/** A thing about a hook that may surprise. `code` where the hooks' log has a word for it. */
export interface HookFlag {
  readonly code?: string;
  readonly message: string;
}

/** One hook as lists have it. */
export interface HookRow {
  readonly id: string;
  readonly name: string;
  readonly dialect: HookDialectName;
  /** Where it was written. */
  readonly source: string;
  /** Its event in its dialect, and what that is here. */
  readonly event: string;
  readonly events: readonly HookEventName[];
  readonly target: string;
  readonly timeoutSeconds: number;
  readonly status: HookStatus;
  readonly digest: string;
  readonly flags: readonly HookFlag[];
}

/** `GET /api/hooks`. */
export interface HookList {
  readonly master: { readonly on: boolean };
  readonly hooks: readonly HookRow[];
  /** Entries of the configuration that became no hook. */
  readonly unread: readonly HookLogEntry[];
  /** Modules that are not called any more. */
  readonly quarantined: readonly string[];
}

/** `GET /api/hooks/:id`: all of a hook, as a person reads it before approving it. */
export interface HookDetail extends HookRow {
  readonly definition: Hook;
}

/** One of `GET /api/hooks/approvals`. */
export interface Approval {
  readonly event: string;
  readonly target: string;
  readonly digest: string;
  readonly approvedBy: { readonly principal: string; readonly method: string };
  /** Epoch milliseconds. */
  readonly approvedAt: number;
}

/** One of `GET /api/hooks/log`: a call, latest first. */
export interface Run {
  /** Epoch milliseconds. */
  readonly at: number;
  /** The hook's id, and its name. */
  readonly hook: string;
  readonly name: string;
  readonly event: string;
  readonly mode: string;
  /** 0 fine, 2 block, everything else failed. */
  readonly exit: number;
  readonly code?: string;
  readonly durationMs: number;
  readonly decision?: string;
}

/** One of `GET /api/hooks/audit`: who did what. */
export interface AuditEntry {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly action: string;
  readonly principal: string;
  readonly surface: string;
  readonly event?: string;
  readonly target?: string;
  readonly digest?: string;
  readonly contentSha256?: string;
  readonly note?: string;
}

/** One of `GET /api/hooks/modules`. */
export interface ModuleRow {
  readonly sha256: string;
  readonly bytes: number;
  /** ISO 8601. */
  readonly added_at: string;
  /** Ids of hooks. */
  readonly used_by: readonly string[];
  /** Whether it may reach the network. */
  readonly network: boolean;
}

/** One of `GET /api/hooks/events`: a moment of the agent's work. */
export interface Moment {
  readonly name: string;
  readonly kind: HookEventSpec["kind"];
  readonly when: string;
  /** It does not exist here. */
  readonly absent?: true;
  /** What a hook may answer. */
  readonly answers: readonly (keyof HookDecision)[];
}

/** One of `GET /api/hooks/deliveries`: an event that is owed to a hook that only watches. */
export interface Delivery {
  readonly id: string;
  readonly session: string;
  readonly hook: string;
  readonly event: string;
  readonly state: string;
  readonly attempts: number;
  /** ISO 8601. */
  readonly created_at: string;
  readonly next_at?: string;
  readonly error?: string;
}

/** `GET /api/hooks/doctor`. */
export interface Diagnosis {
  readonly healthy: boolean;
  readonly hooks: readonly Finding[];
}

/** What doctor found out about a hook. */
export interface Finding extends HookRow {
  readonly address?: string;
  readonly took_ms?: number;
  readonly last_run?: Run;
}

type TrialLog = readonly Pick<HookLogEntry, "level" | "code" | "message">[];

/** `POST /api/hooks/test`: what came of a made-up event. */
export interface Trial {
  readonly event: string;
  readonly settlement: HookSettlement;
  readonly log: TrialLog;
  readonly hooks: readonly TrialAnswer[];
}

/** What one hook had to do with it. */
export type TrialAnswer = Pick<HookRow, "name" | "status"> & (Uncalled | Called);

interface Uncalled {
  readonly called: false;
}

interface Called {
  readonly called: true;
  readonly request: JsonObject;
  readonly response?: {
    readonly exit: number;
    readonly stdout: string;
    readonly stderr: string;
    readonly returned?: JsonValue;
    readonly duration_ms: number;
    readonly status?: number;
    readonly why?: string;
  };
  /** Null when it had no opinion. */
  readonly decision: HookDecision | null;
  readonly log: TrialLog;
}
