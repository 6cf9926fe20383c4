import type { HookDecision, HookOccurrence } from "#src/domain/hook-event";
import type { Hook, HookReading, HookResult } from "#src/domain/hook";
import type { JsonObject } from "#src/domain/json";
import { isFields, textIn } from "../../plain-json";
import {
  DEFAULT_REASON,
  type Output,
  decided,
  exitEntry,
  failedExit,
  failureOf,
  noOpinion,
  outputOf,
  stderrReason,
  unreadable,
} from "../../read-output";

/**
 * What an answer means in Hermes. A command's exit code 2 blocks a tool; any other that is not 0 is told of, and what
 * the command printed counts all the same.
 */
export function readHermes(hook: Hook, result: HookResult, occurrence: HookOccurrence): HookReading {
  const failure = failureOf(result);
  if (failure !== undefined) return failure;
  const output = outputOf(result);
  const decision = decisionOf(hook, result, output);
  if (result.exit === 2 && occurrence.event === "tool.pre") {
    const block = decision.decision === "deny" ? decision : undefined;
    return decided(block ?? { decision: "deny", reason: stderrReason(result) ?? defaultReason(result) });
  }
  const isSaid = Object.keys(decision).length > 0;
  if (result.exit !== 0) return isSaid ? decided(decision, [exitEntry(result)]) : failedExit(result);
  // callbacks of plugins return what they like
  if (!isSaid && result.via !== "module" && (output.type === "text" || output.type === "broken")) return unreadable();
  return isSaid ? decided(decision) : noOpinion();
}

function decisionOf({ nativeEvent }: Hook, result: HookResult, output: Output): HookDecision {
  const isModule = result.via === "module";
  if (nativeEvent === "pre_tool_call") return output.type === "object" ? toolDecision(output.value, result) : {};
  if (nativeEvent === "pre_gateway_dispatch") return output.type === "object" ? messageDecision(output.value) : {};
  if (nativeEvent === "pre_verify") return output.type === "object" ? verifyDecision(output.value) : {};
  if (nativeEvent.startsWith("transform_")) return isModule ? replacement(result) : {};
  const context = output.type === "object" ? textIn(output.value["context"]) : undefined;
  const text = isModule && output.type === "text" ? output.text : undefined;
  const said = context ?? text;
  return said === undefined ? {} : { context: said };
}

function toolDecision(sent: JsonObject, result: HookResult): HookDecision {
  const { action, decision, args, tool_input: toolInput } = sent;
  if (action === "block" || decision === "block") {
    const message = textIn(sent["message"]);
    const reason = textIn(sent["reason"]);
    const why = action === "block" ? (message ?? reason) : (reason ?? message);
    // a plugin that blocks has to say why
    if (why === undefined && result.via === "module") return {};
    return { decision: "deny", reason: why ?? defaultReason(result) };
  }
  const changed = isFields(args) ? args : toolInput;
  if ((action === "modify" || decision === "modify") && isFields(changed))
    return { input: { mode: "merge", value: changed } };
  // an `approve` under `decision` is another system's word for "allowed", and means nothing here
  return action === "approve" ? question(sent) : {};
}

function question(sent: JsonObject): HookDecision {
  const reason = textIn(sent["message"]) ?? textIn(sent["reason"]);
  const ruleKey = textIn(sent["rule_key"]) ?? textIn(sent["ruleKey"]);
  return {
    decision: "ask",
    ...(reason === undefined ? {} : { reason }),
    ...(ruleKey === undefined ? {} : { ruleKey }),
  };
}

function messageDecision({ action, reason, text }: JsonObject): HookDecision {
  const why = textIn(reason);
  if (action === "skip") return { skip: why === undefined ? {} : { reason: why } };
  if (action === "rewrite" && typeof text === "string") return { text };
  return action === "allow" ? { decision: "allow" } : {};
}

function verifyDecision(sent: JsonObject): HookDecision {
  const word = (textIn(sent["action"]) ?? textIn(sent["decision"]) ?? "").trim().toLowerCase();
  const message = (textIn(sent["message"]) ?? textIn(sent["reason"]))?.trim();
  return (word === "continue" || word === "block") && message !== undefined ? { keepGoing: { message } } : {};
}

function replacement({ returned }: HookResult): HookDecision {
  return typeof returned === "string" ? { text: returned } : {};
}

function defaultReason({ via }: HookResult): string {
  return via === "exec" ? "Blocked by shell hook." : DEFAULT_REASON;
}
