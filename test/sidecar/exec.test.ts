import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createHash } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type SidecarProcess, countOf, eventually, isolationModes, startSidecar } from "./sidecar-process.ts";

describe.each(isolationModes)("a sidecar %s", (mode) => {
  let sidecar: SidecarProcess;
  beforeAll(async () => {
    sidecar = await startSidecar({ mode });
  });
  afterAll(async () => sidecar.close());

  it("runs a line of shell and answers with the exec envelope", async () => {
    const response = await sidecar.fetch("/v1/exec", { json: { shell: "echo out; echo err >&2; exit 3" } });
    expect(response.headers.get("content-type")).toBe("application/vnd.agent-hook.exec+json");
    expect(await response.json()).toEqual({
      exit_code: 3,
      stdout: "out\n",
      stderr: "err\n",
      stdout_dropped_bytes: 0,
      stderr_dropped_bytes: 0,
      duration_ms: expect.any(Number),
    });
  });

  it("runs words as they are, without a shell", async () => {
    const { stdout } = await sidecar.exec({ argv: ["printf", "%s|", "a b", "$HOME", "*", ""] });
    expect(stdout).toBe("a b|$HOME|*||");
  });

  it("gives a command its standard input, also by name", async () => {
    const input = "grüße\n".repeat(20_000);
    const { stdout } = await sidecar.exec({ shell: "cat /dev/stdin | wc -c", stdin: input });
    expect(Number(stdout)).toBe(Buffer.byteLength(input));
    expect(
      (await sidecar.exec({ argv: ["cat"], stdin: "AAEC", stdin_encoding: "base64", output_encoding: "base64" }))
        .stdout,
    ).toBe("AAEC");
  });

  it("gives a command nothing to read when there is no input", async () => {
    expect(await sidecar.exec({ argv: ["cat"] })).toMatchObject({ exit_code: 0, stdout: "" });
  });

  it("lets a command write to its streams by name", async () => {
    const result = await sidecar.exec({ argv: ["sh", "-c", "echo a > /dev/stdout; echo b > /dev/stderr"] });
    expect(result).toMatchObject({ exit_code: 0, stdout: "a\n", stderr: "b\n" });
  });

  it("passes on the variables it is given, and nothing of its own environment", async () => {
    const { stdout } = await sidecar.exec({ argv: ["env"], env: { HOOK_EVENT: "x y", EMPTY: "" } });
    const names = stdout
      .trim()
      .split("\n")
      .map((line) => line.split("=")[0]);
    expect(stdout).toContain("HOOK_EVENT=x y\n");
    expect(stdout).not.toContain(sidecar.token);
    expect(names.filter((name) => name?.startsWith("SIDECAR"))).toEqual([]);
    expect(names.sort()).toEqual([
      "EMPTY",
      "HOME",
      "HOOK_EVENT",
      "LANG",
      "LOGNAME",
      "PATH",
      "SHELL",
      "TALARIA_JOB",
      "TERM",
      "TMPDIR",
      "USER",
    ]);
  });

  it("loads no library that a caller names into a program with more rights", async () => {
    const env = { LD_PRELOAD: "./none.so", BASH_ENV: "./none" };
    const { stderr, stdout } = await sidecar.exec({ argv: ["sh", "-c", "echo fine"], env });
    expect(stdout).toBe("fine\n");
    // the loader complains about the command's own programs, never about those in front of it
    expect(stderr).not.toMatch(/nsenter|setpriv: |prlimit: /);
  });

  it("starts in the session's folder of files, or in one below it", async () => {
    const { body } = await sidecar.call("/v1/session");
    expect((await sidecar.exec({ shell: "pwd; mkdir -p deep/er" })).stdout).toBe(`${String(body["root"])}\n`);
    expect((await sidecar.exec({ shell: "pwd", cwd: "deep/er" })).stdout).toBe(`${String(body["root"])}/deep/er\n`);
  });

  it("answers 124 when time runs out, and leaves nothing running", async () => {
    const result = await sidecar.exec({
      shell: "trap '' TERM; echo begun; (setsid sleep 4321 &) ; sleep 4321 & sleep 4321",
      timeout_ms: 500,
    });
    expect(result).toMatchObject({ exit_code: 124, timed_out: true, stdout: "begun\n" });
    expect(result.duration_ms).toBeLessThan(10_000);
    await eventually(
      async () => countOf("sleep 4321"),
      (count) => count === 0,
    );
  });

  it("ends what a command leaves behind, and says so", async () => {
    const result = await sidecar.exec({ shell: "sleep 4322 & (setsid sleep 4322 >/dev/null 2>&1 &); echo done" });
    expect(result).toMatchObject({ exit_code: 0, stdout: "done\n", left_behind: true });
    expect(result.duration_ms).toBeLessThan(5000);
    await eventually(
      async () => countOf("sleep 4322"),
      (count) => count === 0,
    );
  });

  // who has the sidecar's own user can hide from it: README says so
  it.skipIf(mode === "as an ordinary user")(
    "ends what hides from its group, its parents and its environment",
    async () => {
      await sidecar.exec({ shell: "(env -i setsid sh -c 'sleep 4323 >/dev/null 2>&1 & exit' &) ; sleep 0.3" });
      await eventually(
        async () => countOf("sleep 4323"),
        (count) => count === 0,
      );
    },
  );

  it("tells which signal ended a command", async () => {
    expect(await sidecar.exec({ shell: "kill -SEGV $$" })).toMatchObject({ exit_code: 139, signal: "SIGSEGV" });
  });

  it.each([
    ["there is not", ["no-such-program"], 127, "command_not_found"],
    ["is no program", ["/etc/passwd"], 126, "not_executable"],
  ])("answers as a shell would about a program that %s", async (_what, argv, exit_code, error) => {
    const result = await sidecar.exec({ argv });
    expect(result).toMatchObject({ exit_code, error, stdout: "" });
    expect(result.stderr).toContain(argv[0]);
  });

  it("keeps the beginning and the end of a flood, and counts what it dropped", async () => {
    const result = await sidecar.exec({
      shell: "echo first; head -c 5000000 /dev/zero | tr '\\0' x; echo; echo last",
      max_output: 2000,
    });
    expect(result.stdout_dropped_bytes).toBe(5_000_000 + "first\n\nlast\n".length - 2000);
    expect(result.stdout).toMatch(/^first\nx+\n\[\d+ bytes dropped\]\nx+\nlast\n$/);
    expect(result.stdout.length).toBeLessThan(2100);
  });

  it("runs the script that was approved from a copy, and refuses another", async () => {
    const text = "#!/bin/sh\necho script $1\n";
    const sha256 = createHash("sha256").update(text).digest("hex");
    expect((await sidecar.call(`/v1/scripts/${sha256}`, { method: "PUT", body: text })).status).toBe(201);
    const done = await sidecar.exec({ script: { sha256 } });
    expect(done).toMatchObject({ exit_code: 0, stdout: "script\n", script_sha256: sha256 });
    expect((await sidecar.call(`/v1/scripts/${"0".repeat(64)}`, { method: "PUT", body: text })).body).toMatchObject({
      code: "hash_mismatch",
    });
    const unknown = await sidecar.call("/v1/exec", { json: { script: { sha256: "1".repeat(64) } } });
    expect(unknown).toMatchObject({ status: 404, body: { code: "script_not_found" } });
  });

  it("ends a command whose caller went away", async () => {
    const leaving = new AbortController();
    const asked = sidecar.exec({ shell: "sleep 4324" }, { signal: leaving.signal });
    await eventually(
      async () => countOf("sleep 4324"),
      (count) => count > 0,
    );
    leaving.abort();
    await expect(asked).rejects.toThrow("aborted");
    await eventually(
      async () => countOf("sleep 4324"),
      (count) => count === 0,
    );
  });

  it("streams what a command writes, and the result last", async () => {
    const response = await sidecar.fetch("/v1/exec", {
      json: { shell: "echo one; until [ -e seen ]; do sleep 0.02; done; echo two >&2" },
      headers: { accept: "application/x-ndjson" },
    });
    const lines = linesOf(response);
    expect((await lines.next()).value).toEqual({ type: "stdout", text: "one\n" });
    await sidecar.exec({ shell: "touch seen" });
    const rest = [];
    for await (const line of lines) rest.push(line);
    expect(rest[0]).toEqual({ type: "stderr", text: "two\n" });
    expect(rest.at(-1)).toMatchObject({ type: "result", result: { exit_code: 0, stdout: "one\n", stderr: "two\n" } });
  });
});

describe("a command with an idempotency key", () => {
  let sidecar: SidecarProcess;
  beforeAll(async () => {
    sidecar = await startSidecar();
  });
  afterAll(async () => sidecar.close());
  const keyed = (key: string) => ({ headers: { "idempotency-key": key } });

  it("is run once, and answers the same the second time", async () => {
    const body = { shell: "echo ran >> runs; date +%N" };
    const first = await sidecar.exec(body, keyed("k1"));
    expect(await sidecar.exec(body, keyed("k1"))).toEqual(first);
    expect((await sidecar.exec({ argv: ["cat", "runs"] })).stdout).toBe("ran\n");
  });

  it("is joined while it runs, and goes on when its caller goes away", async () => {
    const body = { shell: "echo ran >> joined; until [ -e go ]; do sleep 0.05; done; date +%N" };
    const leaving = new AbortController();
    const lost = sidecar.exec(body, { ...keyed("k2"), signal: leaving.signal });
    await eventually(
      async () => (await sidecar.call("/v1/files/stat?path=joined")).status,
      (status) => status === 200,
    );
    leaving.abort();
    await expect(lost).rejects.toThrow("aborted");
    const joined = [sidecar.exec(body, keyed("k2")), sidecar.exec(body, keyed("k2"))];
    await sidecar.exec({ shell: "touch go" });
    const [one, other] = await Promise.all(joined);
    expect(one).toEqual(other);
    expect(one?.exit_code).toBe(0);
    expect((await sidecar.exec({ argv: ["cat", "joined"] })).stdout).toBe("ran\n");
  });

  it("is refused when it asks for something else", async () => {
    await sidecar.exec({ argv: ["true"] }, keyed("k3"));
    const other = await sidecar.call("/v1/exec", { json: { argv: ["false"] }, ...keyed("k3") });
    expect(other).toMatchObject({ status: 422, body: { code: "idempotency_mismatch", field: "idempotency-key" } });
  });

  it("is another's business in another session", async () => {
    const body = { shell: "echo $$ > mine; cat mine" };
    await sidecar.exec(body, { ...keyed("k4"), session: "one" });
    await sidecar.exec(body, { ...keyed("k4"), session: "two" });
    expect((await sidecar.call("/v1/files/stat?path=mine", { session: "two" })).status).toBe(200);
  });
});

describe("scripts that came with the image", () => {
  it("run by their path when their hash is the approved one, and answer 126 when not", async () => {
    const scripts = mkdtempSync(join(tmpdir(), "sidecar-scripts-"));
    chmodSync(scripts, 0o755);
    const text = "import sys; print('checked', sys.argv[1:])\n";
    writeFileSync(join(scripts, "check.py"), text);
    const sha256 = createHash("sha256").update(text).digest("hex");
    const sidecar = await startSidecar({ env: { SIDECAR_SCRIPTS: scripts } });
    try {
      const argv = ["python3", "check.py", "x"];
      const done = await sidecar.exec({ argv, script: { path: "check.py", sha256 } });
      expect(done).toMatchObject({ exit_code: 0, stdout: "checked ['x']\n", script_sha256: sha256 });
      writeFileSync(join(scripts, "check.py"), `${text}# changed\n`);
      const refused = await sidecar.exec({ argv, script: { path: "check.py", sha256 } });
      expect(refused).toMatchObject({ exit_code: 126, error: "hash_mismatch", stdout: "" });
      expect(refused.script_sha256).not.toBe(sha256);
      const outside = await sidecar.call("/v1/exec", { json: { argv, script: { path: "../../etc/passwd", sha256 } } });
      expect(outside.status).toBe(403);
      const unnamed = await sidecar.call("/v1/exec", {
        json: { argv: ["true"], script: { path: "check.py", sha256 } },
      });
      expect(unnamed).toMatchObject({ status: 400, body: { field: "argv" } });
      const inShell = await sidecar.exec({
        shell: 'cat "$SCRIPT_PATH"',
        script: { path: "check.py", sha256: refused.script_sha256 },
      });
      expect(inShell.stdout).toContain("# changed");
    } finally {
      await sidecar.close();
      rmSync(scripts, { recursive: true });
    }
  });
});

async function* linesOf(response: Response): AsyncGenerator<Record<string, unknown>> {
  let rest = "";
  for await (const chunk of response.body ?? []) {
    rest += Buffer.from(chunk).toString("utf8");
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield JSON.parse(line) as Record<string, unknown>;
  }
}
