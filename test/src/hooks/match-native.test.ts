import { expect, it } from "vitest";
import type { JsonValue } from "#src/domain/json";
import { nativeMatcher } from "#src/hooks/match-native";
import { occurrenceOf } from "../../support/hook-fixtures";

const push = occurrenceOf("tool.pre", { input: { command: "git push -f" } });
const read = occurrenceOf("tool.pre", {
  tool: { name: "read_file", kind: "builtin", call_id: "c" },
  input: { path: "config/.env" },
});

it.each<[JsonValue, boolean, boolean]>([
  [{ tool: "terminal" }, true, false],
  [{ tool: "terminal|read_file" }, true, true],
  [{ tool: ["read_file", "mcp__.*"] }, false, true],
  [{ tool: "term" }, false, false],
  [{ command: "git push" }, true, false],
  [{ path: "**/.env*" }, false, true],
  [{ tool: "terminal", path: "**" }, false, false],
  [{ event: "tool.*" }, true, true],
  [{ where: '$.tool.kind == "builtin"' }, true, true],
  [{ where: "$.input.command == 'git push -f'" }, true, false],
  [{ where: { "$.input['path']": "config/.env" } }, false, true],
  [{ where: ["$.tool.name==read_file", "$.input.none==1"] }, false, false],
  ["terminal", false, false],
])("%j: %s, %s", (matcher, takesPush, takesRead) => {
  expect([nativeMatcher(matcher)(push), nativeMatcher(matcher)(read)]).toEqual([takesPush, takesRead]);
});

it("takes everything without a matcher, and what a broken pattern may have meant", () => {
  expect(nativeMatcher(undefined)(push)).toBe(true);
  expect(nativeMatcher({ command: "(" })(push)).toBe(true);
});
