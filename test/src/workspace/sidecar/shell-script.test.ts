import { expect, it } from "vitest";
import {
  backgroundScript,
  foregroundScript,
  readEnding,
  toWorkspacePath,
  withoutEnding,
} from "#src/workspace/sidecar/shell-script";

const OPTIONS = { mark: "m", run: "r", cwd: "/workspace", isOwnCwd: true, isTerminal: false };

it("takes out of the output what it added, and nothing that only looks like it", () => {
  expect(readEnding("out\n\u001Er at /srv/work\u001E", "r")).toEqual({
    output: "out\n",
    isFresh: false,
    cwd: "/srv/work",
  });
  expect(readEnding("a\u001Er at /x\u001Eb\u001Er at /y\u001E", "r")).toMatchObject({
    output: "a\u001Er at /x\u001Eb",
    cwd: "/y",
  });
  expect(readEnding("out \u001Eother at /x\u001E", "r")).toMatchObject({
    output: "out \u001Eother at /x\u001E",
    cwd: undefined,
  });
  expect(readEnding("cut \u001Er at /sr", "r")).toMatchObject({ output: "cut \u001Er at /sr", cwd: undefined });
});

it("tells a new disk, and a directory with blanks", () => {
  expect(readEnding("\u001Er fresh\u001E", "r")).toEqual({ output: "", isFresh: true, cwd: undefined });
  expect(readEnding("\u001Er at /a b/at c\u001E", "r").cwd).toBe("/a b/at c");
});

it("shows of output under way only the command's own", () => {
  expect(withoutEnding("half\u001Er at", "r")).toBe("half\u001Er at".slice(0, 4));
  expect(withoutEnding("all of it", "r")).toBe("all of it");
});

it("never puts the command of the foreground among the arguments, which everyone can read", () => {
  expect(foregroundScript(OPTIONS).slice(5)).toEqual(["m", "r", "/workspace", "home", expect.any(String)]);
  expect(backgroundScript("sleep 5", { ...OPTIONS, isOwnCwd: false }).slice(8)).toEqual([
    "fail",
    expect.any(String),
    "sleep 5",
  ]);
});

it("knows the workspace's files by the sidecar's names", () => {
  expect(toWorkspacePath("/srv/work", "/srv/work")).toBe("/workspace");
  expect(toWorkspacePath("/srv/work/a/b", "/srv/work")).toBe("/workspace/a/b");
  expect(toWorkspacePath("/srv/workshop", "/srv/work")).toBe("/srv/workshop");
});
