import { expect, it } from "vitest";
import { CHOICE_LABELS, readChoice } from "#src/approvals/approval-choice";

it.each([
  ["yes", "once"],
  ["OK.", "once"],
  ["/approve", "once"],
  ["/approve session", "session"],
  ["approve  always!", "always"],
  [CHOICE_LABELS.once, "once"],
  [CHOICE_LABELS.session, "session"],
  [CHOICE_LABELS.always, "always"],
  ["no", "deny"],
  ["Deny", "deny"],
  ["/deny", "deny"],
])("reads %j as %s", (answer, choice) => {
  expect(readChoice(answer)).toBe(choice);
});

it.each(["", "yes but only in src", "why?", "no idea, what does it do", "allow it if it is safe", "yes no"])(
  "does not take %j for an answer",
  (answer) => {
    expect(readChoice(answer)).toBeUndefined();
  },
);
