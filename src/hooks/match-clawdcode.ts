import type { HookOccurrence } from "#src/domain/hook-event";
import type { JsonValue } from "#src/domain/json";
import { globMatcher } from "#src/lib/glob";
import { type TextTest } from "./compile-pattern";
import { callOf, commandIn, pathIn } from "./match-fields";
import { nameTest } from "./match-native";
import { isFields, textIn } from "./plain-json";
import { namesOf, toTheirs } from "./translate-tool";

/**
 * Makes the test of a matcher of ClawdCode: `tools` and `commands` are names apart by `|` or a pattern for the whole,
 * `paths` are globs apart by `|`. Each only counts where there is something to test: a matcher of paths takes tools
 * that have none.
 */
export function clawdcodeMatcher(matcher: JsonValue | undefined): (occurrence: HookOccurrence) => boolean {
  if (!isFields(matcher)) return () => true;
  const isTool = testOf(textIn(matcher["tools"]), nameTest);
  const isPath = testOf(textIn(matcher["paths"]), pathsTest);
  const isCommand = testOf(textIn(matcher["commands"]), nameTest);
  return (occurrence) => {
    const call = callOf(occurrence);
    if (call === undefined) return true;
    const path = pathIn(toTheirs(call, "clawdcode", "").input);
    const command = commandIn(call);
    return (
      namesOf(call, "clawdcode").some(isTool) &&
      (path === undefined || isPath(path)) &&
      (command === undefined || isCommand(command))
    );
  };
}

function testOf(pattern: string | undefined, compile: (pattern: string) => TextTest): TextTest {
  return pattern === undefined ? () => true : compile(pattern);
}

function pathsTest(patterns: string): TextTest {
  const tests = patterns.split("|").map((pattern) => globMatcher(pattern.trim()));
  return (path) => tests.some((test) => test(path));
}
