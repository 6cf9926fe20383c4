import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import {
  type Part,
  type StartedTalaria,
  freePort,
  health,
  startTalaria,
  temporaryState,
  until,
} from "./start-fixture.ts";

// processes are found by what Linux says of them in /proc
const onLinux = it.skipIf(process.platform !== "linux");

// one folder for all: what one run built, the next one does not have to
const state = temporaryState();
const started: StartedTalaria[] = [];
let port = 0;

beforeAll(async () => {
  port = await freePort();
});
afterEach(() => {
  for (const run of started.splice(0)) for (const pid of run.pids()) process.kill(pid, "SIGKILL");
});
afterAll(() => state.remove());

function start(env: Readonly<Record<string, string>> = {}, onPort = port): StartedTalaria {
  const run = startTalaria(onPort, state.folder, env);
  started.push(run);
  return run;
}

async function ready(env?: Readonly<Record<string, string>>): Promise<StartedTalaria> {
  const run = start(env);
  await run.ready();
  return run;
}

onLinux("starts with nothing but its own lines in the log, and makes an admin token once", async () => {
  const first = await ready();
  const made = readFileSync(join(state.folder, "admin-token"), "utf8").trim();
  expect(linesOf(first)).toEqual([
    expect.stringMatching(new RegExp(`^Talaria is ready at http://127\\.0\\.0\\.1:${port} \\(\\d+\\.\\d s\\)$`)),
    expect.stringContaining(made),
    `Open http://127.0.0.1:${port}/#token=${made}`,
  ]);
  expect(statSync(join(state.folder, "admin-token")).mode & 0o777).toBe(0o600);
  first.kill("npm", "SIGTERM");
  await first.gone();

  const second = await ready();
  expect(second.output()).not.toContain(made);
  second.kill("npm", "SIGTERM");
  await second.gone();
});

const deaths: readonly [string, (run: StartedTalaria) => void][] = [
  ...(["SIGTERM", "SIGINT"] as const).flatMap((signal): [string, (run: StartedTalaria) => void][] => [
    [`${signal} to npm alone`, (run) => run.kill("npm", signal)],
    [`${signal} to the group`, (run) => process.kill(-(run.npm.pid ?? Number.NaN), signal)],
    [`${signal} to the start script`, (run) => run.kill("start", signal)],
  ]),
  ...(["npm", "start", "wrangler"] as const).map((part: Part): [string, (run: StartedTalaria) => void] => [
    `SIGKILL of ${part}`,
    (run) => run.kill(part, "SIGKILL"),
  ]),
  ["SIGKILL of the group", (run) => process.kill(-(run.npm.pid ?? Number.NaN), "SIGKILL")],
  ["SIGHUP to the group", (run) => process.kill(-(run.npm.pid ?? Number.NaN), "SIGHUP")],
];

for (const [death, die] of deaths) {
  onLinux(`leaves no process and no listener behind after ${death}`, async () => {
    const run = await ready();
    die(run);
    expect(await run.gone()).toBeLessThan(5_000);
  });
}

onLinux("leaves nothing behind when it is killed before it was ready", async () => {
  const run = start();
  await until(60_000, async () => run.pids("wrangler").length > 0, run.output);
  run.kill("npm", "SIGKILL");
  await run.gone();
});

onLinux("leaves nothing behind when its guard was killed first", async () => {
  const run = await ready();
  const [guard] = run.pids("guard");
  run.kill("guard", "SIGKILL");
  await until(20_000, async () => run.pids("guard").some((pid) => pid !== guard), run.output);
  run.kill("start", "SIGKILL");
  await run.gone();
});

onLinux("refuses in one sentence beside a living owner, which goes on", async () => {
  const owner = await ready();
  const other = start({}, await freePort());
  expect(await other.exitCode()).toBe(1);
  expect(linesOf(other)).toEqual([
    expect.stringMatching(/^Talaria already runs on .+: stop it, or set TALARIA_STATE to another folder\.$/),
  ]);
  expect(await health(port)).toBe(200);
  owner.kill("npm", "SIGTERM");
  await owner.gone();
});

onLinux("lets one run of two that were started at once", async () => {
  const runs = [start(), start({}, await freePort())];
  await until(
    30_000,
    async () => runs.some((run) => run.npm.exitCode !== null),
    () => runs.map((run) => run.output()).join(),
  );
  const refused = runs.filter((run) => run.npm.exitCode !== null);
  expect(refused).toHaveLength(1);
  expect(refused[0]?.output()).toContain("Talaria already runs on");
  for (const run of runs) if (!refused.includes(run)) await run.ready();
});

onLinux("ends what a dead owner left running before it starts", async () => {
  const dead = await ready();
  const left = [...dead.pids("wrangler"), ...dead.pids("workerd")];
  // only a runtime that cannot act outlives its owner and the guard
  for (const part of ["wrangler", "guard"] as const) dead.kill(part, "SIGSTOP");
  dead.kill("start", "SIGKILL");
  dead.kill("guard", "SIGKILL");
  expect(dead.pids()).toEqual(expect.arrayContaining(left));

  const heir = await ready();
  expect(dead.pids()).toEqual([]);
  heir.kill("npm", "SIGTERM");
  await heir.gone();
});

onLinux("says in one sentence that its port is taken", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port: taken } = server.address() as { port: number }; // of a TCP server
  const run = start({}, taken);
  expect(await run.exitCode()).toBe(1);
  expect(linesOf(run)).toEqual([`Port ${taken} is taken: stop what listens there, or set PORT to another one.`]);
  server.close();
});

onLinux("brings a runtime back that died or hangs, and never has two", async () => {
  const run = await ready();
  const [first] = run.pids("workerd");
  run.kill("workerd", "SIGKILL");
  await until(60_000, async () => (await health(port)) === 200 && run.pids("workerd")[0] !== first, run.output);

  const [second] = run.pids("workerd");
  run.kill("workerd", "SIGSTOP");
  let most = 0;
  await until(
    30_000,
    async () => {
      most = Math.max(most, run.pids("workerd").length);
      return run.pids("workerd")[0] !== second && (await health(port)) === 200;
    },
    run.output,
  );
  expect(most).toBe(1);
  expect(run.output()).toContain("did not answer /health for 10 s");
  run.kill("npm", "SIGTERM");
  await run.gone();
});

onLinux("keeps secrets out of the list of processes", async () => {
  const secret = "sk-test-0123456789abcdef";
  const run = await ready({ OPENAI_API_KEY: secret, OPENAI_BASE_URL: "http://127.0.0.1:9/v1" });
  const listed = execFileSync("ps", ["-A", "-ww", "-o", "args="], { encoding: "utf8" });
  expect(listed).toContain("wrangler-dev.ts");
  expect(listed).not.toContain(secret);
  expect(listed).not.toContain(readFileSync(join(state.folder, "admin-token"), "utf8").trim());
  run.kill("npm", "SIGTERM");
  await run.gone();
});

/** What a run wrote, without what npm itself does. */
function linesOf(run: StartedTalaria): readonly string[] {
  const isNpms = /^(?:npm |> |$)/;
  return run
    .output()
    .split("\n")
    .filter((line) => !isNpms.test(line));
}
