import type { JsonObject, JsonValue } from "#src/domain/json";
import { TOOL_NAMES, type ToolNames, type ToolVocabulary } from "./tool-names";

/** A tool call in somebody's words. */
export interface NamedCall {
  readonly name: string;
  readonly input: JsonObject;
}

/** The entry for a tool of ours, called so; undefined when it has the same name everywhere. */
function entryFor({ name, input }: NamedCall, vocabulary: ToolVocabulary): ToolNames | undefined {
  return TOOL_NAMES[vocabulary].find(({ ours, fits }) => ours === name && (fits === undefined || fits(input)));
}

/** One of our tool calls in the words of another system. */
export function toTheirs(call: NamedCall, vocabulary: ToolVocabulary, cwd: string): NamedCall {
  const entry = entryFor(call, vocabulary);
  if (entry === undefined) return call;
  const fields = Object.entries(call.input).flatMap(([key, value]): [string, JsonValue][] => {
    const argument = entry.arguments.find(({ ours }) => ours === key);
    if (argument === undefined) return [[key, value]];
    const { theirs, write } = argument;
    return theirs === undefined ? [] : [[theirs, write === undefined ? value : write(value, cwd)]];
  });
  return { name: entry.theirs, input: Object.fromEntries(fields) };
}

/**
 * An input that a hook of another system rewrote, in our words. What it gave back as it got it is as it was before; what
 * its tool has no place for is as it was too, unless the hook only names what it changes.
 */
export function inputToOurs(
  value: JsonObject,
  shown: NamedCall,
  {
    vocabulary,
    cwd,
    isWhole,
  }: { readonly vocabulary: ToolVocabulary; readonly cwd: string; readonly isWhole: boolean },
): JsonObject {
  const entry = entryFor(shown, vocabulary);
  if (entry === undefined) return value;
  const written = toTheirs(shown, vocabulary, cwd).input;
  const fields = Object.entries(value).map(([key, item]): [string, JsonValue] => {
    const argument = entry.arguments.find(({ theirs }) => theirs === key);
    const ours = argument?.ours ?? key;
    const before = shown.input[ours];
    const isSame = before !== undefined && JSON.stringify(item) === JSON.stringify(written[key]);
    if (isSame) return [ours, before];
    return [ours, argument?.read === undefined ? item : argument.read(item, before)];
  });
  const placeless = entry.arguments.flatMap(({ ours, theirs }): [string, JsonValue][] => {
    const kept = theirs === undefined && isWhole ? shown.input[ours] : undefined;
    return kept === undefined ? [] : [[ours, kept]];
  });
  return Object.fromEntries([...placeless, ...fields]);
}

/** A tool call of another system in our words. */
export function toOurs({ name, input }: NamedCall, vocabulary: ToolVocabulary): NamedCall {
  const entry = TOOL_NAMES[vocabulary].find(({ theirs, alias }) => theirs === name || alias === name);
  if (entry === undefined) return { name, input };
  const fields = Object.entries(input).map(([key, value]): [string, JsonValue] => {
    const argument = entry.arguments.find(({ theirs }) => theirs === key);
    if (argument === undefined) return [key, value];
    return [argument.ours, argument.read === undefined ? value : argument.read(value, undefined)];
  });
  return { name: entry.ours, input: { ...entry.implies, ...Object.fromEntries(fields) } };
}

/** All names that matchers of a system may call a tool by; the first is the one in payloads. */
export function namesOf(call: NamedCall, vocabulary: ToolVocabulary): readonly string[] {
  const entry = entryFor(call, vocabulary);
  return [toTheirs(call, vocabulary, "").name, ...(entry?.alias === undefined ? [] : [entry.alias])];
}
