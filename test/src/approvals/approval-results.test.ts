import { expect, it } from "vitest";
import {
  deniedByOperator,
  deniedResult,
  expiredResult,
  hardlineResult,
  judgedResult,
  unattendedResult,
} from "#src/approvals/approval-results";
import { judgeCommand } from "#src/approvals/judge-command";

const rules = judgeCommand("rm -rf build").rules;

it("says of every refusal that nothing ran, and what the command would have done", () => {
  const results = [
    ...rules.map((rule) => hardlineResult(rule)),
    deniedResult(rules),
    expiredResult(rules),
    unattendedResult(rules),
    judgedResult(rules, "", 1),
  ];
  for (const result of results) {
    expect(result).toMatch(/^Not run: /);
    expect(result).toContain("would delete directories with everything in them");
  }
  expect(deniedByOperator("npm publish*")).toMatch(/^Not run: .*"npm publish\*"/);
});

it("hands on what the person said", () => {
  expect(deniedResult(rules, " use trash instead ")).toContain("They said: use trash instead Do not");
  expect(deniedResult(rules, "  ")).not.toContain("They said");
});

it("ends the attempts after three refusals of the model in a row", () => {
  expect(judgedResult(rules, "It deletes sources.", 2)).toContain("Do it in a safer way");
  expect(judgedResult(rules, "It deletes sources.", 3)).toContain("refusal 3 in a row: stop trying");
});
