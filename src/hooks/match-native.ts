import type { HookOccurrence, HookValue } from "#src/domain/hook-event";
import type { JsonObject, JsonValue } from "#src/domain/json";
import { globMatcher } from "#src/lib/glob";
import { type TextTest, compileOr, searchPattern, wholePattern } from "./compile-pattern";
import { callOf, commandIn, fieldOf, pathIn } from "./match-fields";
import { isFields, textOf } from "./plain-json";

type Test = (occurrence: HookOccurrence) => boolean;

/** The parts of a native matcher, by name. */
const PARTS: Readonly<Record<string, (value: JsonValue) => Test>> = {
  tool: (value) => textTest(value, nameTest, (occurrence) => callOf(occurrence)?.name),
  path: (value) => textTest(value, globMatcher, pathOf),
  command: (value) => textTest(value, commandTest, commandOf),
  event: (value) => textTest(value, nameTest, ({ event }) => event),
  where: whereTest,
};

/** Names of what a native matcher may test. */
export const NATIVE_MATCHER_KEYS: readonly string[] = Object.keys(PARTS);

/**
 * Makes the test of a native matcher: all of its parts must hold, and what an event does not have matches nothing.
 * `tool` and `event` are names, several apart by `|`, or a pattern for the whole name; `path` is a glob; `command` a
 * pattern anywhere in it; `where` a path into the data and the value it must have.
 */
export function nativeMatcher(matcher: JsonValue | undefined): Test {
  if (matcher === undefined || matcher === null) return () => true;
  if (!isFields(matcher)) return () => false;
  const tests = Object.entries(matcher).flatMap(([key, value]) =>
    Object.hasOwn(PARTS, key) ? [PARTS[key]?.(value)] : [],
  );
  return (occurrence) => tests.every((test) => test?.(occurrence) !== false);
}

function textTest(
  value: JsonValue,
  compile: (pattern: string) => TextTest,
  read: (occurrence: HookOccurrence) => string | undefined,
): Test {
  const patterns = Array.isArray(value) ? (value as readonly JsonValue[]) : [value];
  const tests = patterns.map((pattern) => compile(textOf(pattern)));
  return (occurrence) => {
    const text = read(occurrence);
    return text !== undefined && tests.some((test) => test(text));
  };
}

/** One of some names, or a pattern for a whole name; a pattern that cannot be read is a name. */
export function nameTest(pattern: string): TextTest {
  const names = new Set(pattern.split("|").map((name) => name.trim()));
  const matches = compileOr(pattern, wholePattern, (text) => text === pattern);
  return (text) => names.has(text) || matches(text);
}

function commandTest(pattern: string): TextTest {
  // a guard must not be lost by a pattern that cannot be read
  return compileOr(pattern, searchPattern, () => true);
}

function pathOf(occurrence: HookOccurrence): string | undefined {
  const call = callOf(occurrence);
  return call === undefined ? undefined : pathIn(call.input);
}

function commandOf(occurrence: HookOccurrence): string | undefined {
  const call = callOf(occurrence);
  return call === undefined ? undefined : commandIn(call);
}

/** `$.tool.kind == "mcp"`, several of them in a list, or an object of paths and values. */
function whereTest(value: JsonValue): Test {
  const tests = conditionsIn(value).map(([path, wanted]) => {
    const steps = stepsOf(path);
    return ({ data }: HookOccurrence) => {
      const found = steps.reduce<HookValue>(stepInto, data);
      return found !== undefined && (found === wanted || JSON.stringify(found) === JSON.stringify(wanted));
    };
  });
  return (occurrence) => tests.every((test) => test(occurrence));
}

function conditionsIn(value: JsonValue): readonly (readonly [path: string, wanted: JsonValue])[] {
  if (typeof value === "string") return [readCondition(value)];
  if (Array.isArray(value)) return (value as readonly JsonValue[]).flatMap(conditionsIn);
  return isFields(value) ? Object.entries(value satisfies JsonObject) : [];
}

function readCondition(text: string): readonly [path: string, wanted: JsonValue] {
  const at = text.indexOf("==");
  if (at === -1) return [text.trim(), true];
  return [text.slice(0, at).trim(), readWanted(text.slice(at + 2).trim())];
}

function readWanted(text: string): JsonValue {
  if (text.length > 1 && text.startsWith("'") && text.endsWith("'")) return text.slice(1, -1);
  try {
    // what JSON.parse gives is JSON
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}

function stepsOf(path: string): readonly string[] {
  return Array.from(path.matchAll(/\[(?:'([^']*)'|"([^"]*)"|(\d+))\]|([^.[\]$\s][^.[\]]*)/g), (found) =>
    (found[1] ?? found[2] ?? found[3] ?? found[4] ?? "").trim(),
  );
}

function stepInto(value: HookValue, step: string): HookValue {
  if (Array.isArray(value)) return (value as readonly HookValue[])[Number(step)];
  return fieldOf(value, step);
}
