import * as z from "zod";
import type { TodoItem } from "#src/domain/tool";
import { defineTool, failure } from "./define-tool";

const MAX_ITEMS = 100;

const Item = z.strictObject({
  // models number their tasks as often as they name them
  id: z.union([z.string().min(1).max(64), z.int()]).describe("Short id, stable while the task lives"),
  content: z.string().trim().min(1).max(500).optional().describe("What is to be done; needed for a new task"),
  status: z.enum(["pending", "in_progress", "completed", "cancelled"]).optional().describe("pending when absent"),
});

/** Keeps the list of tasks of a session. */
export const todo = defineTool({
  name: "todo",
  toolset: "todo",
  description:
    "Your task list for this conversation. Call it without todos to read it. Use it for work of three steps or more: " +
    "write the steps first, keep one in_progress, and mark each completed as soon as it is done. Returns the whole list.",
  schema: z.object({
    todos: z.array(Item).max(MAX_ITEMS).optional().describe("Tasks in the order of their priority"),
    merge: z
      .boolean()
      .default(false)
      .describe("true changes or adds the given tasks by id and keeps the others; false replaces the whole list"),
  }),
  effect: "idempotent",
  parallel: "never",
  async execute({ todos, merge }, { todos: store }) {
    const before = store.read();
    if (todos === undefined) return { content: report(before) };
    const byId = new Map<string, TodoItem>(merge ? before.map((item) => [item.id, item]) : []);
    for (const { id: anyId, content, status } of todos) {
      const id = String(anyId);
      const known = byId.get(id);
      const text = content ?? known?.content;
      if (text === undefined)
        return failure(`Task ${JSON.stringify(id)} is new and needs content; nothing was changed.`);
      byId.set(id, { id, content: text, status: status ?? known?.status ?? "pending" });
    }
    const after = Array.from(byId.values());
    if (after.length > MAX_ITEMS) return failure(`The list may hold ${MAX_ITEMS} tasks; nothing was changed.`);
    store.write(after);
    return { content: report(after) };
  },
});

function report(items: readonly TodoItem[]): string {
  const count = (status: TodoItem["status"]): number => items.filter((item) => item.status === status).length;
  const summary = {
    total: items.length,
    pending: count("pending"),
    in_progress: count("in_progress"),
    completed: count("completed"),
    cancelled: count("cancelled"),
  };
  return JSON.stringify({ todos: items, summary });
}
