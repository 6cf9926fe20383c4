import type { HookEventName, HookOccurrence, HookValue } from "#src/domain/hook-event";
import type { Hook } from "#src/domain/hook";
import type { JsonObject, JsonValue } from "#src/domain/json";
import { patternProblem } from "../compile-pattern";
import type { HookDialect, ImportedSettings } from "../dialect";
import { dataOf } from "../event-fields";
import { hooksIn } from "../importing/hook-entries";
import { type MatcherProblem, importRun } from "../importing/import-run";
import { addGroups } from "../importing/hook-groups";
import { readWord, withPolicies } from "../importing/read-policy";
import { callIdOf, callOf } from "../match-fields";
import { clawdcodeMatcher } from "../match-clawdcode";
import { isFields, plainJson, textIn } from "../plain-json";
import { toTheirs } from "../translate-tool";
import { visibleTo } from "../visible-fields";
import { isNewSession } from "./hermes";
import { readClawdcode } from "./clawdcode/read";

type Fields = Readonly<Record<string, HookValue>>;

interface ClawdcodeEvent {
  readonly event: HookEventName;
  readonly fields: (occurrence: HookOccurrence) => Fields;
}

/** The events of ClawdCode, with what they carry beside what all do. */
const EVENTS: Readonly<Record<string, ClawdcodeEvent>> = {
  PreToolUse: { event: "tool.pre", fields: toolCall },
  PostToolUse: {
    event: "tool.post",
    fields(occurrence) {
      const { ok, result_text } = dataOf(occurrence, "tool.post");
      return { ...toolCall(occurrence), tool_output: { success: ok !== false, llmContent: result_text } };
    },
  },
  PostToolUseFailure: {
    event: "tool.failure",
    fields(occurrence) {
      const { error, result_text } = dataOf(occurrence, "tool.failure");
      return { ...toolCall(occurrence), error: error?.message ?? result_text };
    },
  },
  PermissionRequest: {
    event: "tool.permission",
    fields(occurrence) {
      const { tool_name, tool_input } = toolCall(occurrence);
      return { tool_name, tool_input };
    },
  },
  UserPromptSubmit: {
    event: "prompt.submit",
    fields: (occurrence) => ({ prompt_content: dataOf(occurrence, "prompt.submit").prompt }),
  },
  SessionStart: { event: "session.start", fields: () => ({}) },
  SessionEnd: { event: "session.end", fields: () => ({}) },
  Stop: {
    event: "stop",
    fields: (occurrence) => ({ stop_reason: dataOf(occurrence, "stop").stop_reason ?? "end_turn" }),
  },
  SubagentStop: {
    event: "subagent.stop",
    fields(occurrence) {
      const { child_session_id, stop_reason } = dataOf(occurrence, "subagent.stop");
      return { subagent_id: child_session_id, stop_reason };
    },
  },
  Notification: {
    event: "notification",
    fields(occurrence) {
      const { message, level } = dataOf(occurrence, "notification");
      return { message, level: level ?? "info" };
    },
  },
  Compaction: {
    event: "compaction.pre",
    fields(occurrence) {
      const { pre_tokens, message_count } = dataOf(occurrence, "compaction.pre");
      return { pre_tokens, message_count };
    },
  },
};

const NAMES = Object.keys(EVENTS);

/** Events at which a hook has a say. */
const DECIDING: ReadonlySet<string> = new Set([
  "PreToolUse",
  "PostToolUse",
  "PermissionRequest",
  "UserPromptSubmit",
  "Stop",
  "Compaction",
]);

/** Keys of a configuration that are about all of its hooks. */
const GLOBAL_KEYS = ["enabled", "defaultTimeout", "timeoutBehavior", "failureBehavior", "maxConcurrentHooks"] as const;

/** Hooks of ClawdCode. */
export const clawdcode: HookDialect = {
  name: "clawdcode",
  nativeEvents: NAMES,
  resolveEvent: resolve,
  payload,
  matcher,
  read: readClawdcode,
  decides: ({ nativeEvent }) => DECIDING.has(nativeEvent),
  onlyAdds: (native) => native === "UserPromptSubmit",
  maxContinuations: 3,
  isToldOfDenied: false,
  importHooks(configured, options) {
    const hooks = hooksIn(configured);
    const all = isFields(hooks) ? hooks : {};
    const usual = typeof all["defaultTimeout"] === "number" && all["defaultTimeout"] > 0 ? all["defaultTimeout"] : 60;
    const run = importRun(
      {
        dialect: "clawdcode",
        nativeEvents: NAMES,
        resolveEvent: resolve,
        timeout: () => ({ usual }),
        matcherProblem,
        policy: (_native, entry) =>
          withPolicies(
            readWord(entry["failureBehavior"] ?? all["failureBehavior"]),
            readWord(entry["timeoutBehavior"] ?? all["timeoutBehavior"]),
          ),
      },
      options,
    );
    const { maxConcurrentHooks: most, enabled } = all;
    addGroups(hooks, run, {
      notEvents: new Set<string>(GLOBAL_KEYS),
      fixed: {
        ...(typeof most === "number" && most >= 1 ? { maxConcurrent: Math.floor(most) } : {}),
        ...(enabled === false ? { disabled: true } : {}),
      },
    });
    return run.end(settingsOf(enabled));
  },
};

function settingsOf(enabled: JsonValue | undefined): ImportedSettings {
  return enabled === false ? { enabled } : {};
}

/** Whether a map of hooks has settings that only ClawdCode has. */
export function hasClawdcodeKeys(hooks: JsonObject): boolean {
  return GLOBAL_KEYS.some((key) => key in hooks);
}

function resolve(native: string): readonly HookEventName[] | undefined {
  const found = Object.hasOwn(EVENTS, native) ? EVENTS[native] : undefined;
  return found === undefined ? undefined : [found.event];
}

function toolCall(occurrence: HookOccurrence): Fields {
  const call = callOf(occurrence);
  if (call === undefined) return {};
  const { name, input } = toTheirs(call, "clawdcode", occurrence.common.cwd ?? "");
  const { permission_mode } = occurrence.common;
  return { tool_name: name, tool_use_id: callIdOf(occurrence), tool_input: input, permission_mode };
}

function payload(hook: Hook, all: HookOccurrence): JsonObject {
  const occurrence = visibleTo(hook, all);
  const { id, at, common, data } = occurrence;
  return plainJson({
    hook_event_name: hook.nativeEvent,
    hook_execution_id: `${id}.${hook.id}`,
    timestamp: new Date(at).toISOString(),
    session_id: common.session_id,
    project_dir: common.cwd ?? "",
    ...EVENTS[hook.nativeEvent]?.fields(occurrence),
    ...(isFields(data["extra"]) ? data["extra"] : {}),
  });
}

function matcherProblem(value: JsonValue): MatcherProblem | undefined {
  if (!isFields(value)) {
    return {
      code: "hook.matcher_invalid",
      message: "a matcher is an object of tools, paths and commands",
      isIgnored: true,
    };
  }
  const [key, why] =
    ["tools", "commands"]
      .map((one) => [one, patternProblem(textIn(value[one]) ?? "")] as const)
      .find(([, problem]) => problem !== undefined) ?? [];
  if (why === undefined) return undefined;
  const message = `its ${key} is no pattern that can be used (${why}); it is taken as a name`;
  return { code: "hook.matcher_invalid", message, isIgnored: false };
}

function matcher({ matcher: written, nativeEvent }: Hook): (occurrence: HookOccurrence) => boolean {
  return nativeEvent === "SessionStart" ? isNewSession : clawdcodeMatcher(written);
}
