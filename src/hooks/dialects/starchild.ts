import {
  HOOK_EVENTS,
  type HookDecision,
  type HookEventName,
  type HookOccurrence,
  type HookValue,
} from "#src/domain/hook-event";
import type { Hook, HookReading, HookResult } from "#src/domain/hook";
import type { JsonObject, JsonValue } from "#src/domain/json";
import { compileOr, patternProblem, searchPattern } from "../compile-pattern";
import type { HookDialect } from "../dialect";
import { dataOf } from "../event-fields";
import { hookEntries } from "../importing/hook-entries";
import { type MatcherProblem, importRun } from "../importing/import-run";
import { callOf } from "../match-fields";
import { isFields, plainJson, textIn, textOf } from "../plain-json";
import {
  DEFAULT_REASON,
  decided,
  failedExit,
  failureOf,
  noOpinion,
  outputOf,
  stderrReason,
  unreadable,
} from "../read-output";
import { inputToOurs, toTheirs } from "../translate-tool";
import { visibleTo } from "../visible-fields";
import { isNewSession } from "./hermes";

type Fields = Readonly<Record<string, HookValue>>;

interface StarchildEvent {
  readonly events: readonly HookEventName[];
  /** What it carries beside what all do. */
  readonly fields: (occurrence: HookOccurrence) => Fields;
}

/** The events of Starchild's agent hooks, the three newer ones included. */
const EVENTS: Readonly<Record<string, StarchildEvent>> = {
  pre_tool_call: { events: ["tool.pre"], fields: toolInput },
  post_tool_call: { events: ["tool.post", "tool.failure"], fields: toolResult },
  transform_tool_result: { events: ["tool.result"], fields: toolResult },
  pre_llm_call: {
    events: ["model.pre"],
    fields(occurrence) {
      const { system, last_user_message } = dataOf(occurrence, "model.pre");
      return { system, last_user_message, model: occurrence.common.model ?? "" };
    },
  },
  post_llm_call: { events: ["model.post"], fields: ({ common }) => ({ model: common.model ?? "" }) },
  on_outbound_message: {
    events: ["outbound.message"],
    fields(occurrence) {
      const { text, channel } = dataOf(occurrence, "outbound.message");
      return { notification: text, type: channel };
    },
  },
  on_completion_claim: {
    events: ["completion.claim"],
    fields(occurrence) {
      const { goal, summary, response, tool_names } = dataOf(occurrence, "completion.claim");
      return { goal, summary, response, tool_names };
    },
  },
  on_session_start: { events: ["session.start"], fields: ({ data }) => ({ status: data["status"] }) },
  on_session_end: { events: ["session.end"], fields: ({ data }) => ({ status: data["status"] }) },
  on_user_message: {
    events: ["prompt.submit"],
    fields: (occurrence) => ({
      message: dataOf(occurrence, "prompt.submit").prompt,
      channel: occurrence.common.surface,
    }),
  },
  on_response_end: {
    events: ["response.transform"],
    fields: (occurrence) => ({ response: dataOf(occurrence, "response.transform").response_text }),
  },
  on_stop: {
    events: ["stop"],
    fields(occurrence) {
      const { response, tool_names, stop_hook_active } = dataOf(occurrence, "stop");
      return { response, tool_names, stop_hook_active };
    },
  },
};

const NAMES = Object.keys(EVENTS);

/** Events of which a hook is only told. */
const OBSERVED: ReadonlySet<string> = new Set(["post_tool_call", "post_llm_call", "on_session_end"]);

/** Hooks of Starchild's agents. */
export const starchild: HookDialect = {
  name: "starchild",
  nativeEvents: NAMES,
  resolveEvent: resolve,
  payload,
  matcher,
  read,
  decides: ({ nativeEvent }) => !OBSERVED.has(nativeEvent),
  maxContinuations: 3,
  isToldOfDenied: false,
  importHooks(configured, options) {
    const run = importRun(
      {
        dialect: "starchild",
        nativeEvents: NAMES,
        resolveEvent: resolve,
        timeout: () => ({ usual: 20, most: 120 }),
        matcherProblem,
      },
      options,
    );
    for (const { event, fields } of hookEntries(configured, run)) run.add({ natives: [event], fields });
    return run.end();
  },
};

function resolve(native: string): readonly HookEventName[] | undefined {
  return Object.hasOwn(EVENTS, native) ? EVENTS[native]?.events : undefined;
}

function toolInput(occurrence: HookOccurrence): Fields {
  const call = callOf(occurrence);
  if (call === undefined) return {};
  const theirs = toTheirs(call, "starchild", occurrence.common.cwd ?? "");
  return { tool_name: theirs.name, tool_input: theirs.input };
}

function toolResult(occurrence: HookOccurrence): Fields {
  const { result, result_text } = dataOf(occurrence, "tool.result");
  return { tool_name: toolInput(occurrence)["tool_name"], tool_result: result_text ?? result };
}

function payload(hook: Hook, all: HookOccurrence): JsonObject {
  const occurrence = visibleTo(hook, all);
  const { common, data } = occurrence;
  return plainJson({
    event: hook.nativeEvent,
    session_id: common.session_id,
    agent_id: common.agent_id,
    cwd: common.cwd ?? "",
    ...EVENTS[hook.nativeEvent]?.fields(occurrence),
    ...(isFields(data["extra"]) ? data["extra"] : {}),
  });
}

function matcherProblem(value: JsonValue): MatcherProblem | undefined {
  if (typeof value !== "string") {
    return { code: "hook.matcher_invalid", message: "a matcher is a pattern as text", isIgnored: true };
  }
  const why = patternProblem(value);
  if (why === undefined) return undefined;
  const message = `its matcher is no pattern that can be used (${why}); the hook is always called`;
  return { code: "hook.matcher_invalid", message, isIgnored: false };
}

/** A pattern that may match anywhere in what the event is about: a tool's input or its name, else the payload. */
function matcher(hook: Hook): (occurrence: HookOccurrence) => boolean {
  const pattern = textIn(hook.matcher);
  const matches = pattern === undefined ? () => true : compileOr(pattern, searchPattern, () => true);
  const isStart = hook.nativeEvent === "on_session_start";
  return (occurrence) => {
    if (isStart && !isNewSession(occurrence)) return false;
    return pattern === undefined || subjectsOf(hook, occurrence).some(matches);
  };
}

function subjectsOf(hook: Hook, occurrence: HookOccurrence): readonly string[] {
  const call = callOf(occurrence);
  if (call === undefined) return Object.values(payload(hook, occurrence)).map(textOf);
  const { name, input } = toTheirs(call, "starchild", occurrence.common.cwd ?? "");
  // quotes and line ends of a command are escaped in JSON: the text itself is looked at as well
  const texts = Object.values(input).filter((value) => typeof value === "string");
  return [JSON.stringify(input), name, ...texts];
}

function read(hook: Hook, result: HookResult, occurrence: HookOccurrence): HookReading {
  const failure = failureOf(result);
  if (failure !== undefined) return failure;
  const output = outputOf(result);
  const said = stderrReason(result);
  if (result.exit === 2 && output.type === "empty" && said !== undefined) {
    return decided(refusal(occurrence.event, result.stderr.trim()));
  }
  if (result.exit !== 0) return failedExit(result);
  if (output.type === "object") return decided(decisionOf(output.value, hook, occurrence));
  return output.type === "empty" ? noOpinion() : unreadable();
}

/** A block refuses an action, or that the agent is done. */
function refusal(event: HookEventName, reason: string): HookDecision {
  return HOOK_EVENTS[event].kind === "keep-going" ? { keepGoing: { message: reason } } : { decision: "deny", reason };
}

/** Starchild's own fields first; then what scripts written for Claude Code print. */
function decisionOf(sent: JsonObject, { nativeEvent }: Hook, occurrence: HookOccurrence): HookDecision {
  const { event } = occurrence;
  const specific = sent["hookSpecificOutput"];
  const claude = isFields(specific) ? specific : sent;
  const reason = refusalIn(sent, claude);
  const context = textIn(sent["context"]) ?? textIn(claude["additionalContext"]);
  const changed = inputIn(sent["tool_input"]) ?? inputIn(claude["updatedInput"]);
  const notes = [sent["systemMessage"], sent["add_warning"]].flatMap((note) => textIn(note) ?? []);
  const text = replacementIn(sent, event);
  const takesContext = event === "model.pre" || event === "session.start";
  return {
    ...(reason === undefined ? {} : refusal(event, reason)),
    ...(changed === undefined || nativeEvent !== "pre_tool_call" ? {} : { input: rewriteOf(changed, occurrence) }),
    ...(text === undefined ? {} : { text }),
    ...(context === undefined || !takesContext ? {} : { context }),
    ...(notes.length === 0 ? {} : { notes }),
  };
}

function refusalIn(sent: JsonObject, claude: JsonObject): string | undefined {
  if (sent["decision"] === "block") return textIn(sent["reason"]) ?? DEFAULT_REASON;
  if (claude["permissionDecision"] === "deny") return textIn(claude["permissionDecisionReason"]) ?? DEFAULT_REASON;
  return sent["continue"] === false ? (textIn(sent["stopReason"]) ?? DEFAULT_REASON) : undefined;
}

function inputIn(value: JsonValue | undefined): JsonObject | undefined {
  return isFields(value) ? value : undefined;
}

function rewriteOf(changed: JsonObject, occurrence: HookOccurrence): NonNullable<HookDecision["input"]> {
  const call = callOf(occurrence) ?? { name: "", input: {} };
  const cwd = occurrence.common.cwd ?? "";
  return { mode: "existing", value: inputToOurs(changed, call, { vocabulary: "starchild", cwd, isWhole: false }) };
}

/** Where each event that can be rewritten says the new text. */
const TEXT_FIELDS: Partial<Record<HookEventName, readonly string[]>> = {
  "outbound.message": ["notification"],
  "prompt.submit": ["message", "text"],
  "response.transform": ["response", "text"],
};

function replacementIn(sent: JsonObject, event: HookEventName): string | undefined {
  return TEXT_FIELDS[event]?.map((field) => sent[field]).find((value) => typeof value === "string");
}
