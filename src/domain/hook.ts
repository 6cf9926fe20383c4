import type { HookDecision, HookEventName, HookOccurrence, HookSettlement } from "./hook-event";
import type { JsonObject, JsonValue } from "./json";

/** The system whose words a hook is written in: payload, names, matcher, answers, defaults and limits follow it. */
export type HookDialectName = "native" | "hermes" | "hermes-gateway" | "starchild" | "clawdcode" | "claude";

/** What a failed hook means for what it stands before. */
export type HookFailurePolicy = "allow" | "deny" | "ask";

/** How a hook is called. */
export type HookTarget =
  | {
      readonly type: "http";
      readonly url: string;
      /** Values may name secrets as `${secret:NAME}`; claude ones `$NAME`. */
      readonly headers: Readonly<Record<string, string>>;
      /** Secrets that its headers may name. */
      readonly allowedSecrets: readonly string[];
      /** Patterns that the file it came from limits its addresses to. */
      readonly limitedTo?: readonly string[];
      readonly signature: readonly HookSignature[];
      /** Only the compatibility schemes, without Standard Webhooks. */
      readonly onlyCompatible?: true;
      /** `whpk_...`: its answers must be signed. */
      readonly responseKey?: string;
      readonly blockStatuses: readonly number[];
      readonly acceptText?: true;
      readonly retry?: 1;
    }
  | {
      readonly type: "module";
      readonly module: string;
      /** Of a dynamic one: SHA-256 of its source. */ readonly sha256?: string;
    }
  | {
      readonly type: "command";
      readonly argv?: readonly string[];
      readonly shell?: string;
      /** As written, for lists and approvals. */
      readonly command: string;
    }
  | { readonly type: "prompt"; readonly prompt: string; readonly model?: string };

export type HookSignature = "standard" | "github" | "stripe" | "slack" | "hermes";

/** One hook as its configuration says, after import: plain JSON, so that it can be kept and hashed. */
export interface Hook {
  /** Stable: from the definition unless it was named. */
  readonly id: string;
  /** For people: its `name`, else its command, address or module. */
  readonly name: string;
  readonly dialect: HookDialectName;
  /** Where it was written: `config.yaml`, `api`, `plugin:<name>`. */
  readonly source: string;
  readonly rank: "managed" | "plugin" | "config";
  /** The event's name in its dialect. */
  readonly nativeEvent: string;
  /** What that is here; empty when there is no such moment. */
  readonly events: readonly HookEventName[];
  /** As written; each dialect reads its own. */
  readonly matcher?: JsonValue;
  /** claude's `if`. */
  readonly condition?: string;
  readonly target: HookTarget;
  readonly timeoutMs: number;
  readonly onError: HookFailurePolicy;
  readonly onTimeout: HookFailurePolicy;
  /** Is told, without a say, whatever the event. */
  readonly observe: boolean;
  /** Higher first inside one rank. */
  readonly priority: number;
  /** What of large fields leaves: see docs/hooks. */
  readonly fields?: JsonObject;
  /** Transforms: takes the text of the one before instead of competing with it. */
  readonly chain?: true;
  /** clawdcode's maxConcurrentHooks, and other limits of the file it came from. */
  readonly maxConcurrent?: number;
  /** Switched off by hand, its approval kept. */
  readonly disabled?: true;
  /** The rest of the entry that its dialect reads at run time. */
  readonly extra?: JsonObject;
}

/** What a call to a hook came to, in the terms of a local command: every transport answers so. */
export interface HookResult {
  /** 0 fine, 2 block, 124 timed out, 1 everything else. */
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
  /** How `stdout` came: over HTTP plain text is no context for some dialects. */
  readonly via: "http" | "exec" | "module" | "prompt";
  readonly contentType?: string;
  /** What a module returned, unserialised. */
  readonly returned?: unknown;
  /** Why it failed, when it did. */
  readonly code?: HookLogCode;
  /** `exit 3`, `HTTP 500`, `timed out after 5s`, `command not found`: the end of "failed closed: ". */
  readonly why?: string;
  readonly status?: number;
  readonly retryAfterMs?: number;
  /** The receiver is gone for good (410). */
  readonly gone?: true;
  readonly durationMs: number;
}

export type HookLogCode =
  | "hook.ssrf_blocked"
  | "hook.unknown_event"
  | "hook.no_such_moment"
  | "hook.missing_target"
  | "hook.matcher_invalid"
  | "hook.matcher_ignored"
  | "hook.timeout_clamped"
  | "hook.not_approved"
  | "hook.tampered"
  | "hook.unavailable"
  | "hook.nonzero_exit"
  | "hook.invalid_json"
  | "hook.timeout"
  | "hook.exception"
  | "hook.network"
  | "hook.http_status"
  | "hook.redirect"
  | "hook.gone"
  | "hook.response_too_large"
  | "hook.circuit_open"
  | "hook.depth"
  | "hook.stop_cap"
  | "hook.rewrite_unknown_key"
  | "hook.field_ignored"
  | "hook.quarantined";

/** One line of the hooks' log. */
export interface HookLogEntry {
  readonly level: "debug" | "warn" | "error";
  readonly code: HookLogCode;
  /** The hook's id. */
  readonly hook?: string;
  readonly message?: string;
  readonly hint?: string;
  readonly suggestion?: string;
}

/** An answer read by its dialect: what the hook wants, or that it failed. */
export type HookReading =
  | { readonly type: "decision"; readonly decision: HookDecision; readonly log: readonly HookLogEntry[] }
  | {
      readonly type: "failed";
      readonly isTimeout: boolean;
      readonly why: string;
      readonly log: readonly HookLogEntry[];
    };

/** A call that is owed to an observer: committed with what it observes, sent from the outbox. */
export interface HookDelivery {
  readonly hookId: string;
  readonly event: HookEventName;
  readonly eventId: string;
  readonly seq: number;
  /** The payload, exactly as it will be signed and sent. */
  readonly body: string;
}

/** What the agent asks of its hooks. */
export interface Hooks {
  /** Whether anybody listens: what an event carries need not be made when nobody does. */
  listens(event: HookEventName): boolean;
  /** Calls the hooks of an event that has a say, and settles what they want. Never throws. */
  fire(occurrence: HookOccurrence): Promise<HookSettlement>;
  /**
   * What is owed to the observers of an event that are called over a wire: to be committed with what they observe.
   * Module observers are called by `fire`.
   */
  owed(occurrence: HookOccurrence): readonly HookDelivery[];
}
