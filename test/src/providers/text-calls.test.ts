import { expect, it } from "vitest";
import { readTextCalls } from "#src/providers/text-calls";

const TOOLS = [
  {
    name: "read_file",
    description: "",
    parameters: { type: "object", properties: { path: { type: "string" }, line: { type: "integer" } } },
  },
  { name: "ls", description: "", parameters: { type: "object" } },
];
const READ = { name: "read_file", arguments: '{"path":"a.txt","line":2}' };
const LS = { name: "ls", arguments: "{}" };
const JSON_READ = '{"name": "read_file", "arguments": {"path": "a.txt", "line": 2}}';

it.each<[string, string, readonly object[]]>([
  ["Hermes and Qwen", `<tool_call>\n${JSON_READ}\n</tool_call>`, [READ]],
  [
    "two of them",
    `<tool_call>${JSON_READ}</tool_call>\n<tool_call>{"name":"ls","arguments":{}}</tool_call>`,
    [READ, LS],
  ],
  ["one without its end", `<tool_call>\n${JSON_READ}`, [READ]],
  ["arguments as text", `<tool_call>{"name":"ls","arguments":"{}"}</tool_call>`, [LS]],
  [
    "Qwen coder",
    "<tool_call>\n<function=read_file>\n<parameter=path>\na.txt\n</parameter>\n<parameter=line>\n2\n</parameter>\n</function>\n</tool_call>",
    [READ],
  ],
  [
    "GLM",
    "<tool_call>read_file\n<arg_key>path</arg_key>\n<arg_value>a.txt</arg_value>\n<arg_key>line</arg_key>\n<arg_value>2</arg_value>\n</tool_call>",
    [READ],
  ],
  ["GLM without arguments", "<tool_call>ls</tool_call>", [LS]],
  [
    "MiniMax",
    '<minimax:tool_call>\n<invoke name="read_file">\n<parameter name="path">a.txt</parameter>\n<parameter name="line">2</parameter>\n</invoke>\n</minimax:tool_call>',
    [READ],
  ],
  ["Mistral's list", `[TOOL_CALLS][${JSON_READ}]`, [READ]],
  ["Mistral's newer form", '[TOOL_CALLS]read_file[ARGS]{"path":"a.txt","line":2}', [READ]],
  ["Llama", '<|python_tag|>{"name":"ls","parameters":{}}', [LS]],
  [
    "Kimi",
    '<|tool_calls_section_begin|><|tool_call_begin|>functions.read_file:0<|tool_call_argument_begin|>{"path":"a.txt","line":2}<|tool_call_end|><|tool_calls_section_end|>',
    [READ],
  ],
  [
    "DeepSeek",
    "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>ls\n```json\n{}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    [LS],
  ],
  [
    "newer DeepSeek",
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>read_file<｜tool▁sep｜>{"path":"a.txt","line":2}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    [READ],
  ],
  ["bare JSON", JSON_READ, [READ]],
  ["fenced JSON", `\`\`\`json\n${JSON_READ}\n\`\`\``, [READ]],
  ["OpenAI's own shape", '{"type":"function","function":{"name":"ls","arguments":"{}"}}', [LS]],
])("reads calls as %s writes them", (_who, text, expected) => {
  expect(readTextCalls(text, TOOLS)).toEqual(expected);
});

it("keeps a text argument a text, and reads what the schema says is none", () => {
  const text =
    '<invoke name="read_file"><parameter name="path">12</parameter><parameter name="line">12</parameter></invoke>';
  expect(readTextCalls(text, TOOLS)).toEqual([{ name: "read_file", arguments: '{"path":"12","line":12}' }]);
});

it.each([
  ["a tool that there is not", '<tool_call>{"name":"rm","arguments":{}}</tool_call>'],
  ["words behind it", `<tool_call>${JSON_READ}</tool_call> is how one calls a tool.`],
  ["other keys beside it", '{"name":"ls","arguments":{},"price":3}'],
  ["no arguments", '{"name":"ls"}'],
  ["arguments that are a list", '{"name":"ls","arguments":[]}'],
  ["half of it", '<tool_call>{"name":"ls","arg'],
  ["data", '{"name":"Ann","age":3}'],
  ["a list of numbers", "[1,2,3]"],
  ["words", "ls"],
  ["nothing", ""],
  ["broken JSON", "{{{{"],
])("takes for text what is ambiguous: %s", (_what, text) => {
  expect(readTextCalls(text, TOOLS)).toBeUndefined();
});

it("is not slowed down by a text that is made to", () => {
  const pairs = "<arg_key>a</arg_key><arg_value>b</arg_value>".repeat(3000);
  const started = performance.now();
  expect(readTextCalls(`<tool_call>ls${pairs}`, TOOLS)).toBeUndefined();
  expect(readTextCalls("[".repeat(50_000), TOOLS)).toBeUndefined();
  expect(readTextCalls(`<function=${"ls>".repeat(20_000)}`, TOOLS)).toBeUndefined();
  expect(performance.now() - started).toBeLessThan(2000);
});
