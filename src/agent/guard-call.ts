import type { HookFields } from "#src/domain/hook-event";
import type { JsonObject } from "#src/domain/json";
import type { ToolCall } from "#src/domain/message";
import type { AnyTool } from "#src/domain/tool";
import { type TurnHooks, fireIfHeard } from "./turn-hooks";

/** What the rules say of a call. `ask` by rule cannot be waved through by a hook. */
export type Judgement =
  | { readonly type: "run" }
  /** Never, whatever anybody says. */
  | { readonly type: "refuse"; readonly reason: string }
  | {
      readonly type: "ask";
      readonly description: string;
      readonly keys: readonly string[];
      /** No rule asks, only the mode does: a hook may wave it through. */
      readonly isDefault?: true;
    };

/** A call that a person has to allow. */
export interface ApprovalRequest {
  readonly call: ToolCall;
  readonly tool: AnyTool;
  readonly input: JsonObject;
  /** Why it is asked, one line. */
  readonly description: string;
  /** Kinds of danger, for "always allow this". */
  readonly keys: readonly string[];
}

export type ApprovalVerdict =
  | { readonly type: "granted" }
  /** What the model reads. */
  | { readonly type: "denied"; readonly content: string };

export interface GuardPorts {
  readonly hooks: TurnHooks;
  /** What the operator's rules say of a call with these arguments. */
  readonly judge: (tool: AnyTool, input: JsonObject) => Judgement | Promise<Judgement>;
  /** Whether the call was put before a person already: what stood before that is settled. */
  readonly isAsked: (call: ToolCall) => boolean;
  /** Asks a person, and waits; resolves at once where nobody can be asked. */
  readonly approve: (request: ApprovalRequest) => Promise<ApprovalVerdict>;
  /** Tells the person something that the model does not read. */
  readonly notify: (notes: readonly string[]) => void;
  /** Ends the turn with a sentence for the person. */
  readonly stopTurn: (message: string) => void;
}

/** What becomes of a call before it runs. */
export type Admission =
  /** With the arguments as the hooks left them; `context` is theirs, for the result. */
  | { readonly type: "admitted"; readonly input: JsonObject; readonly context?: string }
  | { readonly type: "refused"; readonly content: string };

/**
 * Takes a call past everything that may refuse it, in this order: what is never allowed, the hooks, the rules on what
 * the hooks made of it, a person. What a hook refuses no later voice allows.
 */
export async function admitCall(
  call: ToolCall,
  tool: AnyTool,
  given: JsonObject,
  ports: GuardPorts,
): Promise<Admission> {
  const first = await ports.judge(tool, given);
  if (first.type === "refuse") return refused(call, tool, given, first.reason, ports);
  const settled = ports.isAsked(call)
    ? undefined
    : await fireIfHeard(ports.hooks, "tool.pre", () => ({ ...toolFields(call, tool, given) }));
  if (settled !== undefined) ports.notify(settled.notes);
  if (settled?.outcome === "stop") {
    ports.stopTurn(settled.reason ?? "");
    return { type: "refused", content: "Not run: a hook ended the turn." };
  }
  if (settled?.outcome === "deny") return { type: "refused", content: settled.reason ?? "Blocked by hook." };
  const input = settled?.input ?? given;
  const judged = input === given ? first : await ports.judge(tool, input);
  if (judged.type === "refuse") return refused(call, tool, input, judged.reason, ports);
  const context = settled?.context;
  const admitted: Admission = { type: "admitted", input, ...(context === undefined ? {} : { context }) };
  const isWaved = judged.type === "ask" && judged.isDefault === true && settled?.outcome === "allow";
  if (judged.type === "ask" && !isWaved) return permit(call, tool, input, judged, admitted, ports);
  if (settled?.outcome === "ask" || settled?.outcome === "defer") {
    const description = settled.reason ?? `a hook asks (${settled.by ?? "unnamed"})`;
    return permit(
      call,
      tool,
      input,
      { description, keys: [settled.ruleKey ?? `hook:${settled.by ?? ""}`] },
      admitted,
      ports,
    );
  }
  return admitted;
}

/** Puts a call before the hooks that answer permissions, then before a person. */
async function permit(
  call: ToolCall,
  tool: AnyTool,
  input: JsonObject,
  why: { readonly description: string; readonly keys: readonly string[] },
  admitted: Extract<Admission, { type: "admitted" }>,
  ports: GuardPorts,
): Promise<Admission> {
  const claim = ports.isAsked(call)
    ? undefined
    : await fireIfHeard(ports.hooks, "tool.permission", () => ({
        ...toolFields(call, tool, input),
        description: why.description,
        pattern_keys: why.keys,
      }));
  if (claim !== undefined) ports.notify(claim.notes);
  if (claim?.permission?.behavior === "deny") {
    if (claim.permission.interrupt === true) ports.stopTurn(claim.permission.message ?? "");
    return { type: "refused", content: claim.permission.message ?? "Blocked by hook." };
  }
  if (claim?.permission?.behavior === "allow") {
    const rewritten = claim.permission.input;
    if (rewritten === undefined) return admitted;
    // what a hook made of it was never looked at
    const judged = await ports.judge(tool, rewritten);
    if (judged.type === "refuse") return refused(call, tool, rewritten, judged.reason, ports);
    return { ...admitted, input: rewritten };
  }
  const { description, keys } = why;
  const verdict = await ports.approve({ call, tool, input, description, keys });
  return verdict.type === "granted" ? admitted : { type: "refused", content: verdict.content };
}

/** Refuses for a rule, and tells who watches refusals. */
async function refused(
  call: ToolCall,
  tool: AnyTool,
  input: JsonObject,
  reason: string,
  ports: GuardPorts,
): Promise<Admission> {
  await fireIfHeard(ports.hooks, "tool.permission.denied", () => ({ ...toolFields(call, tool, input), reason }));
  return { type: "refused", content: reason };
}

/** What every event of a tool carries. */
export function toolFields(call: ToolCall, tool: AnyTool, input: JsonObject): HookFields {
  const kind = tool.toolset.startsWith("mcp-") ? "mcp" : tool.toolset.startsWith("plugin-") ? "plugin" : "builtin";
  return { tool: { name: call.name, kind, call_id: call.id }, input };
}
