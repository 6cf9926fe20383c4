// The real sidecar beside the real system, started as a person does: `SIDECAR=local npm start`.
import { chmodSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type FakeOpenai, startFakeOpenai } from "../support/fake-openai.ts";
import { type StartedSystem, startSystem } from "../support/start-system.ts";

// processes are found by what Linux says of them in /proc
const onLinux = it.skipIf(process.platform !== "linux");

const ROOT = mkdtempSync(join(tmpdir(), "talaria-sidecar-"));
let model: FakeOpenai;
let system: StartedSystem;
let turns = 0;

beforeAll(async () => {
  chmodSync(ROOT, 0o711);
  model = await startFakeOpenai();
  system = await startSystem({
    SIDECAR: "local",
    SIDECAR_ROOT: ROOT,
    OPENAI_BASE_URL: `${model.url}/v1`,
    OPENAI_API_KEY: "a-key-that-must-not-be-seen",
    MODEL: "scripted",
  });
  // nobody is here to be asked
  await ask("/api/config", { method: "PATCH", body: JSON.stringify({ "approvals.mode": "off" }) });
});
afterAll(async () => {
  await system.stop();
  await model.close();
  rmSync(ROOT, { recursive: true, force: true });
});

interface Row {
  readonly id: string;
  readonly role: string;
  readonly content: string;
  readonly tool_name?: string;
  readonly turn_id: string;
}

async function ask(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${system.token}`, "content-type": "application/json" };
  return fetch(`${system.url}${path}`, { ...init, headers });
}

async function rows(session: string): Promise<readonly Row[]> {
  const { messages } = (await (await ask(`/api/sessions/${session}/messages`)).json()) as { messages: Row[] };
  return messages;
}

async function until<T>(look: () => Promise<T | undefined> | T | undefined, withinMs = 60_000): Promise<T> {
  const endsAt = Date.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > endsAt) throw new Error(`Not within ${withinMs} ms.\n${system.log()}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Lets the agent call tools, one after the other, and gives what each of them answered. */
async function call(...calls: readonly (readonly [tool: string, args: object])[]): Promise<readonly string[]> {
  return callIn(`main%3Aweb%3Adm%3Asidecar-${++turns}`, ...calls);
}

async function callIn(session: string, ...calls: readonly (readonly [string, object])[]): Promise<readonly string[]> {
  const text = calls.map(([tool, args]) => `TOOL ${tool} ${JSON.stringify(args)}`).join("\nTHEN\n");
  const sent = await ask(`/api/sessions/${session}/messages`, { method: "POST", body: JSON.stringify({ text }) });
  const { turnId } = (await sent.json()) as { turnId: string | number };
  const own = async () => (await rows(session)).filter(({ turn_id }) => turn_id === String(turnId));
  await until(async () => (await own()).find(({ role, content }) => role === "assistant" && content !== ""));
  return (await own()).filter(({ role }) => role === "tool").map(({ content }) => content);
}

const json = (text: string | undefined): Record<string, unknown> => JSON.parse(text ?? "") as Record<string, unknown>;

/** Living processes with this in their command line, below a process if one is given. */
function pidsOf(command: string, parent?: number): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const [state, of] = readFileSync(`/proc/${pid}/stat`, "utf8")
          .replace(/^.*\) /, "")
          .split(" ");
        const isRight = parent === undefined || Number(of) === parent;
        return isRight && state !== "Z" && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(command);
      } catch {
        return false; // it ended meanwhile
      }
    });
}

function sidecarPid(): number {
  return pidsOf("sidecar/server.ts", system.pid)[0] ?? 0;
}

onLinux("runs real programs among the agent's files, which stay the agent's", async () => {
  const [, ran, read] = await call(
    ["write_file", { path: "numbers.txt", content: "3\n1\n2\n" }],
    ["terminal", { command: "python3 -c \"print(sum(map(int, open('numbers.txt'))))\" > sum.txt; sort numbers.txt" }],
    ["read_file", { path: "sum.txt" }],
  );
  expect(json(ran)).toMatchObject({ output: "1\n2\n3\n", exit_code: 0 });
  expect(read).toBe("1|6");
});

onLinux("keeps directory, variables and functions, and gives commands no secret", async () => {
  const [, kept, secrets] = await call(
    ["terminal", { command: "mkdir -p deep; cd deep; export NAME='a b'; greet() { echo \"hello $1\"; }" }],
    ["terminal", { command: 'pwd; greet "$NAME"; cd ..' }],
    ["terminal", { command: "env" }],
  );
  expect(json(kept)["output"]).toMatch(/\/deep\nhello a b\n$/);
  expect(json(secrets)["output"]).not.toMatch(/must-not-be-seen|browser-test-token|SIDECAR_TOKEN/);
});

onLinux("gives a program a terminal when it is asked to", async () => {
  const [plain, pty] = await call(
    ["terminal", { command: "test -t 1 && echo terminal || echo pipe" }],
    ["terminal", { command: "test -t 1 && echo terminal || echo pipe", pty: true }],
  );
  expect(json(plain)["output"]).toBe("pipe\n");
  expect(json(pty)["output"]).toBe("terminal\r\n");
});

onLinux("ends a command with its time, and all that it started", async () => {
  const [timed, left] = await call(
    ["terminal", { command: "sleep 4711 & echo begun; sleep 4712", timeout: 1 }],
    [
      "terminal",
      { command: "pgrep -f 'sleep 471[12]' || ls /proc/*/cmdline | xargs grep -la '^sleep.471[12]' || echo none" },
    ],
  );
  expect(json(timed)).toMatchObject({ exit_code: 124, error: expect.stringContaining("in time") });
  expect(json(left)["output"]).toContain("none");
});

onLinux("looks after a background process: log, input, end, and a message about it", async () => {
  const session = `main%3Aweb%3Adm%3Abackground`;
  const [started] = await callIn(session, [
    "terminal",
    {
      command: 'printf "name? "; read name; echo "hello $name" | tee greeting.txt',
      background: true,
      notify_on_complete: true,
    },
  ]);
  const { process_id } = json(started) as { process_id: string };
  expect(process_id).toMatch(/^p_/);
  const [listed, , ended, read] = await callIn(
    session,
    ["process", { action: "list" }],
    ["process", { action: "submit", process_id, data: "bob" }],
    ["process", { action: "wait", process_id, timeout: 20 }],
    ["read_file", { path: "greeting.txt" }],
  );
  expect(json(listed)["processes"]).toMatchObject([{ process_id, status: "running" }]);
  expect(json(ended)).toMatchObject({ status: "exited", exit_code: 0, output: "name? hello bob\n" });
  expect(read).toBe("1|hello bob");
});

onLinux("runs Python that calls the agent's tools, or says why it cannot", async () => {
  const code = [
    "import subprocess",
    "from hermes_tools import ToolError, read_file, write_file, terminal",
    "subprocess.run(['echo', 'from a program'])",
    "try:",
    "    write_file('made.txt', 'by a script')",
    "    print(open('made.txt').read(), terminal('echo hi')['output'])",
    "except ToolError as error:",
    "    print('no tools:', error)",
    "print('ü' * 3)",
  ].join("\n");
  const [ran] = await call(["execute_code", { code }]);
  expect(json(ran)).toMatchObject({ exit_code: 0, tool_calls: expect.any(Number) });
  expect(json(ran)["output"]).toMatch(/from a program\n(?:by a script hi|no tools: .*)\n+üüü\n$/);
  const [failed] = await call(["execute_code", { code: "print('before')\nraise ValueError('oh no')" }]);
  expect(json(failed)).toMatchObject({
    exit_code: 1,
    output: expect.stringMatching(/before\n[^]*line 2[^]*ValueError: oh no/),
  });
});

onLinux("sees what a background process writes while it runs, and shows it what the agent writes", async () => {
  const [, started] = await call(
    ["write_file", { path: "asked.txt", content: "first" }],
    [
      "terminal",
      {
        command: "until grep -q second asked.txt; do sleep 0.1; done; echo seen > answer.txt; sleep 30",
        background: true,
      },
    ],
    ["write_file", { path: "asked.txt", content: "second" }],
  );
  expect(json(started)).toMatchObject({ status: "running" });
  const answer = await until(async () => {
    const [read] = await call(["read_file", { path: "answer.txt" }]);
    return read?.includes("no file") ? undefined : read;
  });
  expect(answer).toBe("1|seen");
});

onLinux("says that a command's outcome is unknown when the sidecar is killed, and goes on with the next", async () => {
  const [first] = await call(["terminal", { command: "echo kept > survivor.txt; ls survivor.txt" }]);
  expect(json(first)["output"]).toBe("survivor.txt\n");
  const before = sidecarPid();
  const cut = call(["terminal", { command: "echo ran >> count.txt; sleep 30" }]);
  const count = await until(() => {
    const found = readdirSync(join(ROOT, "sessions")).map((name) => join(ROOT, "sessions", name, "work", "count.txt"));
    return found.find((path) => existsSync(path));
  });
  process.kill(before, "SIGKILL");
  expect((await cut)[0]).toContain("Outcome unknown");
  expect(readFileSync(count, "utf8")).toBe("ran\n");
  await until(() => (sidecarPid() > 0 && sidecarPid() !== before ? true : undefined));
  const [next, read] = await call(
    ["terminal", { command: "cat survivor.txt count.txt" }],
    ["read_file", { path: "count.txt" }],
  );
  expect(json(next)["output"]).toBe("kept\nran\n");
  expect(read).toBe("1|ran");
});

onLinux("sends everything again to a sidecar that has lost its disk", async () => {
  await call(["write_file", { path: "kept/file.txt", content: "still here" }], ["terminal", { command: "ls" }]);
  const [name = ""] = readdirSync(join(ROOT, "sessions"));
  const work = join(ROOT, "sessions", name);
  for (const inside of readdirSync(join(work, "work"))) rmSync(join(work, "work", inside), { recursive: true });
  rmSync(join(work, "home", ".talaria"), { recursive: true });
  process.kill(sidecarPid(), "SIGKILL");
  await until(() => (sidecarPid() > 0 ? true : undefined));
  const [ran] = await until(async () => {
    const answers = await call(["terminal", { command: "cat kept/file.txt" }]);
    return answers[0]?.includes("cannot be reached") ? undefined : answers;
  });
  expect(json(ran)["output"]).toBe("still here");
});

onLinux("carries a thousand small files there and back", async () => {
  const [made, read] = await call(
    ["terminal", { command: "mkdir many; for i in $(seq 1000); do echo $i > many/$i.txt; done; ls many | wc -l" }],
    ["read_file", { path: "many/777.txt" }],
  );
  expect(json(made)["output"]).toBe("1000\n");
  expect(read).toBe("1|777");
  const [gone] = await call(
    ["terminal", { command: "rm -r many; ls -d many 2>&1 | tail -1" }],
    ["terminal", { command: "true" }],
  );
  expect(json(gone)["output"]).toContain("No such file");
});

onLinux("leaves nothing behind when the start script is killed", async () => {
  await call(["terminal", { command: "sleep 4713", background: true }]);
  const sidecar = sidecarPid();
  expect(pidsOf("sleep\u00004713")).not.toEqual([]);
  process.kill(system.pid, "SIGKILL");
  await until(
    () => (pidsOf("sleep\u00004713").length === 0 && !existsSync(`/proc/${sidecar}`) ? true : undefined),
    5000,
  );
});
