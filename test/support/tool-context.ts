import type { MemoryStore, TodoItem, TodoStore, Tool, ToolContext, ToolOutcome } from "#src/domain/tool";
import { GatewayError } from "#src/domain/errors";
import { memoryWorkspace } from "./memory-workspace";

/** What a tool gets, with stores of its own that begin empty. */
export function toolContext(changes: Partial<ToolContext> = {}): ToolContext {
  return {
    callKey: "call-1",
    sessionKey: "main:test:dm:1",
    signal: new AbortController().signal,
    now: () => 0,
    workspace: memoryWorkspace(),
    memory: memoryStore(),
    todos: todoStore(),
    ...changes,
  };
}

/** Runs a tool as a turn does: the model's JSON is parsed first. */
export async function runTool<Args>(
  tool: Tool<Args>,
  input: unknown,
  context: ToolContext,
): Promise<{ readonly content: string; readonly isError?: boolean }> {
  const outcome: ToolOutcome = await tool.execute(tool.parse(input), context);
  if ("ask" in outcome) throw new TypeError("the tool asked a question");
  return outcome;
}

export function todoStore(initial: readonly TodoItem[] = []): TodoStore {
  let items = initial;
  return { read: () => items, write: (next) => void (items = next) };
}

export function memoryStore(initial: Partial<Record<"memory" | "user", readonly string[]>> = {}): MemoryStore {
  const documents: Record<"memory" | "user", readonly string[]> = { memory: [], user: [], ...initial };
  return {
    read: async (target) => documents[target],
    write: async (target, entries, expected) => {
      if (JSON.stringify(expected) !== JSON.stringify(documents[target]))
        throw new GatewayError("conflict", "It has changed.");
      documents[target] = entries;
    },
  };
}
