import type { HookEventName } from "#src/domain/hook-event";

/**
 * What the events of Hermes Agent's plugins and shell hooks are here, its memory providers' callbacks included.
 * `on_session_end` is the end of every turn there, not of a session.
 * Source: https://hermes-agent.nousresearch.com/docs/user-guide/features/hooks
 */
export const HERMES_EVENTS: Readonly<Record<string, readonly HookEventName[]>> = {
  pre_tool_call: ["tool.pre"],
  post_tool_call: ["tool.post", "tool.failure"],
  pre_llm_call: ["turn.context"],
  post_llm_call: ["turn.complete"],
  on_session_start: ["session.start"],
  on_session_end: ["turn.end"],
  on_session_finalize: ["session.finalize"],
  on_session_reset: ["session.reset"],
  subagent_start: ["subagent.start"],
  subagent_stop: ["subagent.stop"],
  pre_gateway_dispatch: ["message.received"],
  pre_approval_request: ["approval.request"],
  post_approval_response: ["approval.response"],
  transform_tool_result: ["tool.result"],
  transform_terminal_output: ["tool.output"],
  transform_llm_output: ["response.transform"],
  pre_verify: ["stop"],
  agent_loop_stopped: ["turn.interrupted"],
  pre_api_request: ["model.pre"],
  post_api_request: ["model.post"],
  api_request_error: ["model.error"],
  pre_command: ["command.received"],
  gateway_platform_event: ["platform.event"],
  on_skill_lifecycle: ["skill.lifecycle"],
  on_stream_start: ["stream.start"],
  on_stream_delta: ["stream.delta"],
  on_stream_end: ["stream.end"],
  on_turn_start: ["turn.start"],
  on_pre_compress: ["compaction.pre"],
  on_memory_write: ["memory.write"],
  on_delegation: ["subagent.stop"],
  shutdown_all: ["gateway.shutdown"],
  // moments that do not exist here
  pre_auxiliary_call: [],
  post_auxiliary_call: [],
  on_interim_message: [],
  transform_api_error_classification: [],
  pre_tts_synthesis: [],
  pre_transcription: [],
  on_room_member_activity: [],
};

/** What an event of Hermes is here; undefined when it has none of that name. */
export function resolveHermes(native: string): readonly HookEventName[] | undefined {
  if (/^(on_)?kanban_\w+$/.test(native)) return ["kanban"];
  return Object.hasOwn(HERMES_EVENTS, native) ? HERMES_EVENTS[native] : undefined;
}

/** Events at which Hermes lets a hook have a say; all others only tell it. */
export const HERMES_DECIDING: ReadonlySet<string> = new Set([
  "pre_tool_call",
  "pre_llm_call",
  "pre_gateway_dispatch",
  "transform_tool_result",
  "transform_terminal_output",
  "transform_llm_output",
  "pre_verify",
  "on_pre_compress",
]);
