import { expect, it } from "vitest";
import { countSummary, countVitest, noFailureIsLost } from "../../scripts/test-step.ts";

it("counts the tests of a vitest report, and a file that did not load as a failure", () => {
  const report = {
    numPassedTests: 5,
    numFailedTests: 1,
    testResults: [
      { status: "failed", assertionResults: [{}] },
      { status: "failed", assertionResults: [] },
      { status: "passed", assertionResults: [{}] },
    ],
  };
  expect(countVitest(JSON.stringify(report))).toEqual({ passed: 5, failed: 2 });
});

it("counts nothing when vitest wrote no report", () => {
  expect(countVitest(undefined)).toEqual({ passed: 0, failed: 0 });
});

it("reads the last summary of an output", () => {
  expect(countSummary("1 passed, 1 failed\nx: expected 2 passed\n12 passed, 3 failed\n")).toEqual({
    passed: 12,
    failed: 3,
  });
  expect(countSummary("no such suite\n")).toEqual({ passed: 0, failed: 0 });
});

it("counts a program that failed without a failed test as one failure", () => {
  expect(noFailureIsLost({ passed: 3, failed: 0 }, 1)).toEqual({ passed: 3, failed: 1 });
  expect(noFailureIsLost({ passed: 3, failed: 0 }, null)).toEqual({ passed: 3, failed: 1 });
  expect(noFailureIsLost({ passed: 3, failed: 2 }, 1)).toEqual({ passed: 3, failed: 2 });
  expect(noFailureIsLost({ passed: 3, failed: 0 }, 0)).toEqual({ passed: 3, failed: 0 });
});
