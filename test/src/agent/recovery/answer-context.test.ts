import { beforeEach, expect, it } from "vitest";
import { answerContext } from "#src/agent/recovery/answer-context";
import { answers, calls, newConversation, results, says } from "../../../support/compaction-rows";

beforeEach(newConversation);

const T = { turnId: 1 };

it("knows whether the model was asked after tool results", () => {
  const rows = [says("hi", T), calls(["a"], {}, T), results(["a"], "x", {}, T)];
  expect(answerContext(rows, 1, ["terminal"])).toEqual({ toolNames: ["terminal"], isAfterTools: true });
  expect(answerContext(rows.slice(0, 1), 1, []).isAfterTools).toBe(false);
  expect(answerContext([...rows, says("and?", T)], 1, []).isAfterTools).toBe(false);
  expect(answerContext(rows, 2, []).isAfterTools).toBe(false);
});

it("remembers what was said beside calls that only keep the house", () => {
  const said = { ...T, content: " Your cat is noted. " };
  const rows = [calls(["a"], { name: "memory" }, said), results(["a"], "ok", {}, T)];
  expect(answerContext(rows, 1, []).saidBeside).toBe("Your cat is noted.");
  expect(answerContext([calls(["b"], {}, said), results(["b"], "ok", {}, T)], 1, [])).not.toHaveProperty("saidBeside");
  expect(answerContext([...rows, answers("more", T)], 1, [])).not.toHaveProperty("saidBeside");
});
