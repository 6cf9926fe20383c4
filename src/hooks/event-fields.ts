import type { HookOccurrence, HookValue } from "#src/domain/hook-event";
import type { JsonObject, JsonValue } from "#src/domain/json";

/** The tool that an event is about. */
export interface EventTool {
  /** Our own name of it; tools of MCP servers are `mcp__<server>__<tool>`. */
  readonly name: string;
  readonly kind: "builtin" | "mcp" | "plugin";
  readonly call_id: string;
}

interface ToolCall {
  readonly tool: EventTool;
  readonly input: JsonObject;
  /** The input before hooks changed it; absent when none did. */
  readonly original_input?: JsonObject;
  /** What groups the calls of one task, where anything does. */
  readonly task_id?: string | null;
}

interface ToolEnd extends ToolCall {
  readonly ok: boolean;
  /** The result as the object that its text holds, else the text. */
  readonly result?: JsonValue;
  readonly result_text: string;
  readonly error?: { readonly type: string; readonly message: string };
  readonly duration_ms: number;
  readonly is_interrupt?: boolean;
}

interface Approval {
  readonly command: string;
  readonly description: string;
  readonly pattern_key: string;
  readonly pattern_keys: readonly string[];
  /** `cli`, `gateway` or `smart`; `gateway` when absent. */
  readonly surface?: string;
}

interface Reply {
  /** The person's words that began the turn. */
  readonly message: string;
  readonly user_message: string;
  /** What the turn ended with. */
  readonly response: string;
  readonly assistant_response: string;
  /** The turn's messages, in the form of OpenAI's chat API. */
  readonly history: readonly JsonValue[];
  readonly completed: boolean;
  readonly interrupted: boolean;
  readonly error?: string;
  readonly error_details?: string;
  /** Why it was interrupted. */
  readonly reason?: string;
}

interface Stopping {
  readonly response: string;
  readonly tool_names: readonly string[];
  /** Files that the turn changed; absent when nobody counts them. */
  readonly changed_paths?: readonly string[];
  /** Whether a hook kept the agent going since a person last wrote. */
  readonly stop_hook_active: boolean;
  /** How often one did. */
  readonly attempt: number;
  readonly stop_reason?: string;
  readonly goal?: string;
  readonly summary?: string;
}

interface Child {
  readonly parent_session_id: string;
  readonly parent_turn_id?: string;
  readonly parent_subagent_id?: string | null;
  readonly child_session_id: string;
  readonly child_role: string | null;
  /** The kind of agent it is, where there are kinds; its role else. */
  readonly child_type?: string;
  readonly child_goal?: string;
}

interface Compaction {
  readonly trigger: "manual" | "auto";
}

interface Outbound {
  /** The messenger's name. */
  readonly channel: string;
  /** The chat. */
  readonly target: string;
  readonly text: string;
}

interface ModelSwitch {
  readonly model: string;
  readonly previous_model?: string;
  readonly context_tokens?: number;
}

interface SessionOver {
  readonly reason: string;
  readonly status: string;
}

/**
 * What each event carries in `data`. Field names are the wire's. Every event may carry `extra` as well: fields for
 * hooks that have no name here and are handed on as they are.
 */
export interface HookEventFields {
  "gateway.startup": { readonly platforms: readonly string[] };
  "gateway.shutdown": { readonly reason?: string };
  "message.received": {
    readonly text: string;
    readonly message_id: string;
    readonly kind?: string;
    readonly internal: boolean;
    readonly source: {
      readonly platform: string;
      readonly chat_id: string;
      readonly chat_type: string;
      readonly user_id: string;
      readonly user_name?: string;
      readonly thread_id?: string;
    };
  };
  "command.received": { readonly command: string; readonly args: string };
  "command.expand": {
    readonly expansion_type: string;
    readonly command_name: string;
    readonly command_args: string;
    readonly command_source: string;
    readonly prompt: string;
  };
  "prompt.submit": { readonly user_message: string; readonly prompt: string };
  "session.setup": { readonly trigger: string };
  "session.start": {
    readonly source: "startup" | "resume" | "clear" | "compact" | "fork";
    readonly status: string;
    readonly session_title?: string;
  };
  "turn.start": { readonly message: string; readonly tool_count: number; readonly remaining_tokens?: number };
  "turn.context": {
    readonly user_message: JsonValue;
    readonly is_first_turn: boolean;
    /** The conversation, in the form of OpenAI's chat API. */
    readonly history?: readonly JsonValue[];
    readonly task_id?: string | null;
  };
  "turn.step": { readonly iteration: number; readonly tool_names: readonly string[] };
  "model.pre": {
    readonly system?: string;
    readonly last_user_message: string;
    readonly messages?: readonly JsonValue[];
    readonly tools?: readonly string[];
    readonly call_index: number;
  };
  "model.post": {
    readonly response_text: string;
    readonly tool_calls: readonly JsonObject[];
    readonly finish_reason: string;
    readonly usage: JsonObject | null;
  };
  "model.error": {
    readonly error: string;
    readonly error_type: string;
    readonly status?: number;
    readonly attempt: number;
  };
  "model.switch.pre": ModelSwitch;
  "model.switch.post": ModelSwitch;
  "tool.pre": ToolCall;
  "tool.permission": ToolCall & {
    readonly description: string;
    readonly pattern_keys: readonly string[];
    readonly permission_suggestions?: readonly JsonValue[];
  };
  "tool.permission.denied": ToolCall & { readonly reason: string };
  "approval.request": Approval;
  "approval.response": Approval & { readonly choice: "once" | "session" | "always" | "deny" | "timeout" };
  "tool.output": {
    readonly command: string;
    readonly output: string;
    readonly exit_code: number;
    readonly cwd: string;
    readonly task_id?: string | null;
  };
  "tool.post": ToolEnd;
  "tool.failure": ToolEnd;
  "tool.result": ToolEnd;
  "tool.batch": {
    readonly tool_calls: readonly { readonly name: string; readonly call_id: string; readonly arguments: string }[];
    readonly results?: readonly { readonly call_id: string; readonly name: string; readonly text: string }[];
  };
  "response.transform": { readonly response_text: string };
  "response.display": {
    readonly message_id: string;
    readonly index: number;
    readonly final: boolean;
    readonly delta: string;
  };
  stop: Stopping;
  "completion.claim": Stopping & {
    readonly task_id?: string;
    readonly task_subject?: string;
    readonly task_description?: string;
  };
  "turn.complete": Reply;
  "turn.failed": Reply;
  "turn.interrupted": Reply;
  "turn.end": Reply;
  "session.finalize": SessionOver;
  "session.end": SessionOver;
  "session.reset": { readonly reason: string; readonly old_session_id?: string };
  "compaction.pre": Compaction & {
    readonly custom_instructions: string;
    readonly pre_tokens: number;
    readonly message_count: number;
  };
  "compaction.post": Compaction & {
    readonly compact_summary: string;
    readonly old_session_id: string;
    readonly in_place: boolean;
    /** How often the conversation was compacted, this time among them. */
    readonly compression_count: number;
    /** Tokens that the model was shown before, and is shown now. */
    readonly pre_tokens: number;
    readonly post_tokens: number;
  };
  "subagent.start": Child;
  "subagent.stop": Child & {
    readonly child_summary: string | null;
    readonly child_status: "completed" | "failed" | "interrupted" | "error";
    readonly duration_ms: number;
    readonly stop_hook_active?: boolean;
    readonly attempt?: number;
    readonly stop_reason?: string;
  };
  "outbound.message": Outbound;
  "outbound.sent": Outbound & { readonly message_ids: readonly string[] };
  notification: {
    readonly message: string;
    readonly title?: string;
    readonly notification_type: string;
    readonly level?: "info" | "warning" | "error";
  };
  "memory.write": { readonly key: string; readonly value: string };
  "config.change": { readonly source: string; readonly file_path?: string };
  "instructions.loaded": {
    readonly file_path: string;
    readonly memory_type: string;
    readonly load_reason: string;
    readonly globs?: readonly string[];
    readonly trigger_file_path?: string;
    readonly parent_file_path?: string;
  };
  /** `event_type` of an emoji put under a message is `reaction_added` or `reaction_removed`. */
  "platform.event": { readonly event_type: string; readonly payload: JsonObject };
  "skill.lifecycle": { readonly action: string; readonly skill: string };
  "stream.start": { readonly message_id: string };
  "stream.delta": {
    readonly message_id: string;
    readonly index: number;
    readonly delta: string;
    /** `text`. */
    readonly kind: string;
  };
  /** `finished` is false for one that broke off. */
  "stream.end": { readonly message_id: string; readonly final_text: string; readonly finished: boolean };
}

/** The data of an occurrence under the names of its event; nobody vouches that all of them are there. */
export function dataOf<Event extends keyof HookEventFields>(
  { data }: HookOccurrence,
  _event: Event,
): Partial<HookEventFields[Event]> & { readonly [field: string]: HookValue } {
  // what fires an event fills these fields
  return data as Partial<HookEventFields[Event]> & { readonly [field: string]: HookValue };
}
