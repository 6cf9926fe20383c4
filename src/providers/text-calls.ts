import type { ToolSchema } from "#src/domain/provider";
import { field, parseJson, textField } from "./json";

/** A call that a model wrote as text. */
export interface TextCall {
  readonly name: string;
  /** JSON text of an object. */
  readonly arguments: string;
}

/**
 * The ways in which open models write calls when their server does not read them: `<tool_call>` around JSON (Hermes,
 * Qwen), around `<arg_key>` pairs (GLM) or around `<function=…>` (Qwen coder); `<invoke name="…">` (MiniMax, Claude-like);
 * `[TOOL_CALLS]` (Mistral); sections of special tokens (Kimi, DeepSeek, Llama).
 * Source: the parsers listed at https://docs.vllm.ai/en/latest/features/tool_calling.html
 */
export const CALL_MARKS: readonly string[] = [
  "<tool_call>",
  "<tool_calls>",
  "<function_call>",
  "<function_calls>",
  "<function=",
  '<invoke name="',
  "<minimax:tool_call>",
  "<|tool_call>",
  "<|tool_call|>",
  "<|tool_call_begin|>",
  "<|tool_calls_section_begin|>",
  "<|python_tag|>",
  "<｜tool▁calls▁begin｜>",
  "<｜tool▁call▁begin｜>",
  "[TOOL_CALLS]",
];

/** What stands around calls and says nothing. */
const AROUND =
  /\s+|<\/?(?:tool_calls?|function_calls?|minimax:tool_call)>|<\|\/?(?:tool_calls_section_begin|tool_calls_section_end|tool_call_begin|tool_call_end|tool_call|python_tag|eom_id|eot_id|im_end)\|?>|<｜tool▁calls?▁(?:begin|end)｜>|\[\/?TOOL_CALLS\]|```(?:json|tool_call)?|[;,]/y;
const XML_FUNCTION = /<function=([\w.-]+)>([^]*?)<\/function>/y;
const XML_PARAMETER = /\s*<parameter=([\w.-]+)>\n?([^]*?)\n?<\/parameter>/y;
const INVOKE = /<invoke name="([\w.-]+)">([^]*?)<\/invoke>/y;
const INVOKE_PARAMETER = /\s*<parameter name="([\w.-]+)"[^>]*>([^]*?)<\/parameter>/y;
const NAME_THEN_JSON =
  /(?:function<｜tool▁sep｜>)?(?:functions\.)?([\w.-]+?)(?::\d+)?(?:<\|tool_call_argument_begin\|>|<｜tool▁sep｜>|\[ARGS\]|\n(?=```json)|(?=\{))\s*(?:```json\s*)?/y;
// a value ends at its first end tag: one that could also run on would be tried in every combination
const NAME_THEN_PAIRS =
  /([\w.-]+)((?:\s*<arg_key>[^<]*<\/arg_key>\s*<arg_value>(?:(?!<\/arg_value>)[^])*<\/arg_value>)*)\s*(?=<\/tool_call>)/y;
const PAIR = /\s*<arg_key>([^<]*)<\/arg_key>\s*<arg_value>((?:(?!<\/arg_value>)[^])*)<\/arg_value>/y;

/** Keys of a call in JSON; with any other key beside them it may be data. */
const JSON_KEYS = new Set(["name", "arguments", "parameters", "function", "type", "id", "tool_name", "tool"]);

/**
 * Reads a text that is calls and nothing else. Undefined when it is not, when a name is no tool of the request, or when
 * any arguments are no object: then it is an answer like any other.
 */
export function readTextCalls(text: string, tools: readonly ToolSchema[]): readonly TextCall[] | undefined {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const calls: TextCall[] = [];
  for (let at = skip(text, 0); at < text.length; at = skip(text, at)) {
    const found = readOne(text, at, byName);
    if (found === undefined || found.calls.some((call) => !byName.has(call.name))) return undefined;
    calls.push(...found.calls);
    at = found.end;
  }
  return calls.length === 0 ? undefined : calls;
}

interface Found {
  readonly calls: readonly TextCall[];
  readonly end: number;
}

type Tools = ReadonlyMap<string, ToolSchema>;

function readOne(text: string, at: number, tools: Tools): Found | undefined {
  if (text[at] === "{" || text[at] === "[") return readJsonCalls(text, at);
  return (
    readTagged(text, at, XML_FUNCTION, XML_PARAMETER, tools) ??
    readTagged(text, at, INVOKE, INVOKE_PARAMETER, tools) ??
    readTagged(text, at, NAME_THEN_PAIRS, PAIR, tools) ??
    readNamedJson(text, at)
  );
}

function readJsonCalls(text: string, at: number): Found | undefined {
  const end = endOfJson(text, at);
  const value = end === undefined ? undefined : parseJson(text.slice(at, end));
  if (end === undefined || value === undefined) return undefined;
  const calls = (Array.isArray(value) ? value : [value]).map(toCall);
  return calls.includes(undefined) ? undefined : { calls: calls.filter((call) => call !== undefined), end };
}

function toCall(value: unknown): TextCall | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (!Object.keys(value).every((key) => JSON_KEYS.has(key))) return undefined;
  const inner = field(value, "function");
  const call = typeof inner === "object" && inner !== null ? inner : value;
  const name =
    textField(call, "name") ?? textField(call, "tool_name") ?? textField(call, "tool") ?? textField(value, "function");
  const given = field(call, "arguments") ?? field(call, "parameters");
  const parsed = typeof given === "string" ? parseJson(given) : given;
  return name === undefined || !isObject(parsed) ? undefined : { name, arguments: JSON.stringify(parsed) };
}

function readTagged(text: string, at: number, whole: RegExp, pair: RegExp, tools: Tools): Found | undefined {
  const matched = matchAt(whole, text, at);
  if (matched === undefined) return undefined;
  const [all, name = "", body = ""] = matched;
  const given: Record<string, unknown> = {};
  let inBody = 0;
  for (let found = matchAt(pair, body, 0); found !== undefined; found = matchAt(pair, body, inBody)) {
    const [taken, key = "", value = ""] = found;
    given[key.trim()] = typed(value, tools.get(name), key.trim());
    inBody += taken.length;
  }
  if (body.slice(inBody).trim() !== "") return undefined;
  return { calls: [{ name, arguments: JSON.stringify(given) }], end: at + all.length };
}

/** Everything in tags is text: the tool's own schema says what is meant by it. */
function typed(value: string, tool: ToolSchema | undefined, key: string): unknown {
  const type = field(field(field(tool?.parameters, "properties"), key), "type");
  if (type === "string") return value;
  return parseJson(value.trim()) ?? value;
}

function readNamedJson(text: string, at: number): Found | undefined {
  const matched = matchAt(NAME_THEN_JSON, text, at);
  if (matched === undefined) return undefined;
  const [all, name = ""] = matched;
  const start = at + all.length;
  const end = endOfJson(text, start);
  const value = end === undefined ? undefined : parseJson(text.slice(start, end));
  return end === undefined || !isObject(value)
    ? undefined
    : { calls: [{ name, arguments: JSON.stringify(value) }], end };
}

/** Where a JSON value that begins here ends. */
function endOfJson(text: string, start: number): number | undefined {
  let depth = 0;
  let isString = false;
  for (let at = start; at < text.length; at++) {
    const char = text[at];
    if (isString) {
      if (char === "\\") at++;
      else if (char === '"') isString = false;
    } else if (char === '"') isString = true;
    else if (char === "{" || char === "[") depth++;
    else if ((char === "}" || char === "]") && --depth === 0) return at + 1;
    if (depth === 0 && !isString) return undefined;
  }
  return undefined;
}

function skip(text: string, from: number): number {
  let at = from;
  for (let found = matchAt(AROUND, text, at); found !== undefined; found = matchAt(AROUND, text, at)) {
    at += found[0].length;
  }
  return at;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
