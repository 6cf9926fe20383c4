import * as z from "zod";
import { GatewayError } from "#src/domain/errors";
import type { MemoryStore, ToolOutcome } from "#src/domain/tool";
import { defineTool, failure } from "./define-tool";
import { type MemoryOperation, applyMemoryOperations, memoryUsage } from "./memory-operations";

/** Both documents stand in every system prompt, so they are short. */
const MAX_CHARS = { memory: 2200, user: 1375 } as const;
const MAX_OPERATIONS = 20;
/** More than fits, so that a text that is too long is answered with what the document holds. */
const MAX_TEXT_CHARS = 20_000;
/** A session beside this one may write at the same time; the second try is made on what it left. */
const TRIES = 2;

type Target = keyof typeof MAX_CHARS;

const action = z.enum(["add", "replace", "remove"]);
const content = z.string().max(MAX_TEXT_CHARS).optional().describe("The entry's new text, for add and replace");
const oldText = z
  .string()
  .max(MAX_CHARS.memory)
  .optional()
  .describe("Part of one entry that no other has, for replace and remove");

/** Keeps what the agent knows across sessions. */
export const memory = defineTool({
  name: "memory",
  toolset: "memory",
  description:
    "Your memory across conversations: target memory holds your notes (environment, conventions, lessons), target user " +
    "holds what you know of the person. Both are in your prompt from the next conversation on; the result shows the live " +
    "state. Save lasting facts in few words, never secrets or the progress of a task. Use operations to change several " +
    "entries at once: all are made, or none.",
  schema: z.object({
    action: action.optional().describe("For a single change"),
    target: z.enum(["memory", "user"]).default("memory"),
    content,
    old_text: oldText,
    new_text: z.string().max(MAX_TEXT_CHARS).optional().describe("Another name of content, for replace"),
    operations: z
      .array(z.strictObject({ action, content, old_text: oldText, new_text: content }))
      .min(1)
      .max(MAX_OPERATIONS)
      .optional()
      .describe("Several changes at once, instead of action"),
  }),
  effect: "idempotent",
  parallel: "never",
  async execute({ target, operations, ...single }, { memory: store }) {
    const { action } = single;
    const changes = operations ?? (action === undefined ? [] : [{ ...single, action }]);
    if (changes.length === 0) return failure("Give action (add, replace or remove), or operations.");
    if (operations !== undefined && action !== undefined) return failure("Give either action or operations, not both.");
    return change(store, target, changes.map(readOperation));
  },
});

interface GivenOperation {
  readonly action: MemoryOperation["action"];
  readonly content?: string | undefined;
  readonly old_text?: string | undefined;
  readonly new_text?: string | undefined;
}

function readOperation({ action, content, old_text, new_text }: GivenOperation): MemoryOperation {
  return { action, content: content ?? new_text, oldText: old_text };
}

async function change(
  store: MemoryStore,
  target: Target,
  operations: readonly MemoryOperation[],
): Promise<ToolOutcome> {
  const maxChars = MAX_CHARS[target];
  for (let attempt = 1; ; attempt++) {
    const before = await store.read(target);
    const changed = applyMemoryOperations(before, operations, maxChars);
    if ("problem" in changed)
      return failure(state({ error: `Nothing was changed: ${changed.problem}.`, target }, before));
    const { entries, notes } = changed;
    try {
      if (!isSame(entries, before)) await store.write(target, entries, before);
      return { content: state({ result: notes.join(" "), target }, entries) };
    } catch (error) {
      if (!(error instanceof GatewayError && error.code === "conflict") || attempt === TRIES) throw error;
    }
  }
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((entry, index) => entry === b[index]);
}

function state(said: { readonly target: Target } & Record<string, string>, entries: readonly string[]): string {
  return JSON.stringify({ ...said, current_entries: entries, usage: memoryUsage(entries, MAX_CHARS[said.target]) });
}
