import { expect, it } from "vitest";
import { planSegments } from "#src/agent/plan-segments";
import type { ToolCall } from "#src/domain/message";
import type { AnyTool, ToolParallel } from "#src/domain/tool";

interface PathArgs {
  readonly path?: string;
}

function tool(name: string, parallel: ToolParallel<PathArgs>): [string, AnyTool] {
  const parse = (input: unknown): unknown => {
    if ((input as { bad?: boolean }).bad === true) throw new TypeError("refused");
    return input;
  };
  return [
    name,
    {
      name,
      toolset: "t",
      description: "",
      parameters: {},
      parse,
      effect: "safe",
      parallel,
      execute: async () => ({ content: "" }),
    },
  ];
}

const paths = ({ path }: PathArgs): readonly string[] | undefined => (path === undefined ? undefined : [path]);
const tools = new Map([
  tool("free", "always"),
  tool("alone", "never"),
  tool("read", { access: "read", paths }),
  tool("write", { access: "write", paths }),
]);

/** `read a` stands for a call of read with the path a; segments come as `P0,1 S2`. */
function plan(...calls: string[]): string {
  const made = calls.map((call, index): ToolCall => {
    const [name = "", ...rest] = call.split(" ");
    const text = rest.join(" ");
    const isJson = /^[{["]|^null|^$/.test(text);
    return { id: `c${index}`, name, arguments: isJson ? text : JSON.stringify({ path: text }) };
  });
  return planSegments(made, (name) => tools.get(name), { cwd: "/work" })
    .map(({ parallel, calls }) => (parallel ? "P" : "S") + calls.join(","))
    .join(" ");
}

it.each([
  ["nothing", [], ""],
  ["one call", ["free {}"], "S0"],
  ["free calls", ["free {}", "free {}", "free {}"], "P0,1,2"],
  ["a barrier between", ["free {}", "free {}", "alone {}", "free {}", "free {}"], "P0,1 S2 P3,4"],
  ["runs of one around a barrier", ["free {}", "alone {}", "free {}"], "S0,1,2"],
  ["an unknown tool", ["free {}", "what {}", "free {}"], "S0,1,2"],
  ["readers of one file", ["read a", "read a", "read ."], "P0,1,2"],
  ["a writer of a file that is read", ["read a", "read b", "write a"], "P0,1 S2"],
  ["a writer of another file", ["read a", "write b", "free {}"], "P0,1,2"],
  ["a conflict that begins the next run", ["write a", "write b", "read a", "read b"], "P0,1 P2,3"],
  ["a folder around a file", ["write dir", "read dir/a"], "S0,1"],
  ["names that only begin alike", ["write dir", "read dirt"], "P0,1"],
  ["the whole working directory", ["read .", "write a/b"], "S0,1"],
  ["a path outside of it", ["read .", "write ../b"], "P0,1"],
  ["two spellings", ["write ./a//b/../c", "read /work/a/c"], "S0,1"],
  ["no path", ["read {}", "read a", "read b"], "S0 P1,2"],
  ["an empty path", ['read {"path":""}', "read a"], "S0,1"],
  ["text that is no JSON", ["free {bad", "free {}", "free {}"], "S0 P1,2"],
  ["arguments that are no object", ["free null", "free []", 'free "x"', "free "], "S0,1,2,3"],
  ["a path of blanks", ['read {"path":" "}', "read a"], "S0,1"],
  ["a path that is no text", ['read {"path":["b"]}', "read a"], "S0,1"],
  [
    "arguments that the tool refuses, by what they name",
    ['write {"path":"a","bad":true}', "read b", "read a"],
    "P0,1 S2",
  ],
  ["arguments that a free tool refuses", ['free {"bad":true}', "free {}"], "P0,1"],
])("plans %s", (_, calls, expected) => {
  expect(plan(...calls)).toBe(expected);
});
