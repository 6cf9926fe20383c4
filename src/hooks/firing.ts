import type {
  HookFields,
  HookDecision,
  HookEventName,
  HookOccurrence,
  HookSettlement,
  HookValue,
} from "#src/domain/hook-event";
import type { Hook, HookLogEntry } from "#src/domain/hook";
import type { JsonObject } from "#src/domain/json";
import type { EngagedHook } from "./engaged-hook";

/** One event on its way through its hooks. */
export interface Firing {
  readonly occurrence: HookOccurrence;
  /** Those who have a say in it, in the order in which they are heard. */
  readonly hooks: readonly EngagedHook[];
  /** Asks one of them. Never throws; undefined when it has no opinion. */
  readonly ask: (engaged: EngagedHook, occurrence: HookOccurrence, round?: number) => Promise<HookDecision | undefined>;
  readonly log: (entry: HookLogEntry) => void;
  /** What is wrong with a tool's input; undefined when its schema takes it. */
  readonly validate: (toolName: string, input: JsonObject) => string | undefined;
  /** Whether a hook said exactly this when it last kept the agent going in this turn; it is remembered for the next time. */
  readonly isRepeated: (hook: Hook, feedback: string) => boolean;
}

/** What the hooks of an event want, and who was not asked any more because one before them refused. */
export interface Settled {
  readonly settlement: HookSettlement;
  readonly unasked?: { readonly hooks: readonly EngagedHook[]; readonly occurrence: HookOccurrence };
}

/** The occurrence with some of its data as a hook left them. */
export function occurrenceWith(occurrence: HookOccurrence, changed: HookFields): HookOccurrence {
  return { ...occurrence, data: { ...occurrence.data, ...changed } };
}

/** Where an event carries the text that its hooks may replace. */
const TEXT_FIELDS: Partial<Record<HookEventName, readonly string[]>> = {
  "message.received": ["text"],
  "prompt.submit": ["user_message", "prompt"],
  "outbound.message": ["text"],
  "tool.output": ["output"],
  "tool.result": ["result_text", "result"],
  "response.transform": ["response_text"],
  "response.display": ["delta"],
};

/** The occurrence with the text it is about as a hook left it. */
export function withText(occurrence: HookOccurrence, text: HookValue): HookOccurrence {
  const fields = TEXT_FIELDS[occurrence.event] ?? [];
  return occurrenceWith(occurrence, Object.fromEntries(fields.map((field) => [field, text])));
}

/** The input of a tool that an event is about; undefined when it is about none. */
export function inputOf({ data }: HookOccurrence): JsonObject | undefined {
  const input = data["input"];
  // a tool's input came from JSON
  return typeof input === "object" && input !== null && !Array.isArray(input) ? (input as JsonObject) : undefined;
}

/** The tool that an event is about. */
export function toolOf({ data }: HookOccurrence): { readonly name: string; readonly callId?: string } | undefined {
  const tool = data["tool"];
  if (typeof tool !== "object" || tool === null || !("name" in tool) || typeof tool["name"] !== "string")
    return undefined;
  const callId = "call_id" in tool ? tool["call_id"] : undefined;
  return { name: tool["name"], ...(typeof callId === "string" && callId !== "" ? { callId } : {}) };
}

/** Texts of several hooks as one, in their order; undefined when there are none. */
export function joinContexts(contexts: readonly (string | undefined)[]): string | undefined {
  const said = contexts.filter((text): text is string => text !== undefined && text.trim() !== "");
  return said.length === 0 ? undefined : said.map((text) => text.trim()).join("\n\n");
}

/** An object without the fields that are undefined. */
export function present<T extends object>(fields: { readonly [K in keyof T]: T[K] | undefined }): T {
  // only absent fields were left out
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}
