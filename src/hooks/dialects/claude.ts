import { HOOK_EVENTS, type HookEventName, type HookOccurrence } from "#src/domain/hook-event";
import type { Hook, HookTarget } from "#src/domain/hook";
import type { JsonObject, JsonValue } from "#src/domain/json";
import { patternProblem } from "../compile-pattern";
import type { HookDialect, ImportOptions } from "../dialect";
import { isUrlOnList } from "../http/match-url-pattern";
import { addGroups } from "../importing/hook-groups";
import { hooksIn } from "../importing/hook-entries";
import { type MatcherProblem, importRun } from "../importing/import-run";
import type { TimeoutRule } from "../importing/read-timeout";
import { listOf } from "../importing/read-target";
import { claudeMatcher, isClaudePattern, isEverything } from "../match-claude";
import { conditionMatcher } from "../match-condition";
import { callOf } from "../match-fields";
import { isFields, plainJson, textOf } from "../plain-json";
import { namesOf } from "../translate-tool";
import { visibleTo } from "../visible-fields";
import { CLAUDE_EVENTS, CLAUDE_TOOL_EVENTS } from "./claude/events";
import { readClaude } from "./claude/read";

const NAMES = Object.keys(CLAUDE_EVENTS);

/** Hooks of Claude Code's settings. */
export const claude: HookDialect = {
  name: "claude",
  nativeEvents: NAMES,
  resolveEvent: resolve,
  payload,
  matcher,
  read: readClaude,
  decides: (_hook, event) => HOOK_EVENTS[event].kind !== "observe",
  maxContinuations: 8,
  isToldOfDenied: true,
  importHooks(configured, options) {
    const settings = isFields(configured) && configured["hooks"] !== undefined ? configured : {};
    const limits = limitsOf(settings);
    const run = importRun(
      {
        dialect: "claude",
        nativeEvents: NAMES,
        resolveEvent: resolve,
        timeout,
        matcherProblem,
        policy: (native) => (native === "PreModelSwitch" ? { onTimeout: "deny" } : {}),
      },
      limits.urls === undefined ? options : { ...options, judgeUrl: judgeWithin(limits.urls, options.judgeUrl) },
    );
    const isOff = settings["disableAllHooks"] === true;
    addGroups(asyncAsObserver(hooksIn(configured)), run, {
      notEvents: new Set(["disableAllHooks", "dialect"]),
      ...(isOff ? { fixed: { disabled: true } } : {}),
    });
    const imported = run.end(isOff ? { enabled: false } : {});
    return { ...imported, hooks: imported.hooks.map((hook) => withLimits(hook, limits)) };
  },
};

/** What a file allows its HTTP hooks; an absent list is no limit, an empty one allows nothing. */
interface Limits {
  readonly urls?: readonly string[];
  readonly secrets?: readonly string[];
}

function limitsOf({ allowedHttpHookUrls: urls, httpHookAllowedEnvVars: secrets }: JsonObject): Limits {
  return {
    ...(Array.isArray(urls) ? { urls: listOf(urls) } : {}),
    ...(Array.isArray(secrets) ? { secrets: listOf(secrets) } : {}),
  };
}

function judgeWithin(
  urls: readonly string[],
  judge: ImportOptions["judgeUrl"],
): NonNullable<ImportOptions["judgeUrl"]> {
  return (text, dialect) => {
    const refusal = judge?.(text, dialect);
    if (refusal !== undefined) return refusal;
    const url = URL.parse(text);
    return url === null || isUrlOnList(url, urls) ? undefined : "not-allowed";
  };
}

function withLimits(hook: Hook, { urls, secrets }: Limits): Hook {
  const { target } = hook;
  if (target.type !== "http") return hook;
  const allowedSecrets = target.allowedSecrets.filter((name) => secrets === undefined || secrets.includes(name));
  return { ...hook, target: { ...target, allowedSecrets, ...(urls === undefined ? {} : { limitedTo: urls }) } };
}

/** A handler that runs in the background has no say. */
function asyncAsObserver(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(asyncAsObserver);
  if (!isFields(value)) return value;
  if (value["async"] === true || value["asyncRewake"] === true) return { ...value, observe: true };
  return "command" in value || "url" in value
    ? value
    : Object.fromEntries(Object.entries(value).map(([key, item]) => [key, asyncAsObserver(item)]));
}

function resolve(native: string): readonly HookEventName[] | undefined {
  const found = Object.hasOwn(CLAUDE_EVENTS, native) ? CLAUDE_EVENTS[native] : undefined;
  if (found === undefined) return undefined;
  return found.also === undefined ? [found.event] : [found.event, found.also];
}

/** Events whose hooks get less time, in seconds. */
const SHORT: Readonly<Record<string, number>> = {
  UserPromptSubmit: 30,
  PreModelSwitch: 30,
  PostModelSwitch: 30,
  MessageDisplay: 10,
};

function timeout(native: string, { type }: JsonObject, target: HookTarget): TimeoutRule {
  const byTarget = type === "agent" ? 60 : target.type === "prompt" ? 30 : 600;
  return { usual: Math.min(SHORT[native] ?? 600, byTarget) };
}

function matcherProblem(value: JsonValue, native: string): MatcherProblem | undefined {
  if (typeof value !== "string") {
    return { code: "hook.matcher_invalid", message: "a matcher is a text", isIgnored: true };
  }
  if (isEverything(value)) return undefined;
  if (CLAUDE_EVENTS[native]?.matches === undefined) {
    return {
      code: "hook.matcher_ignored",
      message: `${native} has no matcher; the hook is always called`,
      isIgnored: true,
    };
  }
  const why = isClaudePattern(value) ? patternProblem(value) : undefined;
  if (why === undefined) return undefined;
  const message = `its matcher is no pattern that can be used (${why}); the hook is always called`;
  return { code: "hook.matcher_invalid", message, isIgnored: false };
}

function matcher(hook: Hook): (occurrence: HookOccurrence) => boolean {
  const { nativeEvent, condition, matcher: written } = hook;
  const isToolEvent = CLAUDE_TOOL_EVENTS.has(nativeEvent);
  // a condition is about a tool call: where there is none it never holds
  if (condition !== undefined && !isToolEvent) return () => false;
  const field = CLAUDE_EVENTS[nativeEvent]?.matches;
  const isMatch = claudeMatcher(written);
  const holds = condition === undefined ? () => true : conditionMatcher(condition);
  return (occurrence) => (field === undefined || isMatch(subjects(hook, field, occurrence))) && holds(occurrence);
}

function subjects(hook: Hook, field: string, occurrence: HookOccurrence): readonly string[] {
  const call = field === "tool_name" ? callOf(occurrence) : undefined;
  if (call !== undefined) return namesOf(call, "claude");
  return [textOf(fieldsOf(hook, occurrence)[field])];
}

function fieldsOf({ nativeEvent }: Hook, occurrence: HookOccurrence): JsonObject {
  const { extra } = occurrence.data;
  const fields = CLAUDE_EVENTS[nativeEvent]?.fields?.(occurrence) ?? {};
  return plainJson({ ...fields, ...(isFields(extra) ? extra : {}) });
}

function payload(hook: Hook, all: HookOccurrence): JsonObject {
  const occurrence = visibleTo(hook, all);
  const { common } = occurrence;
  return {
    ...plainJson({
      session_id: common.session_id,
      // transcripts are rows here, and no file
      transcript_path: "",
      cwd: common.cwd ?? "",
      permission_mode: common.permission_mode ?? "default",
      hook_event_name: hook.nativeEvent,
      agent_id: common.subagent?.id,
      agent_type: common.subagent?.type,
    }),
    ...fieldsOf(hook, occurrence),
  };
}
