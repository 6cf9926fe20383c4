import type { ToolCall } from "#src/domain/message";
import type { ToolSchema } from "#src/domain/provider";

/** What the demo model makes of a message. */
export interface Wish {
  readonly calls: readonly Omit<ToolCall, "id">[];
  /** Tools that it would have called, had they been offered. */
  readonly missing: readonly string[];
}

interface Phrase {
  readonly says: RegExp;
  /** Tools that can do it, the best one first. */
  readonly tools: readonly string[];
  readonly toArguments: (found: readonly string[], tool: ToolSchema) => Record<string, unknown>;
}

const PHRASES: readonly Phrase[] = [
  {
    says: /^(?:please )?run(?::\s*(?:`([^`]+)`|(.+))|\s+`([^`]+)`)/i,
    tools: ["terminal"],
    toArguments: ([quoted, bare, plain]) => ({ command: (quoted ?? bare ?? plain ?? "").trim() }),
  },
  {
    says: /^(?:please )?remember(?: that|:)\s+(.+)/i,
    tools: ["memory"],
    toArguments: ([content = ""]) => ({ action: "add", target: "memory", content: content.trim() }),
  },
  {
    says: /^(?:please )?write (?:a |the )?file [`"]?([^\s`"]+)[`"]? (?:with|containing)(?: the (?:text|content))?:?\s*([^]*)/i,
    tools: ["write_file"],
    toArguments: ([path = "", content = ""]) => ({ path, content: unquote(content) }),
  },
  {
    says: /^(?:please )?read (?:the )?(?:file )?[`"]?([^\s`"]+)[`"]?[.!]?$/i,
    tools: ["read_file"],
    toArguments: ([path = ""]) => ({ path }),
  },
  {
    says: /^(?:please )?search for (.+)/i,
    tools: ["search_files", "session_search", "web_search"],
    toArguments: ([wanted = ""], tool) => ({ [firstParameter(tool)]: unquote(wanted) }),
  },
  {
    says: /^todo:\s*(.+)/i,
    tools: ["todo"],
    toArguments: ([items = ""]) => ({ todos: items.split(";").flatMap(toTodo), merge: true }),
  },
  {
    says: /^(?:please )?ask me:?\s+(.+)/i,
    tools: ["clarify"],
    toArguments: ([question = ""]) => toQuestion(question),
  },
];

/** Reads the phrases of a message, line by line: each one that is understood is a call. */
export function callsFor(text: string, tools: readonly ToolSchema[]): Wish {
  const calls: Omit<ToolCall, "id">[] = [];
  const missing: string[] = [];
  for (const line of toSayings(text)) {
    const [phrase, found] = understand(line);
    if (phrase === undefined) continue;
    const tool = phrase.tools
      .map((name) => tools.find((each) => each.name === name))
      .find((each) => each !== undefined);
    if (tool === undefined) missing.push(phrase.tools[0] ?? "");
    else calls.push({ name: tool.name, arguments: JSON.stringify(phrase.toArguments(found, tool)) });
  }
  return { calls, missing };
}

function understand(line: string): readonly [Phrase | undefined, readonly string[]] {
  for (const phrase of PHRASES) {
    const found = phrase.says.exec(line);
    if (found !== null) return [phrase, found.slice(1)];
  }
  return [undefined, []];
}

/** One saying a line; a file whose content begins on the next line takes the rest of the message. */
function toSayings(text: string): readonly string[] {
  const lines = text.split("\n").map((line) => line.trim());
  const opening = lines.findIndex((line) => /^(?:please )?write .{0,200}(?:with|containing)[^:]{0,20}:$/i.test(line));
  if (opening === -1) return lines;
  return [...lines.slice(0, opening), text.split("\n").slice(opening).join("\n").trim()];
}

function toTodo(item: string): readonly Record<string, string>[] {
  const content = item.trim();
  const id = content
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .slice(0, 40);
  return content === "" ? [] : [{ id, content, status: "pending" }];
}

/** "which colour: red, green or blue" is a question with choices. */
function toQuestion(text: string): Record<string, unknown> {
  const [question = "", list] = text.split(/:\s+/, 2);
  const choices = (list ?? "").split(/,\s*|\s+or\s+/).map((choice) => choice.replace(/[?.!]$/, "").trim());
  const given = choices.filter((choice) => choice !== "").slice(0, 4);
  const asked = question.replace(/[?.!]*$/, "?");
  return given.length < 2 ? { question: text.replace(/[?.!]*$/, "?") } : { question: asked, choices: given };
}

function firstParameter(tool: ToolSchema): string {
  const { required } = tool.parameters;
  const first: unknown = Array.isArray(required) ? required[0] : undefined;
  return typeof first === "string" ? first : "query";
}

function unquote(text: string): string {
  const trimmed = text.trim();
  return /^(["'`])([^]*)\1$/.exec(trimmed)?.[2] ?? trimmed;
}
