import { expect, it } from "vitest";
import { todo } from "#src/tools/todo";
import { runTool, todoStore, toolContext } from "../../support/tool-context";

const first = { id: "1", content: "Read", status: "pending" } as const;
const second = { id: "2", content: "Write", status: "pending" } as const;

it("reads the list when no tasks are given", async () => {
  const result = await runTool(todo, {}, toolContext({ todos: todoStore([first]) }));
  expect(JSON.parse(result.content)).toMatchObject({ todos: [first], summary: { total: 1, pending: 1 } });
});

it("replaces the list, and takes numbers as ids", async () => {
  const todos = todoStore([first]);
  await runTool(todo, { todos: [{ id: 2, content: "Write" }] }, toolContext({ todos }));
  expect(todos.read()).toEqual([second]);
});

it("merges by id, keeping order and what is not given", async () => {
  const todos = todoStore([first, second]);
  const change = [
    { id: "1", status: "completed" },
    { id: "3", content: "Test" },
  ];
  await runTool(todo, { todos: change, merge: true }, toolContext({ todos }));
  expect(todos.read()).toEqual([
    { ...first, status: "completed" },
    second,
    { id: "3", content: "Test", status: "pending" },
  ]);
});

it("refuses a new task without content and changes nothing", async () => {
  const todos = todoStore([first]);
  const result = await runTool(
    todo,
    { todos: [{ id: "9", status: "completed" }], merge: true },
    toolContext({ todos }),
  );
  expect(result.isError).toBe(true);
  expect(todos.read()).toEqual([first]);
});

it("comes to the same list when it runs twice", async () => {
  const todos = todoStore([first]);
  const input = { todos: [{ id: "2", content: "Write" }], merge: true };
  await runTool(todo, input, toolContext({ todos }));
  await runTool(todo, input, toolContext({ todos }));
  expect(todos.read()).toEqual([first, second]);
});
