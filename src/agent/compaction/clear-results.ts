import type { JsonValue } from "#src/domain/json";
import type { Attachment, Message, ToolCall, ToolResult } from "#src/domain/message";

/** Characters that an old result may have without being cleared. */
const SHORT_CHARS = 200;
/** Characters that stay of a long text among the arguments of an old call. */
const ARGUMENT_CHARS = 200;
/** Characters of a result's beginning that stay. */
const BEGINNING_CHARS = 80;
/** Characters of a skill from which on it is said how to have it back. */
const SKILL_CHARS = 5000;
const SKILL_TOOL = "skill_view";

/**
 * Rows as a model is shown them that need not see their tools' work any more: up to `clearedTo` results become one line,
 * long arguments and pictures go, and of equal results further down only the last stays. The same rows always give the
 * same bytes; a row that has nothing to clear stays the same object.
 */
export function clearOldResults(rows: readonly Message[], clearedTo: number): readonly Message[] {
  const lastWith = new Map<string, string>();
  for (const row of rows) {
    for (const result of row.toolResults ?? []) lastWith.set(result.content, result.callId);
  }
  const skills = skillNames(rows);
  return rows.map((row) => {
    const isOld = row.id <= clearedTo;
    const cleared = (result: ToolResult): ToolResult => {
      if (result.content.length <= SHORT_CHARS) return result;
      if (isOld) return { ...result, content: oneLine(result, skills.get(result.callId)) };
      return lastWith.get(result.content) === result.callId ? result : { ...result, content: REPEATED };
    };
    const shown = row.toolResults === undefined ? row : withResults(row, row.toolResults.map(cleared));
    return isOld ? withoutBulk(shown) : shown;
  });
}

const REPEATED = "[The same output came again further down; it is left out here to save room.]";

/** A result in one line: which tool, how it went, how long it was and how it began. */
function oneLine(result: ToolResult, skill: string | undefined): string {
  if (skill !== undefined && result.content.length > SKILL_CHARS) {
    return `[The text of the skill was cleared to save room; load it again with ${SKILL_TOOL}(name='${skill}').]`;
  }
  const beginning = result.content.slice(0, BEGINNING_CHARS).toWellFormed().replaceAll(/\s+/g, " ").trim();
  const how = result.isError === true ? "failed" : "succeeded";
  return `[Old tool output cleared to save room: ${result.name} ${how} with ${result.content.length} characters, beginning: ${beginning}…]`;
}

/** The skills that calls asked for, by call. */
export function skillNames(rows: readonly Message[]): ReadonlyMap<string, string> {
  const calls = rows.flatMap((row) => row.toolCalls ?? []).filter((call) => call.name === SKILL_TOOL);
  return new Map(calls.flatMap((call) => skillName(call) ?? []));
}

function skillName(call: ToolCall): [[string, string]] | undefined {
  const name = /"name"\s*:\s*"([\w./-]{1,100})"/.exec(call.arguments)?.[1];
  return name === undefined ? undefined : [[call.id, name]];
}

function withResults(row: Message, results: readonly ToolResult[]): Message {
  return results.every((result, index) => result === row.toolResults?.[index]) ? row : { ...row, toolResults: results };
}

function withoutBulk(row: Message): Message {
  const calls = row.toolCalls?.map(cutArguments);
  const attachments = row.attachments?.map(withoutPicture);
  const hasOtherCalls = calls?.some((call, index) => call !== row.toolCalls?.[index]) === true;
  const hasOtherFiles = attachments?.some((file, index) => file !== row.attachments?.[index]) === true;
  if (!hasOtherCalls && !hasOtherFiles) return row;
  // what a provider signed fits the calls as they were, and no others
  const { providerState, ...rest } = row;
  return {
    ...rest,
    ...(hasOtherCalls || providerState === undefined ? {} : { providerState }),
    ...(hasOtherCalls && calls !== undefined ? { toolCalls: calls } : {}),
    ...(hasOtherFiles && attachments !== undefined ? { attachments } : {}),
  };
}

/** A call with its long texts cut; its arguments stay valid JSON. */
export function cutArguments(call: ToolCall): ToolCall {
  if (call.arguments.length <= ARGUMENT_CHARS) return call;
  try {
    // whatever JSON the model wrote
    const cut = JSON.stringify(cutTexts(JSON.parse(call.arguments) as JsonValue));
    return cut.length < call.arguments.length ? { ...call, arguments: cut } : call;
  } catch {
    return { ...call, arguments: JSON.stringify({ cut: call.arguments.slice(0, ARGUMENT_CHARS).toWellFormed() }) };
  }
}

function cutTexts(value: JsonValue): JsonValue {
  if (typeof value === "string") {
    if (value.length <= ARGUMENT_CHARS) return value;
    return `${value.slice(0, ARGUMENT_CHARS).toWellFormed()}… [${value.length - ARGUMENT_CHARS} more characters]`;
  }
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(cutTexts);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, cutTexts(inner)]));
}

function withoutPicture(file: Attachment): Attachment {
  if (file.kind !== "image" || file.problem !== undefined) return file;
  return { ...file, problem: "it was cleared to save room" };
}
