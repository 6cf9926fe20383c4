// A sidecar that lives in the test: its protocol over files in memory. What commands do is the test's to say.
import { sha256Of } from "#src/workspace/sidecar/sidecar-files";
import { decodeUtf8, utf8 } from "#src/lib/encoding";

export const SIDECAR_TOKEN = "fake-sidecar-token";

interface FakeFile {
  readonly type: "file" | "folder" | "link";
  bytes: Uint8Array;
  mode: number;
  modifiedAt: number;
  readonly target?: string;
}

interface FakeProcess {
  readonly id: string;
  readonly command: string;
  status: "running" | "exited" | "lost";
  exitCode?: number;
  log: string;
}

export interface FakeCommand {
  readonly command: string;
  readonly cwd: string;
  readonly run: string;
  readonly isTerminal: boolean;
  /** Settles when it is killed. */
  readonly killed: Promise<void>;
  /** Prints while it runs. */
  readonly print: (text: string) => void;
}

export interface FakeResult {
  readonly stdout?: string;
  readonly stderr?: string;
  readonly exitCode?: number;
  readonly cwd?: string;
  readonly isTimedOut?: boolean;
}

/** What the test does to a sidecar, and what it sees of it. */
export interface FakeSidecar {
  /** Files by their path from the workspace's folder, as text. */
  files(): Record<string, string>;
  write(path: string, text: string, options?: { readonly mode?: number; readonly age?: number }): void;
  link(path: string, target: string): void;
  makeFolder(path: string): void;
  remove(path: string): void;
  modeOf(path: string): number | undefined;
  /** What commands do. */
  run: (command: FakeCommand, sidecar: FakeSidecar) => FakeResult | Promise<FakeResult>;
  /** Commands that really ran, in order. */
  readonly ran: string[];
  /** Requests as `PUT /v1/files/content path`. */
  readonly asked: string[];
  readonly inputs: string[];
  readonly processes: Map<string, FakeProcess>;
  print(id: string, text: string): void;
  end(id: string, exitCode: number): void;
  match(id: string, pattern: string, line: string): void;
  /** Ends, and is there again; without its disk it has forgotten everything. */
  restart(options: { readonly keepsDisk: boolean }): void;
  /** Called before every request; throws to cut it off before it arrives, or answers instead. */
  before: (call: string) => Response | undefined | Promise<Response | undefined>;
  /** Called after every request was done; throws to cut its answer off. */
  after: (call: string) => void;
  readonly fetch: (input: string, init?: RequestInit) => Promise<Response>;
  readonly mark: () => string;
}

const ROOT = "/srv/box/work";

/** A sidecar that begins with an empty disk. */
export function fakeSidecar(): FakeSidecar {
  let boot = 1;
  let count = 0;
  let mark = "";
  let started = 0;
  const files = new Map<string, FakeFile>();
  const runs = new Map<string, { readonly body: string; readonly result: Promise<unknown> | undefined }>();
  const events: { cursor: string; at: number; type: string; id: string; [more: string]: unknown }[] = [];
  const kills = new Map<string, () => void>();

  const put = (path: string, file: Omit<FakeFile, "modifiedAt">, age = 0): void => {
    for (const folder of foldersOf(path))
      if (!files.has(folder))
        files.set(folder, { type: "folder", bytes: new Uint8Array(), mode: 0o700, modifiedAt: now() });
    files.set(path, { ...file, modifiedAt: now() - age });
  };
  const addEvent = (type: string, id: string, more: object = {}): void =>
    void events.push({ cursor: `${boot.toString(16)}.${++count}`, at: now(), type, id, ...more });

  const view = async (path: string, hash: boolean) => {
    const file = files.get(path);
    if (file === undefined) throw problem(404, "file_not_found", "There is no such file.");
    const { type, bytes, mode, modifiedAt, target } = file;
    const sha256 = hash && type === "file" ? { sha256: await sha256Of(bytes) } : {};
    return { path, type, size: bytes.length, mode, modified_at: modifiedAt, ...(target && { target }), ...sha256 };
  };
  const processView = ({ id, command, status, exitCode, log }: FakeProcess) => ({
    id,
    command,
    status,
    started_at: 1,
    log_bytes: utf8(log).length,
    tail: log.slice(-4096),
    ...(status === "running" ? {} : { ended_at: 2 }),
    ...(exitCode === undefined ? {} : { exit_code: exitCode }),
  });
  const processOf = (id: string): FakeProcess => {
    const found = fake.processes.get(id);
    if (found === undefined) throw problem(404, "process_not_found", "The session has no such process.");
    return found;
  };

  async function once(request: Request, body: string, work: () => Promise<unknown>): Promise<unknown> {
    const key = request.headers.get("idempotency-key");
    if (key === null) return work();
    const known = runs.get(key);
    if (known !== undefined && known.body !== body) throw problem(422, "idempotency_mismatch", "Another request.");
    if (known !== undefined && known.result === undefined)
      throw problem(409, "outcome_unknown", "The sidecar ended while this ran.");
    if (known?.result !== undefined) return known.result;
    const result = work();
    runs.set(key, { body, result });
    return result;
  }

  async function execute(body: ExecBody, print: (text: string) => void): Promise<object> {
    const done = (stdout: string, exitCode = 0, stderr = "", more: object = {}) => ({
      exit_code: exitCode,
      stdout,
      stderr,
      stdout_dropped_bytes: 0,
      stderr_dropped_bytes: 0,
      duration_ms: 1,
      ...more,
    });
    const made = /printf '%s\\n' (\S+) >/.exec(body.shell ?? "")?.[1];
    if (made !== undefined) mark = made;
    if (made !== undefined) return done("");
    if (body.shell?.includes("/mark") === true) return done(mark === "" ? "" : `${mark}\n`);
    const killed = /TALARIA_RUN=(\S+)/.exec(body.shell ?? "")?.[1];
    if (killed !== undefined) kills.get(killed)?.();
    if (killed !== undefined) return done("");
    if (body.argv?.[0] === "sh" && (body.argv[2] ?? "").includes("ln -s")) {
      const [target = "", path = ""] = body.argv.slice(4);
      fake.link(path.replace(/^\.\//, ""), target);
      return done("");
    }
    if (body.shell !== undefined || body.argv?.[0] !== "bash") {
      const command = body.shell ?? (body.argv ?? []).join(" ");
      const result = await fake.run({ ...NO_SCRIPT, command, cwd: body.cwd ?? ROOT, print }, fake);
      return done(result.stdout ?? "", result.exitCode ?? 0, result.stderr ?? "");
    }
    const [, , , , , wanted = "", run = "", cwd = "", , script = ""] = body.argv;
    if (wanted !== mark) return done(`\u001E${run} fresh\u001E`, 86);
    const kill = Promise.withResolvers<void>();
    kills.set(run, kill.resolve);
    const isTerminal = script.includes("script -qefc");
    const command = body.stdin ?? "";
    fake.ran.push(command);
    const there = cwd.replace(/^\/workspace/, ROOT);
    const result = await fake.run({ command, cwd: there, run, isTerminal, killed: kill.promise, print }, fake);
    const { stdout = "", stderr = "", exitCode = 0, isTimedOut = false } = result;
    const ending = isTimedOut || exitCode === 137 ? "" : `\u001E${run} at ${result.cwd ?? there}\u001E`;
    return done(stdout + ending, isTimedOut ? 124 : exitCode, stderr, isTimedOut ? { timed_out: true } : {});
  }

  async function answer(request: Request, url: URL): Promise<Response> {
    const path = url.searchParams.get("path") ?? ".";
    const body = request.method === "POST" ? await request.text() : "";
    const json = (body === "" ? {} : JSON.parse(body)) as Body;
    const reply = (value: unknown, status = 200): Response =>
      Response.json(value, { status, headers: { date: new Date(now()).toUTCString() } });
    const [, , , id = "", verb = ""] = url.pathname.split("/");
    if (request.headers.get("authorization") !== `Bearer ${SIDECAR_TOKEN}`)
      throw problem(401, "unauthorized", "The bearer token is missing or wrong.");
    switch (`${request.method} ${url.pathname.replace(/(\/v1\/processes\/)[^/]+/, "$1:id")}`) {
      case "GET /v1/health":
        return reply({
          status: "ok",
          protocol: "v1",
          limits: { timeout_ms: 3_600_000 },
          capabilities: { network_none: true },
        });
      case "GET /v1/session":
        return reply({ key: "k", root: ROOT, running: 0, disk_bytes: 0 });
      case "GET /v1/events": {
        const [start, place] = (url.searchParams.get("after") ?? `${boot.toString(16)}.0`).split(".");
        const seen = start === boot.toString(16) ? Number(place) : 0;
        return reply({
          events: events.filter(({ cursor }) => Number(cursor.split(".")[1]) > seen),
          next_cursor: `${boot.toString(16)}.${count}`,
        });
      }
      case "GET /v1/files/list": {
        const isRecursive = url.searchParams.get("recursive") === "true";
        const start = path === "." ? "" : `${path}/`;
        const names = [...files.keys()].filter(
          (name) => name.startsWith(start) && (isRecursive || !name.slice(start.length).includes("/")),
        );
        return reply({ entries: await Promise.all(names.sort().map((name) => view(name, false))), is_cut: false });
      }
      case "GET /v1/files/stat":
        return reply(await view(path, true));
      case "GET /v1/files/content": {
        const file = files.get(path);
        if (file === undefined) throw problem(404, "file_not_found", "There is no such file.");
        return new Response(file.bytes.slice());
      }
      case "PUT /v1/files/content": {
        const bytes = new Uint8Array(await request.arrayBuffer());
        const before = files.get(path);
        if (before !== undefined && before.type !== "file") throw problem(409, "file_type_wrong", "It is no file.");
        const expected = /"(.*)"/.exec(request.headers.get("if-match") ?? "")?.[1];
        const isRight =
          expected === undefined ? before === undefined : before && expected === (await sha256Of(before.bytes));
        if (isRight !== true) throw problem(412, "precondition_failed", "The file is not what the caller believes.");
        put(path, { type: "file", bytes, mode: Number.parseInt(url.searchParams.get("mode") ?? "600", 8) });
        return reply(await view(path, true), 201);
      }
      case "POST /v1/files/mkdir":
        if (!files.has(json.path ?? "")) put(json.path ?? "", { type: "folder", bytes: new Uint8Array(), mode: 0o700 });
        return reply(await view(json.path ?? "", false), 201);
      case "POST /v1/files/remove": {
        const name = json.path ?? "";
        if (!files.has(name)) throw problem(404, "file_not_found", "There is no such file.");
        if ([...files.keys()].some((each) => each.startsWith(`${name}/`)))
          throw problem(409, "folder_not_empty", "The folder is not empty.");
        files.delete(name);
        return new Response(null, { status: 204 });
      }
      case "POST /v1/exec": {
        const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
        const writer = writable.getWriter();
        const line = (value: object): void =>
          void writer.write(utf8(`${JSON.stringify(value)}\n`)).catch(() => undefined);
        const work = once(request, body, () => execute(json, (text) => line({ type: "stdout", text })));
        // what has a key goes on when nobody listens
        const refusal = await Promise.race([
          work.then(
            () => undefined,
            (error: unknown) => error,
          ),
          soon(),
        ]);
        if (refusal instanceof Response) throw refusal;
        void work.then((result) => {
          line({ type: "result", result });
          return writer.close();
        });
        return new Response(readable, { headers: { "content-type": "application/x-ndjson" } });
      }
      case "POST /v1/processes": {
        const start = async (): Promise<string> => {
          const { argv = [] } = json;
          const process: FakeProcess = {
            id: `p_${++started}`,
            command: argv.at(-1) ?? "",
            status: argv[5] === mark ? "running" : "exited",
            log: "",
          };
          fake.processes.set(process.id, process);
          return process.id;
        };
        const made = (await once(request, body, start)) as string;
        return reply(processView(processOf(made)), 201);
      }
      case "GET /v1/processes":
        return reply({ processes: [...fake.processes.values()].map(processView) });
      case "GET /v1/processes/:id":
        return reply(processView(processOf(id)));
      case "POST /v1/processes/:id/wait":
        return reply(processView(processOf(id)));
      case "POST /v1/processes/:id/kill":
        if (processOf(id).status === "running") fake.end(id, 143);
        return reply(processView(processOf(id)));
      case "POST /v1/processes/:id/stdin":
        if (processOf(id).status !== "running") throw problem(409, "process_ended", "The process reads no more.");
        fake.inputs.push(`${json.data ?? ""}${json.close === true ? "<end>" : ""}`);
        return reply(processView(processOf(id)));
      case "GET /v1/processes/:id/log": {
        const { log, status } = processOf(id);
        const offset = Number(url.searchParams.get("offset"));
        const part = utf8(log).subarray(offset, offset + Number(url.searchParams.get("limit")));
        const next = offset + part.length;
        return reply({
          offset,
          next_offset: next,
          dropped_bytes: 0,
          text: decodeUtf8(part),
          is_end: status !== "running" && next === utf8(log).length,
        });
      }
      default:
        throw problem(404, "route_not_found", `There is no such route: ${url.pathname} ${verb}`);
    }
  }

  const fake: FakeSidecar = {
    ran: [],
    asked: [],
    inputs: [],
    processes: new Map(),
    run: () => ({}),
    before: () => undefined,
    after: () => undefined,
    mark: () => mark,
    files: () =>
      Object.fromEntries(
        [...files].filter(([, { type }]) => type === "file").map(([path, { bytes }]) => [path, decodeUtf8(bytes)]),
      ),
    write: (path, text, { mode = 0o644, age = 0 } = {}) => put(path, { type: "file", bytes: utf8(text), mode }, age),
    link: (path, target) => put(path, { type: "link", bytes: utf8(target), mode: 0o777, target }),
    makeFolder: (path) => put(path, { type: "folder", bytes: new Uint8Array(), mode: 0o700 }),
    remove(path) {
      for (const name of files.keys()) if (name === path || name.startsWith(`${path}/`)) files.delete(name);
    },
    modeOf: (path) => files.get(path)?.mode,
    print: (id, text) => void (processOf(id).log += text),
    end(id, exitCode) {
      Object.assign(processOf(id), { status: "exited", exitCode });
      addEvent("process.exited", id, { exit_code: exitCode });
    },
    match: (id, pattern, line) => addEvent("process.matched", id, { pattern, line, suppressed: 0 }),
    restart({ keepsDisk }) {
      boot++;
      count = 0;
      events.length = 0;
      for (const [key, { body }] of runs) runs.set(key, { body, result: undefined });
      if (keepsDisk) {
        for (const process of fake.processes.values()) {
          if (process.status !== "running") continue;
          process.status = "lost";
          addEvent("process.lost", process.id);
        }
        return;
      }
      mark = "";
      files.clear();
      runs.clear();
      fake.processes.clear();
    },
    async fetch(input, init) {
      const request = new Request(input, init);
      const url = new URL(request.url);
      const call = `${request.method} ${url.pathname} ${url.searchParams.get("path") ?? ""}`.trim();
      fake.asked.push(call);
      const instead = await fake.before(call);
      if (instead !== undefined) return instead;
      const response = await answer(request, url).catch((error: unknown) => {
        if (error instanceof Response) return error;
        throw error;
      });
      fake.after(call);
      return response;
    },
  };
  return fake;
}

interface Body extends ExecBody {
  readonly path?: string;
  readonly data?: string;
  readonly close?: boolean;
}

interface ExecBody {
  readonly argv?: readonly string[];
  readonly shell?: string;
  readonly stdin?: string;
  readonly cwd?: string;
}

const NO_SCRIPT = { run: "", isTerminal: false, killed: new Promise<void>(() => {}) };

function now(): number {
  return Date.now();
}

/** Resolves once what could be refused at once was. */
async function soon(): Promise<undefined> {
  for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  return undefined;
}

function problem(status: number, code: string, detail: string): Response {
  const headers = { "content-type": "application/problem+json" };
  return new Response(JSON.stringify({ type: `urn:talaria:sidecar:${code}`, title: code, status, code, detail }), {
    status,
    headers,
  });
}

function foldersOf(path: string): string[] {
  const words = path.split("/").slice(0, -1);
  return words.map((_, i) => words.slice(0, i + 1).join("/"));
}
