import type { JsonObject } from "#src/domain/json";

/** One acceptance case of the suite `hooks`; `meta` of every file says what its keys mean. */
export interface HookCase {
  readonly id: string;
  readonly source_system: string;
  readonly dialect: string;
  readonly event: string | readonly string[];
  readonly canonical_event: string | null;
  readonly hook_config: { readonly native: JsonObject; readonly ids: readonly string[] };
  readonly global_config?: JsonObject;
  readonly gates?: Gates;
  readonly steps?: readonly Step[];
  readonly input: Readonly<Record<string, unknown>>;
  readonly hook_response: Responses;
  readonly expected: Readonly<Record<string, unknown>>;
}

export interface Gates {
  readonly master?: boolean;
  readonly approved?: "all" | readonly string[];
  readonly approved_pairs?: readonly (readonly [event: string, target: string])[];
  readonly interactive?: boolean;
  readonly content_changed?: readonly string[];
}

export interface Step {
  readonly actor: "human" | "model" | "tool_result";
  readonly text: string;
  readonly stub?: Responses;
}

/** What hooks answer, by the case's id of the hook. */
export type Responses = Readonly<Record<string, StubResponse>>;

export interface StubResponse {
  readonly exec?: {
    readonly exit_code: number | null;
    readonly stdout: string;
    readonly stderr: string;
    readonly timed_out?: boolean;
    readonly delay_ms?: number;
    readonly spawn_error?: string;
  };
  readonly http?: {
    readonly status: number | null;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
    readonly error?: string;
    readonly timed_out?: boolean;
    readonly delay_ms?: number;
  };
  readonly module?: {
    readonly returns?: unknown;
    readonly throws?: string;
    readonly returns_by_event?: Readonly<Record<string, unknown>>;
    readonly returns_by_call?: readonly unknown[];
    readonly delay_ms?: number;
  };
  readonly model?: { readonly json: unknown; readonly delay_ms?: number };
  readonly delay_ms?: number;
}

/** What `_simulate` may ask for. */
export interface Simulation {
  readonly model_calls?: number;
  readonly turns?: number;
  readonly interrupted?: boolean;
  readonly final_response?: string;
  readonly error?: string;
  readonly user_command?: string;
  readonly old_session_id?: string;
  readonly new_session_id?: string;
  readonly then_message?: string;
  readonly then?: "session_closed";
  readonly delegate_children?: number;
  readonly approval?: "timeout";
  readonly fire?: number;
  readonly within_s?: number;
  readonly fire_twice_same_tool_use_id?: boolean;
  readonly hook_always_blocks?: boolean;
}

/** Replaces the value constructors of the format by the values they stand for. */
export function decodeValues(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(decodeValues);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  const [name, argument] = entries[0] ?? [];
  const construct = name !== undefined && Object.hasOwn(CONSTRUCTORS, name) ? CONSTRUCTORS[name] : undefined;
  if (construct !== undefined && entries.length === 1) return construct(argument);
  return Object.fromEntries(entries.map(([key, item]) => [key, decodeValues(item)]));
}

const CONSTRUCTORS: Readonly<Record<string, (argument: unknown) => unknown>> = {
  $repeat: (argument) => {
    // the format's own pair
    const [text, times] = argument as [string, number];
    return text.repeat(times);
  },
  $bigint: (argument) => BigInt(String(argument)),
  // what matters of a function is that it is none of JSON
  $function: (argument) => Object.assign(() => undefined, { toString: () => String(argument) }),
  $date: (argument) => new Date(String(argument)),
};
