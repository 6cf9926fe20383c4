import type { HookOccurrence, HookValue } from "#src/domain/hook-event";
import type { JsonObject } from "#src/domain/json";
import { isFields } from "./plain-json";
import type { NamedCall } from "./translate-tool";

/** Where tools keep the file they are about, the likeliest first. */
const PATH_FIELDS = ["file_path", "path", "filePath", "file", "target"];

/** The tool call that an occurrence is about, in our words; undefined when it is about none. */
export function callOf({ data }: HookOccurrence): NamedCall | undefined {
  const { tool, input } = data;
  const name = fieldOf(tool, "name");
  if (typeof name !== "string") return undefined;
  return { name, input: isFields(input) ? input : {} };
}

/** The id of the call that an occurrence is about. */
export function callIdOf({ data }: HookOccurrence): HookValue {
  return fieldOf(data["tool"], "call_id");
}

/** The file that a tool is about. */
export function pathIn(input: JsonObject): string | undefined {
  return PATH_FIELDS.map((field) => input[field]).find(
    (value): value is string => typeof value === "string" && value !== "",
  );
}

/** The command line of a shell tool. */
export function commandIn({ name, input }: NamedCall): string | undefined {
  const { command } = input;
  return name === "terminal" && typeof command === "string" && command !== "" ? command : undefined;
}

/** One field of a value that may be an object. */
export function fieldOf(value: HookValue, field: string): HookValue {
  if (typeof value !== "object" || value === null || Array.isArray(value) || !Object.hasOwn(value, field))
    return undefined;
  return (value as Readonly<Record<string, HookValue>>)[field];
}
