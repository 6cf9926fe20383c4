import { expect, it } from "vitest";
import { repairCalls } from "#src/agent/recovery/repair-calls";
import { call } from "../../../support/scripted-turn";

const TOOLS = ["read_file", "write_file"];

it("leaves calls that are right as they are", () => {
  const good = call("a", "read_file");
  expect(repairCalls([good], TOOLS, false)).toEqual({ calls: [good], cut: [] });
  expect(repairCalls([good], TOOLS, false).calls[0]).toBe(good);
});

it("puts names and arguments right, and leaves what it cannot", () => {
  const given = [
    { id: "a", name: "functions.readFile", arguments: "{'path': 'x'}" },
    { id: "b", name: "fly", arguments: "up, up" },
  ];
  expect(repairCalls(given, TOOLS, false).calls).toEqual([
    { id: "a", name: "read_file", arguments: '{"path":"x"}' },
    { id: "b", name: "fly", arguments: "up, up" },
  ]);
});

it("keeps every call, also two that ask for the same: a second append is no mistake", () => {
  const twice = [
    call("a", "terminal", '{"command":"echo x >> log"}'),
    call("b", "terminal", '{"command":"echo x >> log"}'),
  ];
  expect(repairCalls(twice, ["terminal"], false).calls).toEqual(twice);
});

it("guesses nothing about the end of a call that the output limit cut off", () => {
  const given = [
    { id: "a", name: "read_file", arguments: '{"path":"x"}' },
    { id: "b", name: "write_file", arguments: `{"path":"y","deep":{"content":"z"}` },
  ];
  const { calls, cut } = repairCalls(given, TOOLS, true);
  expect(cut.map(({ id }) => id)).toEqual(["b"]);
  expect(calls).toHaveLength(2);
  expect(repairCalls(given, TOOLS, false).cut).toEqual([]);
});

it("keeps the beginning of arguments that were cut off, and never as something that could run", () => {
  for (const args of ['{"a":1}x', '{"content":"y', "{}{"]) {
    const [settled] = repairCalls([{ id: "b", name: "write_file", arguments: args }], TOOLS, true).calls;
    expect(() => JSON.parse(settled?.arguments ?? "{}")).toThrow(SyntaxError);
  }
  const long = { id: "b", name: "write_file", arguments: `{"content":"${"x".repeat(9000)}` };
  expect(repairCalls([long], TOOLS, true).calls[0]?.arguments.length).toBeLessThan(300);
});
