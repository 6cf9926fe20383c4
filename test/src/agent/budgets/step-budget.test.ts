import { beforeEach, expect, it } from "vitest";
import { REFUNDED_TOOLS, judgeSteps } from "#src/agent/budgets/step-budget";
import type { Message } from "#src/domain/message";
import { answers, calls, newConversation, results } from "../../../support/compaction-rows";

beforeEach(newConversation);

const step = (name: string, turnId = 1): readonly Message[] => [
  calls([name], { name }, { turnId }),
  results([name], "ok", { name }, { turnId }),
];
const judge = (rows: readonly Message[], maxSteps: number) =>
  judgeSteps(rows, 1, { maxSteps, refundedTools: REFUNDED_TOOLS });

it("asks for a summary when the steps of the turn are used up", () => {
  const rows = [...step("terminal"), ...step("patch")];
  expect(judge(rows, 3)).toEqual({ type: "go_on", used: 2 });
  expect(judge(rows, 2)).toMatchObject({ type: "sum_up", request: expect.stringContaining("the 2 tool steps") });
});

it("counts neither answers without calls nor other turns", () => {
  expect(judge([answers("hello", { turnId: 1 }), ...step("terminal", 2)], 1)).toEqual({ type: "go_on", used: 0 });
});

it("gives back the steps of code, but not for ever", () => {
  const code = (count: number) => Array.from({ length: count }, () => step("execute_code")).flat();
  expect(judge(code(3), 2)).toEqual({ type: "go_on", used: 0 });
  expect(judge(code(4), 2)).toMatchObject({ type: "sum_up" });
});

it("counts a step that calls other tools beside the code", () => {
  const both = { ...calls(["a", "b"], {}, { turnId: 1 }) };
  const mixed: Message = {
    ...both,
    toolCalls: [
      { id: "a", name: "execute_code", arguments: "" },
      { id: "b", name: "terminal", arguments: "" },
    ],
  };
  expect(judge([mixed], 5)).toEqual({ type: "go_on", used: 1 });
});

it("never stops a turn that has no limit", () => {
  const rows = Array.from({ length: 600 }, () => step("terminal")).flat();
  expect(judge(rows, 0)).toEqual({ type: "go_on", used: 600 });
});
