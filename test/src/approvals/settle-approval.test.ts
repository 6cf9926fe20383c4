import { expect, it } from "vitest";
import { type Grants, NO_GRANTS, grantsAfter, keysToAsk } from "#src/approvals/grants";
import { judgeCommand } from "#src/approvals/judge-command";
import {
  type ApprovalSettings,
  type ApprovalSurface,
  DEFAULT_APPROVALS,
  isExpired,
  settleApproval,
} from "#src/approvals/settle-approval";

function settle(
  command: string,
  given: { settings?: Partial<ApprovalSettings>; grants?: Grants; surface?: ApprovalSurface } = {},
) {
  const { settings = {}, grants = NO_GRANTS, surface = "chat" } = given;
  const verdict = judgeCommand(command);
  return settleApproval({ command, verdict, settings: { ...DEFAULT_APPROVALS, ...settings }, grants, surface });
}

it("runs what no rule is about", () => {
  expect(settle("ls -la")).toEqual({ type: "run" });
});

it("asks a person about what a rule is about", () => {
  const settled = settle("git push --force");
  expect(settled).toMatchObject({ type: "ask", isJudgedFirst: false, rules: [{ key: "git.force-push" }] });
});

it("asks a model first in smart mode", () => {
  expect(settle("git push --force", { settings: { mode: "smart" } })).toMatchObject({
    type: "ask",
    isJudgedFirst: true,
  });
});

it("asks nobody when approvals are off", () => {
  expect(settle("git push --force", { settings: { mode: "off" } })).toEqual({ type: "run" });
});

it.each(["manual", "smart", "off"] as const)(
  "never runs what is on the floor in mode %s, whatever was allowed",
  (mode) => {
    const grants = { session: ["delete.recursive", "delete.root", "delete.system-file"], always: ["delete.root"] };
    const settled = settle("rm -rf /", { settings: { mode, unattended: "run" }, grants, surface: "cron" });
    expect(settled).toMatchObject({ type: "refuse", content: expect.stringContaining("nobody can allow it") });
  },
);

it("refuses where nobody can be asked, unless the operator lets it run", () => {
  for (const surface of ["cron", "subagent", "webhook", "api"] as const) {
    expect(settle("rm -rf build", { surface })).toMatchObject({
      type: "refuse",
      content: expect.stringContaining("nobody to ask"),
    });
    expect(settle("rm -rf build", { surface, settings: { unattended: "run" } })).toEqual({ type: "run" });
    expect(settle("ls", { surface })).toEqual({ type: "run" });
  }
});

it("runs what was allowed for the session or for good, also where nobody can be asked", () => {
  const session = { session: ["delete.recursive"], always: [] };
  const always = { session: [], always: ["delete.recursive"] };
  expect(settle("rm -rf build", { grants: session })).toEqual({ type: "run" });
  expect(settle("rm -rf other", { grants: always, surface: "cron" })).toEqual({ type: "run" });
});

it("asks only about what was not allowed yet", () => {
  const grants = { session: ["delete.recursive"], always: [] };
  const settled = settle("rm -rf build && git push -f", { grants });
  expect(settled).toMatchObject({ type: "ask", rules: [{ key: "git.force-push" }] });
});

it("refuses what the operator denies before anything else but the floor", () => {
  const settings = { mode: "off", deny: ["npm publish*", "*| tee *"] } as const;
  const grants = { session: [], always: ["git.force-push"] };
  expect(settle("npm publish --access public", { settings, grants })).toMatchObject({
    type: "refuse",
    content: expect.stringContaining("npm publish*"),
  });
  expect(settle("cd x && A=1 NPM publish", { settings })).toMatchObject({ type: "refuse" });
  expect(settle("echo $(npm publish)", { settings })).toMatchObject({ type: "refuse" });
  expect(settle("make | tee log", { settings })).toMatchObject({ type: "refuse" });
  expect(settle("echo npm publish", { settings })).toEqual({ type: "run" });
});

it("matches a pattern of many stars in a time that can be waited for", () => {
  const settings = { deny: [`${"*a".repeat(40)}*b`] };
  expect(settle(`echo ${"a".repeat(5000)}`, { settings })).toEqual({ type: "run" });
});

it("keeps a question open for its time and no longer", () => {
  expect(isExpired(1000, 300_999, DEFAULT_APPROVALS)).toBe(false);
  expect(isExpired(1000, 301_000, DEFAULT_APPROVALS)).toBe(true);
});

it("remembers an answer for as long as it was given", () => {
  const keys = ["a", "b"];
  expect(grantsAfter(NO_GRANTS, "once", keys)).toEqual(NO_GRANTS);
  expect(grantsAfter(NO_GRANTS, "deny", keys)).toEqual(NO_GRANTS);
  expect(grantsAfter({ session: ["a"], always: [] }, "session", keys)).toEqual({ session: ["a", "b"], always: [] });
  expect(grantsAfter({ session: ["a"], always: ["b"] }, "always", keys)).toEqual({
    session: ["a"],
    always: ["b", "a"],
  });
  expect(keysToAsk({ session: ["a"], always: ["b"] }, ["a", "b", "c"])).toEqual(["c"]);
});
