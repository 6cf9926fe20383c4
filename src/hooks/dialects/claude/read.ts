import type { HookDecision, HookOccurrence } from "#src/domain/hook-event";
import type { Hook, HookReading, HookResult } from "#src/domain/hook";
import type { JsonObject, JsonValue } from "#src/domain/json";
import { callOf } from "../../match-fields";
import { isFields, textIn } from "../../plain-json";
import {
  DEFAULT_REASON,
  decided,
  exitEntry,
  failedExit,
  failureOf,
  noOpinion,
  outputOf,
  stderrReason,
  unreadable,
} from "../../read-output";
import { inputToOurs } from "../../translate-tool";
import { CLAUDE_EVENTS, type ExitTwo } from "./events";

/**
 * What an answer means in Claude Code. JSON counts whatever the exit code; exit code 2 blocks where the event can be
 * blocked, and no JSON undoes that. Text is context at some events when a command printed it.
 */
export function readClaude(hook: Hook, result: HookResult, occurrence: HookOccurrence): HookReading {
  const failure = failureOf(result);
  if (failure !== undefined) return failure;
  const output = outputOf(result);
  const spec = CLAUDE_EVENTS[hook.nativeEvent];
  const sent = output.type === "object" ? fromModel(output.value, result) : undefined;
  const decision = sent === undefined ? {} : decisionOf(sent, hook.nativeEvent, occurrence);
  if (result.exit === 2) return blocked(decision, spec?.exitTwo ?? "nothing", result);
  if (output.type === "object") return decided(decision);
  if (result.exit !== 0) return failedExit(result);
  if (output.type === "broken") return unreadable();
  if (output.type === "empty") return noOpinion();
  if (result.via === "http" || result.via === "prompt") return unreadable();
  // what other events' commands print is for nobody
  return spec?.takesText === true ? decided({ context: output.text.trim() }) : noOpinion();
}

/** A model that was asked says `ok`. */
function fromModel(sent: JsonObject, { via }: HookResult): JsonObject {
  if (via !== "prompt" || typeof sent["ok"] !== "boolean") return sent;
  return sent["ok"] ? {} : { decision: "block", reason: textIn(sent["reason"]) ?? DEFAULT_REASON };
}

function blocked(decision: HookDecision, what: ExitTwo, result: HookResult): HookReading {
  const { notes, stop } = decision;
  const kept: HookDecision = { ...(notes === undefined ? {} : { notes }), ...(stop === undefined ? {} : { stop }) };
  const said = stderrReason(result) === undefined ? undefined : result.stderr.trim();
  const reason = said ?? DEFAULT_REASON;
  switch (what) {
    case "deny":
      return decided({ ...kept, decision: "deny", reason: denialIn(decision) ?? reason });
    case "prevent":
      return decided({ ...kept, prevent: { reason: decision.prevent?.reason ?? reason } });
    case "keep-going":
      return decided({ ...kept, keepGoing: { message: decision.keepGoing?.message ?? reason } });
    case "decline":
      return decided({ ...kept, elicitation: { action: "decline" } });
    case "context":
      return decided(said === undefined ? decision : { ...decision, context: joined(decision.context, said) });
    case "note":
      return decided(said === undefined ? decision : { ...decision, notes: [...(notes ?? []), said] }, [
        exitEntry(result),
      ]);
    case "nothing":
      return decided(decision, [exitEntry(result)]);
  }
}

/** The reason of an answer that itself refuses. */
function denialIn({ decision, reason }: HookDecision): string | undefined {
  return decision === "deny" ? reason : undefined;
}

function joined(first: string | undefined, second: string): string {
  return first === undefined ? second : `${first}\n\n${second}`;
}

function decisionOf(sent: JsonObject, nativeEvent: string, occurrence: HookOccurrence): HookDecision {
  const specific = sent["hookSpecificOutput"];
  const own = isFields(specific) && specific["hookEventName"] === nativeEvent ? specific : {};
  const note = textIn(sent["systemMessage"]);
  const message = textIn(sent["stopReason"]);
  const said = DECISIONS[nativeEvent]?.(sent, own, occurrence) ?? contextIn(own);
  return {
    ...said,
    ...(sent["continue"] === false ? { stop: message === undefined ? {} : { message } } : {}),
    ...(note === undefined ? {} : { notes: [note] }),
  };
}

type Read = (sent: JsonObject, own: JsonObject, occurrence: HookOccurrence) => HookDecision;

const DECISIONS: Readonly<Record<string, Read>> = {
  SessionStart: (_sent, own) => ({ ...contextIn(own), ...metaIn(own) }),
  Setup: (_sent, own) => ({ ...contextIn(own), ...metaIn(own) }),
  UserPromptSubmit: (sent, own) => ({ ...denial(sent), ...contextIn(own), ...metaIn(own) }),
  UserPromptExpansion: (sent, own) => ({ ...denial(sent), ...contextIn(own) }),
  MessageDisplay: (_sent, { displayContent }) => (typeof displayContent === "string" ? { text: displayContent } : {}),
  PreToolUse: (sent, own, occurrence) => ({ ...verdict(sent, own), ...rewrite(own, occurrence), ...contextIn(own) }),
  PreModelSwitch: verdict,
  PermissionRequest: (_sent, own, occurrence) => permission(own["decision"], occurrence),
  PermissionDenied: (_sent, own) => (own["retry"] === true ? { retry: true } : {}),
  PostToolUse: (sent, own) => ({ ...feedback(sent, own), ...replacement(own) }),
  PostToolUseFailure: feedback,
  PostToolBatch: (sent, own) => ({ ...denial(sent), ...contextIn(own) }),
  Stop: objection,
  SubagentStop: objection,
  TeammateIdle: objection,
  TaskCompleted: objection,
  TaskCreated: prevention,
  ConfigChange: prevention,
  PreCompact: prevention,
  CwdChanged: (_sent, own) => metaIn(own),
  DirectoryAdded: (_sent, own) => metaIn(own),
  FileChanged: (_sent, own) => metaIn(own),
  WorktreeCreate: (_sent, own) => metaIn(own),
  Elicitation: (_sent, own) => elicitation(own),
  ElicitationResult: (_sent, own) => elicitation(own),
};

function contextIn(own: JsonObject): Pick<HookDecision, "context"> {
  const context = textIn(own["additionalContext"]);
  return context === undefined ? {} : { context };
}

function isBlock({ decision }: JsonObject): boolean {
  return decision === "block";
}

function reasonIn({ reason }: JsonObject): string {
  return textIn(reason) ?? DEFAULT_REASON;
}

function denial(sent: JsonObject): HookDecision {
  return isBlock(sent) ? { decision: "deny", reason: reasonIn(sent) } : {};
}

const VERDICTS = ["allow", "deny", "ask", "defer"] as const;

/** `permissionDecision`, or the older `decision` of the whole answer. */
function verdict(sent: JsonObject, own: JsonObject): HookDecision {
  const decision = VERDICTS.find((one) => one === own["permissionDecision"]);
  if (decision !== undefined) {
    const reason = textIn(own["permissionDecisionReason"]) ?? (decision === "deny" ? DEFAULT_REASON : undefined);
    return { decision, ...(reason === undefined ? {} : { reason }) };
  }
  if (isBlock(sent)) return denial(sent);
  if (sent["decision"] !== "approve") return {};
  const reason = textIn(sent["reason"]);
  return { decision: "allow", ...(reason === undefined ? {} : { reason }) };
}

function rewrite({ updatedInput }: JsonObject, occurrence: HookOccurrence): Pick<HookDecision, "input"> {
  return isFields(updatedInput) ? { input: { mode: "replace", value: ours(updatedInput, occurrence) } } : {};
}

function ours(changed: JsonObject, occurrence: HookOccurrence): JsonObject {
  const call = callOf(occurrence) ?? { name: "", input: {} };
  return inputToOurs(changed, call, { vocabulary: "claude", cwd: occurrence.common.cwd ?? "", isWhole: true });
}

function permission(value: JsonValue | undefined, occurrence: HookOccurrence): HookDecision {
  if (!isFields(value)) return {};
  const behavior = (["allow", "deny"] as const).find((one) => one === value["behavior"]);
  if (behavior === undefined) return {};
  const { updatedInput, updatedPermissions, interrupt } = value;
  const message = textIn(value["message"]) ?? (behavior === "deny" ? DEFAULT_REASON : undefined);
  return {
    permission: {
      behavior,
      ...(isFields(updatedInput) ? { input: ours(updatedInput, occurrence) } : {}),
      ...(Array.isArray(updatedPermissions) ? { rules: updatedPermissions as readonly JsonValue[] } : {}),
      ...(message === undefined ? {} : { message }),
      ...(interrupt === true ? { interrupt } : {}),
    },
  };
}

/** What the model is told next to a result that stands. */
function feedback(sent: JsonObject, own: JsonObject): HookDecision {
  const { context } = contextIn(own);
  if (!isBlock(sent)) return context === undefined ? {} : { context };
  return { context: context === undefined ? reasonIn(sent) : joined(reasonIn(sent), context) };
}

function replacement(own: JsonObject): HookDecision {
  // the older name was for the tools of MCP servers alone
  const output = own["updatedToolOutput"] ?? own["updatedMCPToolOutput"];
  return output === undefined || output === null ? {} : { output };
}

function objection(sent: JsonObject, own: JsonObject): HookDecision {
  const { context } = contextIn(own);
  if (isBlock(sent)) return { keepGoing: { message: reasonIn(sent) } };
  return context === undefined ? {} : { keepGoing: { message: context } };
}

function prevention(sent: JsonObject): HookDecision {
  return isBlock(sent) ? { prevent: { reason: reasonIn(sent) } } : {};
}

function elicitation(own: JsonObject): HookDecision {
  const action = (["accept", "decline", "cancel"] as const).find((one) => one === own["action"]);
  const { content } = own;
  if (action === undefined) return {};
  return { elicitation: { action, ...(isFields(content) ? { content } : {}) } };
}

function metaIn(own: JsonObject): Pick<HookDecision, "meta"> {
  const { sessionTitle, initialUserMessage, watchPaths, reloadSkills, worktreePath } = own;
  const meta: NonNullable<HookDecision["meta"]> = {
    ...(typeof sessionTitle === "string" ? { sessionTitle } : {}),
    ...(typeof initialUserMessage === "string" ? { initialUserMessage } : {}),
    ...(Array.isArray(watchPaths) ? { watchPaths: watchPaths.filter((path) => typeof path === "string") } : {}),
    ...(reloadSkills === true ? { reloadSkills } : {}),
    ...(typeof worktreePath === "string" ? { worktreePath } : {}),
  };
  return Object.keys(meta).length === 0 ? {} : { meta };
}
