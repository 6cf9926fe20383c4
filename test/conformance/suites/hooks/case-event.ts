import type { HookDialectName } from "#src/domain/hook";
import type { HookScope, HookFields, HookEventName, HookValue } from "#src/domain/hook-event";
import type { JsonObject } from "#src/domain/json";
import type { ToolVocabulary } from "#src/hooks/tool-names";
import { toOurs, toTheirs } from "#src/hooks/translate-tool";
import type { HookCase } from "./case-file";
import { payloadExtras } from "./payload-extras";
import type { CaseEvent } from "./scene";

type Fields = Readonly<Record<string, unknown>>;

const VOCABULARIES: Partial<Record<HookDialectName, ToolVocabulary>> = {
  claude: "claude",
  clawdcode: "clawdcode",
  starchild: "starchild",
};

/** The event of a case in the system's own terms: the inverse of what the dialect makes of an event. */
export function caseEvent(test: HookCase, event: HookEventName): CaseEvent {
  const input = Object.fromEntries(Object.entries(test.input).filter(([key]) => !key.startsWith("_")));
  const isCanonical = test.source_system === "unified" || test.dialect === "native";
  // values that JSON cannot say were put in by the case
  const extra = isFields(input["extra"]) ? input["extra"] : {};
  const fields: Fields = { ...input, ...extra };
  const vocabulary = isCanonical ? undefined : VOCABULARIES[test.dialect as HookDialectName];
  const [native = ""] = [test.event].flat();
  const data: Fields = {
    ...namedData(event, fields),
    ...toolFields(fields, vocabulary, event),
    // what a messenger tells of goes by a name of its own
    ...(event === "platform.event" ? { event_type: native.replace(":", "_") } : {}),
  };
  const written = toolNameOf(fields);
  const about: CaseEvent = {
    event,
    common: commonOf(test, fields),
    // the case's own values, whatever they are
    data: { ...plainRest(fields), ...data } as HookFields,
    inputAsWritten: (changed) => {
      if (vocabulary === undefined) return changed;
      const name = toOurs({ name: written, input: {} }, vocabulary).name;
      return toTheirs({ name, input: changed }, vocabulary, "").input;
    },
  };
  return { ...about, data: { ...about.data, ...payloadExtras(test, about) } };
}

function commonOf({ dialect }: HookCase, fields: Fields): Partial<HookScope> {
  const {
    session_id,
    parent_session_id,
    cwd,
    project_dir,
    permission_mode,
    agent_id,
    agent_type,
    model,
    platform,
    user_id,
  } = textsIn(fields);
  const isSubagent = dialect === "claude" && agent_id !== undefined;
  const surface = platform ?? textsIn(fields)["surface"];
  return {
    ...(session_id === undefined && parent_session_id === undefined
      ? {}
      : { session_id: session_id ?? parent_session_id ?? "" }),
    ...(cwd === undefined && project_dir === undefined ? {} : { cwd: cwd ?? project_dir ?? "" }),
    ...(permission_mode === undefined ? {} : { permission_mode }),
    ...(isSubagent
      ? { subagent: { id: agent_id, type: agent_type ?? "" } }
      : agent_id === undefined
        ? {}
        : { agent_id }),
    ...(model === undefined ? {} : { model }),
    ...(surface === undefined ? {} : { surface }),
    ...(user_id === undefined ? {} : { user: { id: user_id, platform: platform ?? "web" } }),
    ...keep(fields, ["session_key", "turn_id"]),
  };
}

/** What the fields of a payload are called in the data of our events. */
const RENAMED: Readonly<Record<string, string>> = {
  conversation_history: "history",
  prompt_content: "prompt",
  notification: "text",
  last_assistant_message: "response",
};

function namedData(event: HookEventName, fields: Fields): Fields {
  const renamed = Object.fromEntries(
    Object.entries(RENAMED).flatMap(([theirs, ours]) => (theirs in fields ? [[ours, fields[theirs]]] : [])),
  );
  return { ...renamed, ...BY_EVENT[event]?.(fields) };
}

const BY_EVENT: Partial<Record<HookEventName, (fields: Fields) => Fields>> = {
  "message.received": ({ event }) => {
    const message = isFields(event) ? event : {};
    return { internal: false, message_id: "m", ...message };
  },
  "prompt.submit": ({ prompt, prompt_content, message, user_message }) => {
    const text = prompt ?? prompt_content ?? message ?? user_message ?? "hi";
    return { user_message: text, prompt: text };
  },
  "turn.start": ({ message, user_message }) => ({ message: message ?? user_message ?? "hi" }),
  "outbound.message": ({ notification, text, type }) => ({
    text: text ?? notification ?? "",
    channel: type ?? "web",
    target: "c",
  }),
  "subagent.stop": ({ last_assistant_message, agent_id, agent_type, ...rest }) => ({
    child_session_id: agent_id ?? rest["subagent_id"],
    child_role: agent_type ?? null,
    child_type: agent_type,
    child_summary: last_assistant_message ?? null,
    child_status: "completed",
    duration_ms: 0,
    ...rest,
  }),
  "compaction.pre": (fields) => ({
    trigger: "auto",
    custom_instructions: "",
    pre_tokens: 0,
    message_count: 0,
    ...fields,
  }),
};

function toolFields(fields: Fields, vocabulary: ToolVocabulary | undefined, event: HookEventName): Fields {
  const isOfTool = event.startsWith("tool.") || event.startsWith("approval.");
  if (!isOfTool || event === "tool.batch") return {};
  const given = (fields["tool_input"] ?? fields["args"] ?? fields["arguments"] ?? givenCommand(fields)) as JsonObject;
  const call = { name: toolNameOf(fields), input: given };
  const { name, input } = vocabulary === undefined ? call : toOurs(call, vocabulary);
  const { tool_use_id, tool_call_id } = textsIn(fields);
  const kind = name.startsWith("mcp__") ? "mcp" : "builtin";
  return {
    tool: { name, kind, call_id: tool_use_id ?? tool_call_id ?? "call_1" },
    input,
    ...resultOf(fields),
    ...errorOf(fields),
  };
}

/** Events of a command name no tool: it is the terminal's. */
function givenCommand({ command }: Fields): JsonObject {
  return typeof command === "string" ? { command } : {};
}

function toolNameOf(fields: Fields): string {
  return textsIn(fields)["tool_name"] ?? "terminal";
}

/** The text that the stub tool answers with, as each system's payload carries it. */
function resultOf({ result, tool_result, tool_output, tool_response }: Fields): Fields {
  const output = isFields(tool_output) ? tool_output["llmContent"] : tool_output;
  const value = result ?? tool_result ?? output ?? tool_response;
  if (value === undefined || value === null) return {};
  return { result: value, result_text: typeof value === "string" ? value : JSON.stringify(value) };
}

function errorOf({ error }: Fields): Fields {
  if (typeof error !== "string") return {};
  return { error: { type: "tool_error", message: error }, result_text: error, ok: false };
}

const NOT_DATA: ReadonlySet<string> = new Set([
  "event",
  "hook_event_name",
  "session_id",
  "cwd",
  "project_dir",
  "permission_mode",
  "agent_id",
  "agent_type",
  "model",
  "platform",
  "user_id",
  "tool_name",
  "tool_input",
  "args",
  "arguments",
  "tool_use_id",
  "tool_call_id",
  "tool_result",
  "tool_output",
  "tool_response",
  "extra",
  "batch",
  "hook_execution_id",
  "timestamp",
  "transcript_path",
  ...Object.keys(RENAMED),
]);

function plainRest(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([key, value]) => !NOT_DATA.has(key) && value !== undefined));
}

function textsIn(fields: Fields): Readonly<Partial<Record<string, string>>> {
  return Object.fromEntries(
    Object.entries(fields).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

function keep(fields: Fields, names: readonly string[]): Readonly<Record<string, string>> {
  const texts = textsIn(fields);
  return Object.fromEntries(names.flatMap((name) => (texts[name] === undefined ? [] : [[name, texts[name]]])));
}

function isFields(value: unknown): value is Readonly<Record<string, HookValue>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}
