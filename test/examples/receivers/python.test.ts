import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { DENIED, SECRET, callReceiver } from "./signed-call.ts";
import { startProgram } from "./start-program.ts";

const FOLDER = "examples/hooks/receivers/python";

// it installs a package, so it runs only when asked for: TALARIA_TEST_PYTHON=1 npx vitest run test/examples/receivers/python.test.ts
it.skipIf(process.env["TALARIA_TEST_PYTHON"] !== "1")(
  "refuses rm -rf in Python, and what is not signed",
  async (context) => {
    const folder = mkdtempSync(join(tmpdir(), "talaria-python-"));
    try {
      const reason = installPython(folder);
      if (reason !== undefined) return context.skip(reason);
      const program = await startProgram(join(folder, "bin", "python"), [`${FOLDER}/receiver.py`], {
        HOOK_SECRET: SECRET,
      });
      try {
        for (const _ of [1, 2])
          expect(JSON.parse((await callReceiver(program.url, "rm -rf build")).stdout)).toEqual(DENIED);
        expect(await callReceiver(program.url, "ls")).toMatchObject({ exit: 0, stdout: "", status: 204 });
        const unsigned = await callReceiver(program.url, "rm -rf /", { ports: { secretsOf: () => [] } });
        expect(unsigned).toMatchObject({ exit: 1, status: 401 });
      } finally {
        await program.stop();
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);

/** Makes an environment with what the receiver needs; says why not when it cannot. */
function installPython(folder: string): string | undefined {
  try {
    execFileSync("python3", ["-m", "venv", folder], { stdio: "pipe" });
  } catch {
    return "there is no python3 with venv";
  }
  try {
    const args = ["install", "--quiet", "-r", `${FOLDER}/requirements.txt`];
    execFileSync(join(folder, "bin", "pip"), args, { stdio: "pipe", timeout: 100_000 });
  } catch {
    return "pip could not install standardwebhooks";
  }
  return undefined;
}
