import type { HookEventName, HookOccurrence, HookValue } from "#src/domain/hook-event";
import { dataOf } from "../../event-fields";
import { callIdOf, callOf } from "../../match-fields";
import { isFields } from "../../plain-json";
import { toTheirs } from "../../translate-tool";

type Fields = Readonly<Record<string, HookValue>>;

/** What exit code 2 of a hook means at an event. */
export type ExitTwo = "deny" | "prevent" | "keep-going" | "context" | "decline" | "note" | "nothing";

interface ClaudeEvent {
  readonly event: HookEventName;
  /** Another moment that is the same to it. */
  readonly also?: HookEventName;
  /** What it carries beside what all do. */
  readonly fields?: (occurrence: HookOccurrence) => Fields;
  /** The field that matchers look at; absent for events that have none. */
  readonly matches?: string;
  readonly exitTwo: ExitTwo;
  /** Text that is no JSON is for the model. */
  readonly takesText?: true;
}

/** The events of Claude Code. Source: https://code.claude.com/docs/en/hooks */
export const CLAUDE_EVENTS: Readonly<Record<string, ClaudeEvent>> = {
  SessionStart: {
    event: "session.start",
    matches: "source",
    exitTwo: "note",
    takesText: true,
    fields({ common, data }) {
      return { source: data["source"], model: common.model, session_title: data["session_title"] };
    },
  },
  Setup: {
    event: "session.setup",
    also: "gateway.startup",
    matches: "trigger",
    exitTwo: "note",
    fields: ({ data }) => ({ trigger: data["trigger"] ?? "init" }),
  },
  InstructionsLoaded: {
    event: "instructions.loaded",
    matches: "load_reason",
    exitTwo: "nothing",
    fields: only("file_path", "memory_type", "load_reason", "globs", "trigger_file_path", "parent_file_path"),
  },
  UserPromptSubmit: { event: "prompt.submit", exitTwo: "deny", takesText: true, fields: only("prompt") },
  UserPromptExpansion: {
    event: "command.expand",
    matches: "command_name",
    exitTwo: "deny",
    takesText: true,
    fields: only("expansion_type", "command_name", "command_args", "command_source", "prompt"),
  },
  MessageDisplay: {
    event: "response.display",
    exitTwo: "nothing",
    fields: (occurrence) => ({
      turn_id: occurrence.common.turn_id,
      ...only("message_id", "index", "final", "delta")(occurrence),
    }),
  },
  PreToolUse: { event: "tool.pre", matches: "tool_name", exitTwo: "deny", fields: toolCall },
  PermissionRequest: {
    event: "tool.permission",
    matches: "tool_name",
    exitTwo: "nothing",
    fields(occurrence) {
      const { tool_name, tool_input } = toolCall(occurrence);
      return { tool_name, tool_input, permission_suggestions: occurrence.data["permission_suggestions"] };
    },
  },
  PermissionDenied: {
    event: "tool.permission.denied",
    matches: "tool_name",
    exitTwo: "nothing",
    fields: (occurrence) => ({ ...toolCall(occurrence), reason: occurrence.data["reason"] }),
  },
  PostToolUse: {
    event: "tool.post",
    matches: "tool_name",
    exitTwo: "context",
    fields(occurrence) {
      const { result, result_text, duration_ms } = dataOf(occurrence, "tool.post");
      return { ...toolCall(occurrence), tool_response: result ?? result_text, duration_ms };
    },
  },
  PostToolUseFailure: {
    event: "tool.failure",
    matches: "tool_name",
    exitTwo: "context",
    fields(occurrence) {
      const { error, result_text, is_interrupt, duration_ms } = dataOf(occurrence, "tool.failure");
      return { ...toolCall(occurrence), error: error?.message ?? result_text, is_interrupt, duration_ms };
    },
  },
  PostToolBatch: { event: "tool.batch", exitTwo: "deny", fields: batch },
  Notification: {
    event: "notification",
    matches: "notification_type",
    exitTwo: "nothing",
    fields: only("message", "title", "notification_type"),
  },
  SubagentStart: { event: "subagent.start", matches: "agent_type", exitTwo: "note", fields: child },
  SubagentStop: {
    event: "subagent.stop",
    matches: "agent_type",
    exitTwo: "keep-going",
    fields(occurrence) {
      const { stop_hook_active, child_summary } = dataOf(occurrence, "subagent.stop");
      return {
        ...child(occurrence),
        stop_hook_active: stop_hook_active ?? false,
        agent_transcript_path: "",
        last_assistant_message: child_summary,
        background_tasks: [],
        session_crons: [],
      };
    },
  },
  TaskCreated: { event: "task.created", exitTwo: "prevent" },
  TaskCompleted: {
    event: "completion.claim",
    exitTwo: "keep-going",
    fields(occurrence) {
      const { task_id, task_subject, task_description, goal, summary } = dataOf(occurrence, "completion.claim");
      return {
        task_id: task_id ?? occurrence.common.turn_id ?? "",
        task_subject: task_subject ?? goal,
        task_description: task_description ?? summary,
      };
    },
  },
  TeammateIdle: { event: "teammate.idle", exitTwo: "keep-going" },
  Stop: {
    event: "stop",
    exitTwo: "keep-going",
    fields(occurrence) {
      const { stop_hook_active, response } = dataOf(occurrence, "stop");
      return { stop_hook_active, last_assistant_message: response, background_tasks: [], session_crons: [] };
    },
  },
  StopFailure: {
    event: "turn.failed",
    matches: "error",
    exitTwo: "nothing",
    fields(occurrence) {
      const { error, error_details, assistant_response } = dataOf(occurrence, "turn.failed");
      return { error, error_details, last_assistant_message: assistant_response };
    },
  },
  ConfigChange: { event: "config.change", matches: "source", exitTwo: "prevent", fields: only("source", "file_path") },
  CwdChanged: { event: "cwd.changed", exitTwo: "nothing" },
  DirectoryAdded: { event: "directory.added", matches: "source", exitTwo: "nothing" },
  FileChanged: { event: "file.changed", matches: "file_path", exitTwo: "nothing" },
  WorktreeCreate: { event: "worktree.create", exitTwo: "nothing" },
  WorktreeRemove: { event: "worktree.remove", exitTwo: "nothing" },
  PreCompact: {
    event: "compaction.pre",
    matches: "trigger",
    exitTwo: "prevent",
    fields: only("trigger", "custom_instructions"),
  },
  PostCompact: {
    event: "compaction.post",
    matches: "trigger",
    exitTwo: "nothing",
    fields: only("trigger", "compact_summary"),
  },
  Elicitation: { event: "mcp.elicitation", matches: "mcp_server_name", exitTwo: "decline" },
  ElicitationResult: { event: "mcp.elicitation.result", matches: "mcp_server_name", exitTwo: "decline" },
  PreModelSwitch: {
    event: "model.switch.pre",
    exitTwo: "deny",
    fields: only("model", "previous_model", "context_tokens"),
  },
  PostModelSwitch: {
    event: "model.switch.post",
    exitTwo: "nothing",
    fields: only("model", "previous_model", "context_tokens"),
  },
  SessionEnd: {
    event: "session.end",
    matches: "reason",
    exitTwo: "nothing",
    fields: ({ data }) => ({ reason: endReason(data["reason"]) }),
  },
};

/** Why a session ended, in the words of Claude Code. */
const END_REASONS: ReadonlySet<HookValue> = new Set(["clear", "resume", "logout", "prompt_input_exit"]);

function endReason(reason: HookValue): HookValue {
  // `/new` and `/reset` are its `/clear`
  if (reason === "reset") return "clear";
  return END_REASONS.has(reason) ? reason : "other";
}

/** Events that are about one tool call: `if` is looked at for these alone. */
export const CLAUDE_TOOL_EVENTS: ReadonlySet<string> = new Set([
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "PermissionRequest",
  "PermissionDenied",
]);

/** Fields that have the same name there. */
function only(...names: readonly string[]): (occurrence: HookOccurrence) => Fields {
  return ({ data }) => Object.fromEntries(names.map((name) => [name, data[name]]));
}

function toolCall(occurrence: HookOccurrence): Fields {
  const call = callOf(occurrence);
  if (call === undefined) return {};
  const { name, input } = toTheirs(call, "claude", occurrence.common.cwd ?? "");
  return { tool_name: name, tool_input: input, tool_use_id: callIdOf(occurrence) };
}

function child(occurrence: HookOccurrence): Fields {
  const { child_session_id, child_type, child_role } = dataOf(occurrence, "subagent.start");
  const { subagent } = occurrence.common;
  return {
    agent_id: child_session_id ?? subagent?.id,
    agent_type: child_type ?? subagent?.type ?? child_role ?? "general-purpose",
  };
}

function batch(occurrence: HookOccurrence): Fields {
  const { tool_calls = [], results = [] } = dataOf(occurrence, "tool.batch");
  const cwd = occurrence.common.cwd ?? "";
  return {
    tool_calls: tool_calls.map((call) => {
      const input = inputOf(call.arguments);
      const theirs = toTheirs({ name: call.name, input }, "claude", cwd);
      const result = results.find(({ call_id }) => call_id === call.call_id);
      return {
        tool_name: theirs.name,
        tool_input: theirs.input,
        tool_use_id: call.call_id,
        tool_response: result?.text,
      };
    }),
  };
}

function inputOf(text: string) {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : {};
  } catch {
    return {};
  }
}
