import type { HookOccurrence, HookValue } from "#src/domain/hook-event";
import { dataOf } from "../../event-fields";
import { callIdOf, callOf } from "../../match-fields";

type Arguments = Readonly<Record<string, HookValue>>;

/**
 * What a callback of a Hermes plugin is called with, by its event. A shell hook gets the same in another form.
 * Source: https://hermes-agent.nousresearch.com/docs/user-guide/features/hooks
 */
export const HERMES_ARGUMENTS: Readonly<Record<string, (occurrence: HookOccurrence) => Arguments>> = {
  pre_tool_call: (occurrence) => toolCall(occurrence, dataOf(occurrence, "tool.pre").task_id ?? ""),
  post_tool_call(occurrence) {
    const { result_text, duration_ms, ok, error, task_id } = dataOf(occurrence, "tool.post");
    return {
      ...toolCall(occurrence, task_id ?? ""),
      result: result_text,
      duration_ms: Math.round(duration_ms ?? 0),
      status: ok === false ? "error" : "ok",
      error_type: error?.type ?? null,
      error_message: error?.message ?? null,
    };
  },
  transform_tool_result(occurrence) {
    const { result_text, duration_ms, task_id } = dataOf(occurrence, "tool.result");
    const { args, ...call } = toolCall(occurrence, task_id ?? null);
    return { ...call, arguments: args, result: result_text, duration_ms: Math.round(duration_ms ?? 0) };
  },
  transform_terminal_output(occurrence) {
    const { command, output, exit_code, cwd, task_id } = dataOf(occurrence, "tool.output");
    return { command, output, exit_code, cwd, task_id: task_id ?? null };
  },
  pre_llm_call(occurrence) {
    const { user_message, is_first_turn, history } = dataOf(occurrence, "turn.context");
    return {
      ...session(occurrence),
      user_message,
      conversation_history: history ?? [],
      is_first_turn,
      sender_id: occurrence.common.user?.id,
    };
  },
  post_llm_call(occurrence) {
    const { user_message, assistant_response, history } = dataOf(occurrence, "turn.complete");
    return { ...session(occurrence), user_message, assistant_response, conversation_history: history ?? [] };
  },
  on_session_start: session,
  on_session_end(occurrence) {
    const { completed, interrupted } = dataOf(occurrence, "turn.end");
    return { ...session(occurrence), completed, interrupted };
  },
  on_session_finalize: place,
  on_session_reset(occurrence) {
    const { reason, old_session_id } = dataOf(occurrence, "session.reset");
    return { ...place(occurrence), reason, old_session_id };
  },
  subagent_start(occurrence) {
    const child = dataOf(occurrence, "subagent.start");
    return {
      parent_session_id: child.parent_session_id,
      parent_turn_id: child.parent_turn_id ?? "",
      parent_subagent_id: child.parent_subagent_id ?? null,
      child_session_id: child.child_session_id,
      child_subagent_id: child.child_session_id,
      child_role: child.child_role,
      child_goal: child.child_goal,
    };
  },
  subagent_stop(occurrence) {
    const { parent_session_id, child_session_id, child_role, child_summary, child_status, duration_ms } = dataOf(
      occurrence,
      "subagent.stop",
    );
    return { parent_session_id, child_session_id, child_role, child_summary, child_status, duration_ms };
  },
  pre_gateway_dispatch(occurrence) {
    const { text, source, message_id, internal } = dataOf(occurrence, "message.received");
    return { event: { text, source, message_id, internal } };
  },
  pre_approval_request: approval,
  post_approval_response: (occurrence) => ({
    ...approval(occurrence),
    choice: dataOf(occurrence, "approval.response").choice,
  }),
  transform_llm_output: (occurrence) => ({
    response_text: dataOf(occurrence, "response.transform").response_text,
    ...session(occurrence),
  }),
  pre_verify(occurrence) {
    const { response, attempt, changed_paths } = dataOf(occurrence, "stop");
    return {
      ...session(occurrence),
      coding: true,
      attempt,
      final_response: response,
      changed_paths: changed_paths ?? [],
    };
  },
  agent_loop_stopped(occurrence) {
    const { common } = occurrence;
    const reason = dataOf(occurrence, "turn.interrupted").reason ?? "user_stop";
    return { session_key: common.session_key, platform: common.surface, reason, invalidation_reason: "stop_command" };
  },
  pre_api_request(occurrence) {
    const { messages, tools, call_index, last_user_message } = dataOf(occurrence, "model.pre");
    return {
      ...session(occurrence),
      turn_id: occurrence.common.turn_id,
      user_message: last_user_message,
      request_messages: messages,
      api_call_count: call_index,
      message_count: messages?.length,
      tool_count: tools?.length,
    };
  },
  post_api_request(occurrence) {
    const { finish_reason, usage, tool_calls, response_text } = dataOf(occurrence, "model.post");
    return {
      ...session(occurrence),
      turn_id: occurrence.common.turn_id,
      finish_reason,
      usage,
      assistant_content_chars: response_text?.length,
      assistant_tool_call_count: tool_calls?.length,
    };
  },
  api_request_error(occurrence) {
    const { error, error_type, status, attempt } = dataOf(occurrence, "model.error");
    const turnId = occurrence.common.turn_id;
    return {
      ...session(occurrence),
      turn_id: turnId,
      error,
      reason: error_type,
      status_code: status,
      retry_count: attempt,
    };
  },
  pre_command(occurrence) {
    const { command, args } = dataOf(occurrence, "command.received");
    return { ...place(occurrence), command, args };
  },
  gateway_platform_event(occurrence) {
    const { event_type, payload } = dataOf(occurrence, "platform.event");
    return { platform: occurrence.common.surface, event_type, payload };
  },
  on_turn_start(occurrence) {
    const { remaining_tokens, tool_count } = dataOf(occurrence, "turn.start");
    const { model, surface } = occurrence.common;
    return { remaining_tokens, model, platform: surface, tool_count };
  },
  on_memory_write(occurrence) {
    const { key, value } = dataOf(occurrence, "memory.write");
    return { key, value };
  },
  on_delegation(occurrence) {
    const { child_goal, child_summary } = dataOf(occurrence, "subagent.stop");
    return { task: child_goal, result: child_summary };
  },
  on_pre_compress: () => ({}),
  shutdown_all: () => ({}),
};

/** What a callback is called with at an event that has no arguments of its own: what the event carries. */
export function otherArguments(occurrence: HookOccurrence): Arguments {
  const { extra: _extra, ...data } = occurrence.data;
  return { ...session(occurrence), ...data };
}

function toolCall(occurrence: HookOccurrence, taskId: string | null): Arguments {
  const { name, input } = callOf(occurrence) ?? { name: null, input: {} };
  const { session_id, turn_id } = occurrence.common;
  return { tool_name: name, args: input, task_id: taskId, session_id, tool_call_id: callIdOf(occurrence), turn_id };
}

function session({ common }: HookOccurrence): Arguments {
  return { session_id: common.session_id, model: common.model, platform: common.surface };
}

function place({ common }: HookOccurrence): Arguments {
  return { session_id: common.session_id, platform: common.surface };
}

function approval(occurrence: HookOccurrence): Arguments {
  const { command, description, pattern_key, pattern_keys, surface } = dataOf(occurrence, "approval.request");
  const { session_key } = occurrence.common;
  return { command, description, pattern_key, pattern_keys, session_key, surface: surface ?? "gateway" };
}
