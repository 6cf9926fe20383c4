import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ProcessView, SessionEvent } from "../../sidecar/protocol.ts";
import { type SidecarProcess, countOf, eventually, isolationModes, startSidecar } from "./sidecar-process.ts";

interface Page {
  readonly events: readonly SessionEvent[];
  readonly next_cursor: string;
  readonly restarted?: true;
}

describe.each(isolationModes)("background processes of a sidecar %s", (mode) => {
  let sidecar: SidecarProcess;
  let count = 0;
  beforeAll(async () => {
    sidecar = await startSidecar({ mode, env: { SIDECAR_LOG_KB: "8" } });
  });
  afterAll(async () => sidecar.close());

  async function start(json: Record<string, unknown>, session = `s${(count += 1)}`) {
    const { status, body } = await sidecar.call<ProcessView>("/v1/processes", { json, session });
    expect(status).toBe(201);
    const path = `/v1/processes/${body.id}`;
    return {
      id: body.id,
      session,
      ask: async <T = ProcessView>(rest: string, json?: unknown) =>
        (await sidecar.call<T>(path + rest, { session, ...(json !== undefined && { json }) })).body,
      path,
    };
  }

  it("go on while others run, and are found again by whoever asks for the list", async () => {
    const { id, session, ask } = await start({ shell: "echo begun; sleep 4601" });
    expect((await sidecar.exec({ shell: "echo beside" }, { session })).stdout).toBe("beside\n");
    await eventually(
      async () => ask(""),
      (view) => view.tail === "begun\n",
    );
    const { body } = await sidecar.call<{ processes: ProcessView[] }>("/v1/processes", { session });
    expect(body.processes).toMatchObject([{ id, status: "running", command: "echo begun; sleep 4601", log_bytes: 6 }]);
    await ask("/kill", {});
    expect(countOf("sleep 4601")).toBe(0);
  });

  it("are talked to through their standard input until it is closed", async () => {
    const { ask } = await start({ shell: "while read line; do echo got $line; done; echo over" });
    await ask("/stdin", { data: "one\n" });
    await ask("/stdin", { data: "dHdvCg==", data_encoding: "base64", close: true });
    expect(await ask("/wait?timeout_ms=10000", {})).toMatchObject({
      status: "exited",
      exit_code: 0,
      tail: "got one\ngot two\nover\n",
    });
    expect(await ask("/stdin", { data: "x" })).toMatchObject({ code: "process_ended" });
  });

  it("keep the end of their log, which is read from where the reader was", async () => {
    const { ask } = await start({ shell: "printf 'ä%.0s' $(seq 20000); echo; echo last" });
    await ask("/wait", {});
    const whole = await ask<{
      offset: number;
      next_offset: number;
      dropped_bytes: number;
      text: string;
      is_end: boolean;
    }>("/log");
    expect(whole).toMatchObject({
      dropped_bytes: 40_006 - 8192,
      offset: 40_006 - 8192,
      next_offset: 40_006,
      is_end: true,
    });
    expect(whole.text).toMatch(/^ä+\nlast\n$/);
    const part = await ask<typeof whole>(`/log?offset=${whole.offset}&limit=5`);
    expect(part).toMatchObject({ text: "ää", next_offset: whole.offset + 4, is_end: false, dropped_bytes: 0 });
    expect(await ask<typeof whole>("/log?offset=40006")).toMatchObject({ text: "", next_offset: 40_006, is_end: true });
  });

  it("get time to end by themselves before they are killed as trees", async () => {
    const polite = await start({ shell: "trap 'echo bye; exit 7' TERM; echo up; while :; do sleep 0.05; done" });
    await eventually(
      async () => polite.ask(""),
      (view) => view.tail.startsWith("up"),
    );
    expect(await polite.ask("/kill", {})).toMatchObject({
      status: "exited",
      exit_code: 7,
      tail: expect.stringMatching(/^up\n(?:Terminated\n)?bye\n$/),
    });
    const stubborn = await start({ shell: "trap '' TERM; echo up; sleep 4602 & sleep 4602; sleep 4602" });
    await eventually(
      async () => stubborn.ask(""),
      (view) => view.tail.startsWith("up"),
    );
    expect(await stubborn.ask("/kill", { grace_ms: 100 })).toMatchObject({ status: "exited", signal: "SIGKILL" });
    expect(countOf("sleep 4602")).toBe(0);
  });

  it("hear other signals, and end when their time is over", async () => {
    const { ask } = await start({
      shell: "trap 'echo usr' USR1; echo up; while :; do sleep 0.05; done",
      timeout_ms: 3000,
    });
    await eventually(
      async () => ask(""),
      (view) => view.tail.startsWith("up"),
    );
    expect(await ask("/kill", { signal: "SIGUSR1" })).toMatchObject({ status: "running" });
    await eventually(
      async () => ask(""),
      (view) => view.tail === "up\nusr\n",
    );
    expect(await ask("/wait", {})).toMatchObject({ exit_code: 124, timed_out: true });
    expect(await ask("/kill", { signal: "SIGNONE" })).toMatchObject({ code: "field_invalid", field: "signal" });
  });

  it("tell of their end and of what is watched for, to whoever waits", async () => {
    const session = `s${(count += 1)}`;
    const waiting = sidecar.call<Page>("/v1/events?wait_ms=20000", { session });
    const { id, ask } = await start(
      { shell: "echo warm; echo listening on 80; cat; exit 3", watch: ["listening", "warm up"] },
      session,
    );
    const first = (await waiting).body;
    expect(first.events).toMatchObject([
      { type: "process.matched", id, pattern: "listening", line: "listening on 80" },
    ]);
    await ask("/stdin", { close: true });
    const next = (await sidecar.call<Page>(`/v1/events?wait_ms=20000&after=${first.next_cursor}`, { session })).body;
    expect(next.events).toMatchObject([{ type: "process.exited", id, exit_code: 3 }]);
    const again = (await sidecar.call<Page>(`/v1/events?after=${first.next_cursor}`, { session })).body;
    expect(again.events).toEqual(next.events);
  });

  it("do not flood their watchers", async () => {
    const { session, ask } = await start({ shell: "for i in $(seq 500); do echo hit $i; done", watch: ["hit"] });
    await ask("/wait", {});
    const { events } = (await sidecar.call<Page>("/v1/events", { session })).body;
    expect(events.filter(({ type }) => type === "process.matched")).toHaveLength(8);
    expect(events.at(-1)?.type).toBe("process.exited");
  });

  it("are started once under an idempotency key", async () => {
    const request = { json: { argv: ["sleep", "4603"] }, headers: { "idempotency-key": "p1" }, session: "keyed" };
    const first = await sidecar.call<ProcessView>("/v1/processes", request);
    const second = await sidecar.call<ProcessView>("/v1/processes", request);
    expect(second.body.id).toBe(first.body.id);
    await eventually(
      () => countOf("sleep 4603"),
      (running) => running === 1,
    );
    await sidecar.call(`/v1/processes/${first.body.id}`, { method: "DELETE", session: "keyed" });
    expect(countOf("sleep 4603")).toBe(0);
    expect((await sidecar.call(`/v1/processes/${first.body.id}`, { session: "keyed" })).status).toBe(404);
  });

  it("may start daemons, which stay while the process that started them runs", async () => {
    const { session, ask } = await start({ shell: "(setsid sleep 4604 >/dev/null 2>&1 &); echo up; read x" });
    await eventually(
      async () => ask(""),
      (view) => view.tail === "up\n",
    );
    // the end of another job is when strays are looked for
    for (let i = 0; i < 3; i++) await sidecar.exec({ shell: "sleep 0.4" }, { session });
    expect(countOf("sleep 4604")).toBe(1);
    await ask("/stdin", { close: true });
    await eventually(
      () => countOf("sleep 4604"),
      (running) => running === 0,
    );
  });

  it("tell by one long answer too, from where the reader was", async () => {
    const { session, id, ask } = await start({ argv: ["false"] });
    await ask("/wait", {});
    const leaving = new AbortController();
    const response = await sidecar.fetch("/v1/events", {
      session,
      headers: { accept: "text/event-stream" },
      signal: leaving.signal,
    });
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    let text = "";
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString("utf8");
      if (text.includes("process.exited")) break;
    }
    expect(text).toMatch(/id: [0-9a-f]+\.1\nevent: process.exited\ndata: \{/);
    expect(text).toContain(id);
    leaving.abort();
  });
});
