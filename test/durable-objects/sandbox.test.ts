import { abortAllDurableObjects, evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { decodeUtf8, utf8 } from "#src/lib/encoding";
import { type Answer, type SandboxStub, openWorkspace } from "#src/workspace/open-workspace";

/** Each test has a workspace of its own: storage lasts from test to test. */
const sandbox = (name: string) => env.SANDBOXES.getByName(`sandbox-test-${name}`);

function value<T>(answer: Answer<T>): T {
  if (!answer.ok) throw new Error(`${answer.code}: ${answer.message}`);
  return answer.value;
}

let keys = 0;

async function run(stub: SandboxStub, command: string, timeoutMs = 20_000) {
  return value(await stub.exec(command, { key: `key-${keys++}`, timeoutMs }));
}

async function write(stub: SandboxStub, path: string, text: string) {
  return value(await stub.writeFile(path, utf8(text), `key-${keys++}`));
}

async function textOf(stub: SandboxStub, path: string): Promise<string | undefined> {
  const bytes = value(await stub.readFile(path));
  return bytes && decodeUtf8(bytes);
}

/** Rows that the object wrote while something was done. */
async function rowsWrittenBy(stub: DurableObjectStub, work: () => Promise<unknown>): Promise<number> {
  const rowsOf = () =>
    runInDurableObject(
      stub,
      (_, { storage }) => storage.sql.exec<{ n: number }>("SELECT total_changes() AS n").one().n,
    );
  const before = await rowsOf();
  await work();
  return (await rowsOf()) - before;
}

it("prints what a pipe of commands makes, and its exit code", async () => {
  const result = await run(sandbox("pipe"), "seq 1 20 | grep 1 | sort -r | head -2; echo oops >&2; false");
  expect(result).toEqual({ exitCode: 1, stdout: "19\n18\n", stderr: "oops\n", timedOut: false, cwd: "/workspace" });
});

it("keeps what loops and redirects write", async () => {
  const stub = sandbox("redirect");
  await run(stub, "mkdir -p a/b; for i in 1 2 3; do echo line $i >> a/b/log; done; cat a/b/log > copy; wc -l < copy");
  expect(await textOf(stub, "/workspace/a/b/log")).toBe("line 1\nline 2\nline 3\n");
  expect((await run(stub, "cat copy | tail -1; ls")).stdout).toBe("line 3\na\ncopy\n");
});

it("keeps directory, variables and functions from command to command", async () => {
  const stub = sandbox("state");
  await run(stub, 'mkdir sub; cd sub; export NAME="it\'s me"; plain=7; greet() { echo "hello $1"; }');
  const result = await run(stub, "echo \"$PWD $NAME $plain\"; greet you; bash -c 'echo $NAME'; cd - > /dev/null; pwd");
  expect(result.stdout).toBe("/workspace/sub it's me 7\nhello you\nit's me\n/workspace\n");
  expect(result.cwd).toBe("/workspace");
});

it("forgets shell options and field separators with the command that set them", async () => {
  const stub = sandbox("options");
  await run(stub, "set -eu; IFS=,; shopt -s nullglob");
  expect((await run(stub, 'false; for x in a,b; do echo "$x"; done; echo "[$nothing]"')).stdout).toBe("a,b\n[]\n");
});

it("runs one command elsewhere without moving the shell", async () => {
  const stub = sandbox("workdir");
  await run(stub, "mkdir -p there; echo x > there/file");
  const result = value(await stub.exec("ls; cd /tmp", { key: "elsewhere", workdir: "there", timeoutMs: 5000 }));
  expect(result).toMatchObject({ stdout: "file\n", cwd: "/workspace" });
  const missing = value(await stub.exec("ls", { key: "nowhere", workdir: "/no/such", timeoutMs: 5000 }));
  expect(missing).toMatchObject({ exitCode: 1, stderr: "bash: cd: /no/such: No such file or directory\n" });
});

it("goes home when the shell's directory is gone", async () => {
  const stub = sandbox("gone");
  await run(stub, "mkdir d; cd d; rm -r ../d");
  expect((await run(stub, "pwd")).stdout).toBe("/workspace\n");
});

it("still has files and shell state after an eviction", async () => {
  const stub = sandbox("evict");
  await run(stub, "mkdir d; cd d; echo kept > f; chmod 700 f; ln -s f link; export V=1");
  await write(stub, "big", "x".repeat(2_500_000));
  await evictDurableObject(stub);
  expect((await run(stub, "cat link; echo $V; pwd; stat -c %a f; wc -c < big")).stdout).toBe(
    "kept\n1\n/workspace/d\n700\n2500000\n",
  );
});

it("runs a command once for its key, however often it arrives", async () => {
  const stub = sandbox("once");
  const count = () => stub.exec("echo x >> count; wc -l < count", { key: "the-key", timeoutMs: 5000 });
  const together = await Promise.all([count(), count(), count()]);
  await evictDurableObject(stub);
  expect([...together, await count()].map((answer) => value(answer).stdout.trim())).toEqual(["1", "1", "1", "1"]);
  expect(await textOf(stub, "count")).toBe("x\n");
});

it("writes and removes a file once for its key", async () => {
  const stub = sandbox("file-once");
  await stub.writeFile("f", utf8("first"), "w1");
  await stub.writeFile("f", utf8("second"), "w2");
  await stub.writeFile("f", utf8("first"), "w1");
  expect(await textOf(stub, "f")).toBe("second");
  expect(value(await stub.removeFile("f", "r1"))).toBe(true);
  await write(stub, "f", "third");
  expect(value(await stub.removeFile("f", "r1"))).toBe(true);
  expect(await textOf(stub, "f")).toBe("third");
  expect(value(await stub.removeFile("none", "r2"))).toBe(false);
});

it("refuses a key that was used for another operation", async () => {
  const stub = sandbox("key-reuse");
  await stub.writeFile("f", utf8("x"), "k");
  expect(await stub.removeFile("f", "k")).toMatchObject({ ok: false, code: "bad_request" });
  expect(await stub.exec("ls", { key: "", timeoutMs: 1000 })).toMatchObject({ ok: false, code: "bad_request" });
});

it("leaves no trace of a command that the object's end cut off", async () => {
  const stub = sandbox("crash");
  await run(stub, "echo before > f");
  const cut = stub.exec("echo after > f; touch g; cd /tmp; sleep 20", { key: "cut", timeoutMs: 25_000 }).then(
    () => "answered",
    () => "cut off",
  );
  // reads wait for nobody: this one is answered while the command sleeps
  await stub.stat("/");
  await abortAllDurableObjects();
  expect(await cut).toBe("cut off");
  const again = sandbox("crash");
  expect((await run(again, "cat f; ls; pwd")).stdout).toBe("before\nf\n/workspace\n");
  const repeated = value(await again.exec("echo after > f; pwd", { key: "cut", timeoutMs: 5000 }));
  expect(repeated.stdout).toBe("/workspace\n");
  expect(await textOf(again, "f")).toBe("after\n");
});

it("runs commands one after another, and answers reads meanwhile", async () => {
  const stub = sandbox("queue");
  const first = run(stub, "echo 1 > f; sleep 0.3; echo 2 >> f");
  const second = run(stub, "cat f; echo 3 >> f");
  const written = write(stub, "g", "after both");
  expect(await textOf(stub, "f")).toBeUndefined();
  await Promise.all([first, second, written]);
  expect((await second).stdout).toBe("1\n2\n");
  expect(await textOf(stub, "f")).toBe("1\n2\n3\n");
});

it("ends a command at its time limit and keeps what it did until then", async () => {
  const stub = sandbox("timeout");
  const result = await run(stub, "echo started; echo x > f; sleep 20; echo y > f", 300);
  expect(result).toMatchObject({ exitCode: 124, timedOut: true });
  expect(await textOf(stub, "f")).toBe("x\n");
});

it("ends a running and a waiting command when they are cancelled", async () => {
  const stub = sandbox("cancel");
  const running = stub.exec("sleep 20; touch late", { key: "c1", timeoutMs: 25_000 });
  const waiting = stub.exec("touch never", { key: "c2", timeoutMs: 25_000 });
  await Promise.all([stub.cancel("unknown"), stub.cancel("c2"), stub.cancel("c1")]);
  expect(value(await running)).toMatchObject({ exitCode: 130, timedOut: false });
  expect(value(await waiting)).toMatchObject({ exitCode: 130 });
  expect((await run(stub, "ls")).stdout).toBe("");
});

it("lists and describes what is there", async () => {
  const stub = sandbox("list");
  await run(stub, "mkdir -p d/e; echo 12345 > d/e/f; touch d-x; ln -s d/e/f link; ln -s nowhere dangling");
  const listed = value(await stub.list("/workspace", 100));
  expect(listed.map(({ path, isDirectory, size }) => [path, isDirectory, size])).toEqual([
    ["/workspace/d", true, 0],
    ["/workspace/d-x", false, 0],
    ["/workspace/d/e", true, 0],
    ["/workspace/d/e/f", false, 6],
    ["/workspace/link", false, 6],
  ]);
  expect(value(await stub.list(".", 2)).map(({ path }) => path)).toEqual(["/workspace/d", "/workspace/d-x"]);
  expect(value(await stub.stat("d/e"))).toMatchObject({ isDirectory: true });
  expect(value(await stub.stat("nothing"))).toBeUndefined();
  expect(value(await stub.readFile("nothing"))).toBeUndefined();
  expect(await stub.readFile("d")).toMatchObject({ ok: false, code: "bad_request" });
});

it("refuses paths that cannot be, files that are too large and folders of the system", async () => {
  const stub = sandbox("refuse");
  expect(await stub.readFile("a\0b")).toMatchObject({ ok: false, code: "bad_request" });
  expect(await stub.writeFile("n".repeat(300), utf8("x"), "long")).toMatchObject({ ok: false, code: "bad_request" });
  expect(await stub.writeFile("big", new Uint8Array(31 * 1024 * 1024), "big")).toMatchObject({ code: "too_large" });
  expect(value(await stub.readFile("../../../etc/passwd"))).toBeUndefined();
  expect(await run(stub, "echo x > /bin/ls")).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("read-only"),
  });
  expect((await run(stub, "ls /bin | grep -c '^ls$'; echo lost > /dev/null; cat /dev/null")).stdout).toBe("1\n");
});

it("packs and unpacks with gzip", async () => {
  const stub = sandbox("gzip");
  const result = await run(
    stub,
    "seq 1 1000 > n; gzip -k n; gunzip -c n.gz | tail -1; echo hi | gzip | zcat; rm n; gunzip n.gz; wc -l < n; gunzip n",
  );
  expect(result.stdout).toBe("1000\nhi\n1000\n");
  expect(result.stderr).toBe("gunzip: n: unknown suffix -- ignored\n");
});

it("takes somebody who listens along, who hears nothing of a command that is done at once", async () => {
  const heard: string[] = [];
  const stub = sandbox("listener");
  const answer = await stub.exec(
    "echo hi",
    { key: "listened", timeoutMs: 5000 },
    (text: string) => void heard.push(text),
  );
  expect(value(answer).stdout).toBe("hi\n");
  expect(heard).toEqual([]);
});

it("has nothing that runs in the background, and says what that needs", async () => {
  const start = { command: "sleep 1", key: "s", sessionKey: "k", isTerminal: false, tellsEnd: false, watch: [] };
  const refusal = { ok: false, code: "not_configured", message: expect.stringContaining("real shell") };
  expect(await sandbox("none-behind").startProcess(start)).toEqual(refusal);
  expect(await sandbox("none-behind").listProcesses("k")).toEqual(refusal);
});

it("keeps bytes as they are", async () => {
  const stub = sandbox("bytes");
  const bytes = Uint8Array.from({ length: 512 }, (_, i) => i % 256);
  await stub.writeFile("in", bytes, "bytes");
  await run(stub, "cat in > out; cp in copy; cat in | base64 | base64 -d >> out");
  expect(value(await stub.readFile("copy"))).toEqual(bytes);
  expect(value(await stub.readFile("out"))).toEqual(new Uint8Array([...bytes, ...bytes]));
});

it("has no network and no language runtimes", async () => {
  const result = await run(sandbox("none"), "curl http://127.0.0.1; python3 -c 1; node -e 1; sqlite3 x; echo end");
  expect(result.stdout).toBe("end\n");
  expect(result.stderr.match(/command not found/g)).toHaveLength(4);
});

it("bounds what a command prints", async () => {
  const result = await run(
    sandbox("output"),
    "head -c 3000000 /dev/zero | tr '\\0' a; for i in {1..100}; do echo e >&2; done",
  );
  expect(result.stdout.length + result.stderr.length).toBeLessThanOrEqual(1024 * 1024);
  const long = await run(sandbox("output"), "printf '%02000000d' 1");
  expect(long.stdout.length).toBeLessThanOrEqual(768 * 1024);
  expect(long.stdout).toMatch(/\[\.\.\. \d+ bytes left out \.\.\.\]/);
});

it("writes one row for a command that only looks, and few for others", async () => {
  const stub = sandbox("rows");
  await run(stub, "echo x > f");
  expect(await rowsWrittenBy(stub, () => run(stub, "cat f; ls -l /"))).toBe(1);
  expect(await rowsWrittenBy(stub, () => run(stub, "echo y > f"))).toBe(2);
  expect(await rowsWrittenBy(stub, () => run(stub, "cd /tmp"))).toBe(2);
  expect(await rowsWrittenBy(stub, () => write(stub, "/workspace/new/g", "x"))).toBe(3);
});

it("keeps recorded results within bounds", async () => {
  const stub = sandbox("prune");
  await runInDurableObject(stub, (_, { storage }) => {
    for (let i = 0; i < 400; i++)
      storage.sql.exec(
        "INSERT INTO results (key, operation, at, bytes, value) VALUES (?, 'write', ?, 1, 'null')",
        `old-${String(i).padStart(3, "0")}`,
        i,
      );
    storage.sql.exec("INSERT INTO results VALUES ('huge', 'exec', ?, 40000000, '{}', NULL, NULL)", Date.now() - 1000);
  });
  await evictDurableObject(stub);
  await write(stub, "f", "x");
  const left = await runInDurableObject(stub, (_, { storage }) =>
    storage.sql.exec<{ key: string }>("SELECT key FROM results ORDER BY at").toArray(),
  );
  expect(left).toHaveLength(1);
});

const RUNAWAYS: Readonly<Record<string, string>> = {
  "an endless loop": "while true; do :; done",
  "a long count that is sorted": "seq 1 10000000 | sort | tail -1",
  "a large file sorted again and again":
    "seq 1 60000 > n; cat n n n n n n > m; for i in 1 2 3 4 5 6 7 8; do sort m > o$i; done",
  "brace expansion that explodes": "echo {1..9}{1..9}{1..9}{1..9}{1..9}{1..9}{1..9}{1..9} | wc -c",
  "a text that doubles": "s=aaaaaaaaaaaaaaaa; for i in {1..60}; do s=$s$s; done; echo ${#s}",
  "a regular expression bomb": "printf '%0100d!' 0 | grep -E '^(0+)+$'; printf '%0100d!' 0 | sed -E 's/^(0*)*$/x/'",
  "a regular expression over a growing text": "seq 1 40000 | awk '{s = s $0; if (s ~ /(1+)+z/) print}'",
  "endless recursion": "f() { f; }; f",
  "a fork bomb": ":() { : | : & }; :",
  "an eval that doubles": 'x=\'eval "$x;$x"\'; eval "$x"',
  "an awk that never ends": "awk 'BEGIN { while (1) i++ }'",
  "a sed that never ends": "echo a | sed ':a;s/a/aa/;ba'",
  "a jq that never ends": "jq -n 'def f: f; f'; jq -n '[range(100000000)] | length'",
  "many reads of a large file": "seq 1 60000 > m; for i in {1..3000}; do sed -n 1p m > /dev/null; done",
  "the length of a long text, often": "s=$(printf '%01000000d' 1); for i in {1..4000}; do x=${#s}; done",
  "a difference of long files": "seq 1 9000 > a; seq 9000 -1 1 > b; diff a b | wc -l",
  "small appends without end": "for i in {1..9999}; do echo x >> f; done; wc -l f; while true; do echo x >> f; done",
};

for (const [what, command] of Object.entries(RUNAWAYS))
  it(`ends ${what}, and the shell goes on`, async () => {
    const stub = sandbox(`runaway-${what}`);
    await run(stub, command, 30_000);
    expect((await run(stub, "echo fine")).stdout).toBe("fine\n");
  });

it("kills what computes too long, with a reason", async () => {
  const stub = sandbox("spent");
  const result = await run(stub, "echo kept > f; seq 1 9000 > a; seq 9000 -1 1 > b; diff a b | wc -l");
  expect(result).toMatchObject({ exitCode: 137, timedOut: false });
  expect(result.stderr).toContain("computed for longer");
  expect(await textOf(stub, "f")).toBe("kept\n");
});

it("refuses here-documents and scripts that are huge", async () => {
  const result = await run(sandbox("huge"), `cat <<X\n${"y".repeat(1_040_000)}\nX`);
  expect(result.exitCode).not.toBe(0);
  const longer = await sandbox("huge").exec("#".repeat(1_100_000), { key: "longer", timeoutMs: 1000 });
  expect(longer).toMatchObject({ ok: false, code: "too_large" });
});

it("is a workspace to whoever opens it, and stops a command when asked", async () => {
  const workspace = openWorkspace(() => sandbox("opened"));
  await workspace.writeFile("f", utf8("hi"), "k1");
  expect(decodeUtf8((await workspace.readFile("f")) ?? new Uint8Array())).toBe("hi");
  await expect(workspace.readFile("/workspace")).rejects.toMatchObject({ code: "bad_request" });
  const stopper = new AbortController();
  const running = workspace.exec("sleep 20", { key: "k2", timeoutMs: 25_000, signal: stopper.signal });
  stopper.abort(new Error("stopped"));
  await expect(running).rejects.toThrow("stopped");
  const next = await workspace.exec("echo on", { key: "k3", timeoutMs: 5000, signal: new AbortController().signal });
  expect(next.stdout).toBe("on\n");
});
