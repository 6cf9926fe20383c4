import type { HookDecision, HookOccurrence } from "#src/domain/hook-event";
import type { Hook, HookReading, HookResult } from "#src/domain/hook";
import type { JsonObject } from "#src/domain/json";
import { callOf } from "../../match-fields";
import { isFields, textIn, textOf } from "../../plain-json";
import {
  DEFAULT_REASON,
  type Output,
  decided,
  exitEntry,
  failedExit,
  failureOf,
  noOpinion,
  outputOf,
  unreadable,
} from "../../read-output";
import { inputToOurs } from "../../translate-tool";

/** Events whose hooks' failures count: those whose hooks run one after the other. */
const SERIAL: ReadonlySet<string> = new Set(["PreToolUse", "PermissionRequest", "Stop", "Compaction"]);

/** Events at which text that is no JSON is for the model. */
const TEXT_EVENTS: ReadonlySet<string> = new Set(["PostToolUse", "UserPromptSubmit"]);

/** What an answer means in ClawdCode: 1 is a failure, 2 a refusal, 124 a time-out; other codes mean nothing. */
export function readClawdcode(hook: Hook, result: HookResult, occurrence: HookOccurrence): HookReading {
  const { nativeEvent } = hook;
  const isSerial = SERIAL.has(nativeEvent);
  const failure = failureOf(result);
  if (failure !== undefined) return isSerial ? failure : noOpinion();
  const output = outputOf(result);
  if (result.exit === 2) return blockAt(nativeEvent, result);
  if (result.exit !== 0) {
    // what a linter prints is for the model, however it ends
    const context = nativeEvent === "PostToolUse" && output.type === "text" ? { context: output.text.trim() } : {};
    if (isSerial && (result.exit === 1 || hook.extra?.["hasOwnPolicy"] === true)) return failedExit(result);
    return decided(context, [exitEntry(result)]);
  }
  if (output.type === "broken") return isSerial ? unreadable() : decided({}, unreadable().log);
  return decided(decisionOf(nativeEvent, output, occurrence));
}

function blockAt(nativeEvent: string, result: HookResult): HookReading {
  const reason = result.stderr.trim() || "Blocking error";
  if (nativeEvent === "PreToolUse") return decided({ decision: "deny", reason });
  if (nativeEvent === "PermissionRequest") return decided({ permission: { behavior: "deny", message: reason } });
  if (nativeEvent === "Compaction") return decided({ prevent: { reason } });
  return noOpinion([exitEntry(result)]);
}

function decisionOf(nativeEvent: string, output: Output, occurrence: HookOccurrence): HookDecision {
  if (output.type === "text") return TEXT_EVENTS.has(nativeEvent) ? { context: output.text.trim() } : {};
  if (output.type !== "object") return {};
  const specific = output.value["hookSpecificOutput"];
  const sent = isFields(specific) ? specific : output.value;
  return DECISIONS[nativeEvent]?.(sent, occurrence) ?? {};
}

const DECISIONS: Readonly<Record<string, (sent: JsonObject, occurrence: HookOccurrence) => HookDecision>> = {
  PreToolUse(sent, occurrence) {
    const decision = (["allow", "deny", "ask"] as const).find((one) => one === sent["permissionDecision"]);
    const said = textIn(sent["permissionDecisionReason"]);
    const reason = said ?? (decision === "deny" ? DEFAULT_REASON : undefined);
    const { updatedInput } = sent;
    return {
      ...(decision === undefined ? {} : { decision }),
      ...(reason === undefined ? {} : { reason }),
      ...(isFields(updatedInput) ? { input: { mode: "merge", value: ours(updatedInput, occurrence) } } : {}),
    };
  },
  PostToolUse(sent) {
    const context = textIn(sent["additionalContext"]);
    const { updatedOutput } = sent;
    return {
      ...(context === undefined ? {} : { context }),
      ...(updatedOutput === undefined || updatedOutput === null ? {} : { text: textOf(updatedOutput) }),
    };
  },
  UserPromptSubmit(sent) {
    const context = textIn(sent["additionalContext"]);
    return context === undefined ? {} : { context };
  },
  PermissionRequest(sent) {
    const message = textIn(sent["reason"]);
    const reason = message === undefined ? {} : { message };
    if (sent["decision"] === "approve") return { permission: { behavior: "allow", ...reason } };
    return sent["decision"] === "deny" ? { permission: { behavior: "deny", message: DEFAULT_REASON, ...reason } } : {};
  },
  Stop: (sent) =>
    sent["continue"] === true ? { keepGoing: { message: textIn(sent["reason"]) ?? DEFAULT_REASON } } : {},
  Compaction(sent) {
    const reason = textIn(sent["reason"]);
    return sent["prevent"] === true ? { prevent: reason === undefined ? {} : { reason } } : {};
  },
};

function ours(changed: JsonObject, occurrence: HookOccurrence): JsonObject {
  const call = callOf(occurrence) ?? { name: "", input: {} };
  return inputToOurs(changed, call, { vocabulary: "clawdcode", cwd: occurrence.common.cwd ?? "", isWhole: false });
}
