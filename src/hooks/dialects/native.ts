import { HOOK_EVENTS, type HookDecision, type HookEventName, type HookOccurrence } from "#src/domain/hook-event";
import type { Hook, HookLogEntry, HookReading, HookResult } from "#src/domain/hook";
import type { JsonObject, JsonValue } from "#src/domain/json";
import { patternProblem } from "../compile-pattern";
import type { HookDialect } from "../dialect";
import { importRun } from "../importing/import-run";
import { entryProblems } from "../importing/entry-problems";
import { hookEntries } from "../importing/hook-entries";
import { NATIVE_MATCHER_KEYS, nativeMatcher } from "../match-native";
import { isFields, plainJson, textIn, textOf as asText } from "../plain-json";
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
import { visibleTo } from "../visible-fields";

// the keys of HOOK_EVENTS are the names of events
const EVENTS = Object.keys(HOOK_EVENTS) as readonly HookEventName[];

/** Our own form of hooks: canonical names, Standard Webhooks' body, decisions as they are. */
export const native: HookDialect = {
  name: "native",
  nativeEvents: EVENTS,
  resolveEvent: resolve,
  payload,
  matcher: ({ matcher }) => nativeMatcher(matcher),
  read,
  decides: () => true,
  maxContinuations: 3,
  isToldOfDenied: false,
  importHooks(configured, options) {
    const run = importRun(
      {
        dialect: "native",
        nativeEvents: EVENTS,
        resolveEvent: resolve,
        timeout: (event, entry) => ({ usual: isObserved(event, entry) ? 15 : 10, most: 120 }),
        matcherProblem,
        problems: entryProblems,
      },
      options,
    );
    for (const entry of hookEntries(configured, run)) run.add({ natives: [entry.event], fields: entry.fields });
    return run.end();
  },
};

function resolve(name: string): readonly HookEventName[] | undefined {
  const event = EVENTS.find((one) => one === name);
  return event === undefined ? undefined : [event];
}

function isObserved(name: string, { observe }: JsonObject): boolean {
  const [event] = resolve(name) ?? [];
  return observe === true || (event !== undefined && HOOK_EVENTS[event].kind === "observe");
}

function matcherProblem(matcher: JsonValue) {
  if (!isFields(matcher)) {
    return problem(`a matcher is an object of ${NATIVE_MATCHER_KEYS.join(", ")}`, true);
  }
  const unknown = Object.keys(matcher).find((key) => !NATIVE_MATCHER_KEYS.includes(key));
  if (unknown !== undefined) return problem(`a matcher has no "${unknown.slice(0, 40)}"; it is not looked at`, false);
  for (const key of ["tool", "command", "event"]) {
    const why = [matcher[key] ?? ""]
      .flat()
      .map((pattern) => patternProblem(asText(pattern)))
      .find((one) => one !== undefined);
    if (why !== undefined) return problem(`its ${key} is no pattern that can be used: ${why}`, false);
  }
  return undefined;
}

function problem(message: string, isIgnored: boolean) {
  return { code: "hook.matcher_invalid" as const, message, isIgnored };
}

function payload(hook: Hook, occurrence: HookOccurrence): JsonObject {
  const { event, at, id, seq, common, data } = visibleTo(hook, occurrence);
  const { extra, ...fields } = data;
  return plainJson({
    type: event,
    timestamp: new Date(at).toISOString(),
    data: {
      ...common,
      ...fields,
      ...(isFields(extra) ? extra : {}),
      event_id: id,
      execution_id: `${id}.${hook.id}`,
      seq,
    },
  });
}

function read(hook: Hook, result: HookResult, { event }: HookOccurrence): HookReading {
  const failure = failureOf(result);
  if (failure !== undefined) return failure;
  const output = outputOf(result);
  const said = output.type === "object" ? output.value : {};
  if (result.exit === 2) {
    return decided({ decision: "deny", reason: textIn(said["reason"]) ?? stderrReason(result) ?? DEFAULT_REASON });
  }
  if (result.exit !== 0) return failedExit(result);
  if (output.type === "object") return readAnswer(output.value);
  if (output.type === "empty") return noOpinion();
  if (output.type === "broken" || !acceptsText(hook, result)) return unreadable();
  return decided(HOOK_EVENTS[event].kind === "transform" ? { text: output.text } : { context: output.text });
}

/** A module may return a text; an HTTP hook may send one when it says so. */
function acceptsText({ target }: Hook, { via }: HookResult): boolean {
  return via === "module" || (via === "http" && target.type === "http" && target.acceptText === true);
}

const MODES = ["merge", "existing", "replace"] as const;
const DECISIONS = ["deny", "defer", "ask", "allow"] as const;

/** A guard's word that is none cannot be taken for "no opinion"; what else is not of its type is told and left out. */
function readAnswer(sent: JsonObject): HookReading {
  const { decision } = sent;
  if (decision !== undefined && decision !== null && !DECISIONS.some((one) => one === decision)) {
    const why = `its decision is none of ${DECISIONS.join(", ")}`;
    return { type: "failed", isTimeout: false, why, log: [{ level: "warn", code: "hook.invalid_json", message: why }] };
  }
  const log = Object.entries(FIELDS).flatMap(([field, { expected, fits }]): readonly HookLogEntry[] => {
    const value = sent[field] ?? null;
    if (value === null || fits(value)) return [];
    return [{ level: "warn", code: "hook.field_ignored", message: `its ${field} is not ${expected}` }];
  });
  return decided(decisionOf(sent), log);
}

const isText = (value: JsonValue): boolean => typeof value === "string";

/** What the fields of an answer have to be; `output` may be anything. */
const FIELDS: Readonly<Record<string, { readonly expected: string; readonly fits: (value: JsonValue) => boolean }>> = {
  reason: { expected: "a text", fits: isText },
  context: { expected: "a text", fits: isText },
  text: { expected: "a text", fits: isText },
  input: { expected: "an object", fits: isFields },
  notes: { expected: "a text or a list of texts", fits: (value) => [value].flat().every((note) => isText(note)) },
  stop: { expected: "an object", fits: isEnding },
  keepGoing: { expected: "an object", fits: isEnding },
  prevent: { expected: "an object", fits: isEnding },
  skip: { expected: "an object", fits: isEnding },
  permission: { expected: "an object", fits: isFields },
};

function isEnding(value: JsonValue): boolean {
  return typeof value === "boolean" || isText(value) || isFields(value);
}

/** A decision as it was sent: what is not of its type is not there. */
function decisionOf(sent: JsonObject): HookDecision {
  const decision = DECISIONS.find((one) => one === sent["decision"]);
  const reason = textIn(sent["reason"]) ?? (decision === "deny" ? DEFAULT_REASON : undefined);
  const { input, output, text, retry, notes } = sent;
  const context = textIn(sent["context"]);
  const ruleKey = textIn(sent["ruleKey"]);
  return {
    ...(decision === undefined ? {} : { decision }),
    ...(reason === undefined ? {} : { reason }),
    ...(ruleKey === undefined ? {} : { ruleKey }),
    ...endings(sent),
    ...(isFields(input) ? { input: inputOf(input) } : {}),
    ...(typeof text === "string" ? { text } : {}),
    ...(output === undefined || output === null ? {} : { output }),
    ...(context === undefined ? {} : { context }),
    ...(notes === undefined ? {} : { notes: [notes].flat().filter((note) => typeof note === "string") }),
    ...permissionOf(sent["permission"]),
    ...elicitationOf(sent["elicitation"]),
    ...(retry === true ? { retry: true } : {}),
    ...metaOf(sent["meta"]),
  };
}

function endings({ stop, keepGoing, prevent, skip }: JsonObject): HookDecision {
  return {
    ...(isSaid(stop) ? { stop: withText("message", stop) } : {}),
    ...(isSaid(keepGoing) ? { keepGoing: { message: textOf("message", keepGoing) ?? DEFAULT_REASON } } : {}),
    ...(isSaid(prevent) ? { prevent: withText("reason", prevent) } : {}),
    ...(isSaid(skip) ? { skip: withText("reason", skip) } : {}),
  };
}

/** An ending is an object; `true` and a bare text are short for one. */
function isSaid(value: JsonValue | undefined): value is JsonValue {
  return isFields(value) || value === true || textIn(value) !== undefined;
}

function textOf(field: string, value: JsonValue): string | undefined {
  return isFields(value) ? textIn(value[field]) : textIn(value);
}

function withText<Field extends string>(field: Field, value: JsonValue): { readonly [key in Field]?: string } {
  const text = textOf(field, value);
  // an object of the one field, or of none
  return (text === undefined ? {} : { [field]: text }) as { readonly [key in Field]?: string };
}

function inputOf(input: JsonObject): NonNullable<HookDecision["input"]> {
  const mode = MODES.find((one) => one === input["mode"]);
  const { value } = input;
  const isWrapped = mode !== undefined && isFields(value) && Object.keys(input).length === 2;
  return isWrapped ? { mode, value } : { mode: "merge", value: input };
}

function permissionOf(value: JsonValue | undefined): Pick<HookDecision, "permission"> {
  if (!isFields(value)) return {};
  const behavior = (["allow", "deny"] as const).find((one) => one === value["behavior"]);
  if (behavior === undefined) return {};
  const { input, rules, interrupt } = value;
  const message = textIn(value["message"]);
  return {
    permission: {
      behavior,
      ...(isFields(input) ? { input } : {}),
      ...(Array.isArray(rules) ? { rules: rules as readonly JsonValue[] } : {}),
      ...(message === undefined ? {} : { message }),
      ...(interrupt === true ? { interrupt: true } : {}),
    },
  };
}

function elicitationOf(value: JsonValue | undefined): Pick<HookDecision, "elicitation"> {
  if (!isFields(value)) return {};
  const action = (["accept", "decline", "cancel"] as const).find((one) => one === value["action"]);
  const { content } = value;
  if (action === undefined) return {};
  return { elicitation: { action, ...(isFields(content) ? { content } : {}) } };
}

function metaOf(value: JsonValue | undefined): Pick<HookDecision, "meta"> {
  if (!isFields(value)) return {};
  const { sessionTitle, initialUserMessage, watchPaths, reloadSkills, worktreePath } = value;
  return {
    meta: {
      ...(typeof sessionTitle === "string" ? { sessionTitle } : {}),
      ...(typeof initialUserMessage === "string" ? { initialUserMessage } : {}),
      ...(Array.isArray(watchPaths) ? { watchPaths: watchPaths.filter((path) => typeof path === "string") } : {}),
      ...(reloadSkills === true ? { reloadSkills } : {}),
      ...(typeof worktreePath === "string" ? { worktreePath } : {}),
    },
  };
}
