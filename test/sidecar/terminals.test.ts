import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import type { TerminalView } from "../../sidecar/protocol.ts";
import { type SidecarProcess, eventually, isolationModes, startSidecar } from "./sidecar-process.ts";

describe.each(isolationModes)("terminals of a sidecar %s", (mode) => {
  let sidecar: SidecarProcess;
  beforeAll(async () => {
    sidecar = await startSidecar({ mode, env: { SIDECAR_LOG_KB: "8" } });
  });
  afterAll(async () => sidecar.close());

  async function open(json: Record<string, unknown> = {}): Promise<TerminalView> {
    const { status, body } = await sidecar.call<TerminalView>("/v1/terminals", {
      json: { argv: ["bash", "--norc"], ...json },
    });
    expect(status).toBe(201);
    return body;
  }

  it("are real terminals with job control, a size and a name", async () => {
    const { id } = await open({ cols: 101, rows: 31, env: { PS1: "" } });
    const client = await attach(sidecar, id);
    client.send("stty size; [ -t 0 ] && [ -t 1 ] && echo is-terminal; echo written > $(tty); sleep 30 & jobs\n");
    await eventually(
      () => client.text(),
      (text) => /31 101\r\nis-terminal\r\nwritten\r\n[^]*Running/.test(text),
    );
    client.send({ type: "resize", cols: 90, rows: 20 });
    client.send("stty size\n");
    await eventually(
      () => client.text(),
      (text) => text.includes("20 90\r\n"),
    );
    expect((await sidecar.call(`/v1/terminals/${id}`)).body).toMatchObject({
      cols: 90,
      rows: 20,
      clients: 1,
      status: "running",
    });
    expect(client.text()).not.toMatch(/no job control|cannot set terminal/);
    await sidecar.call(`/v1/terminals/${id}`, { method: "DELETE" });
    expect((await sidecar.call(`/v1/terminals/${id}`)).status).toBe(404);
  });

  it("hear Ctrl-C as a person means it", async () => {
    const { id } = await open();
    const client = await attach(sidecar, id);
    client.send("sleep 4801\n");
    await eventually(
      async () => (await sidecar.exec({ shell: "pgrep -fx 'sleep 4801' || true" })).stdout,
      (out) => out !== "",
    );
    client.send("\u0003");
    client.send("echo after=$?\n");
    await eventually(
      () => client.text(),
      (text) => text.includes("after=130"),
    );
    client.close();
  });

  it("go on when nobody looks, and show what was missed from where the reader was", async () => {
    const { id } = await open({ env: { PS1: "" } });
    const first = await attach(sidecar, id);
    first.send("echo one; until [ -e go ]; do sleep 0.02; done; echo two\n");
    await eventually(
      () => first.text(),
      (text) => text.includes("one\r\n"),
    );
    const seen = first.offset();
    first.close();
    await sidecar.exec({ shell: "touch go" });
    await eventually(
      async () => (await sidecar.call<TerminalView>(`/v1/terminals/${id}`)).body.log_bytes,
      (bytes) => bytes > seen,
    );
    const second = await attach(sidecar, id, seen);
    await eventually(
      () => second.text(),
      (text) => text.includes("two\r\n"),
    );
    expect(second.text()).not.toContain("one");
    const third = await attach(sidecar, id);
    await eventually(
      () => third.text(),
      (text) => text.includes("one"),
    );
    second.close();
  });

  it("say how much is no longer kept", async () => {
    const { id } = await open({ argv: ["sh", "-c", "seq 100000; read x"] });
    await eventually(
      async () => (await sidecar.call<TerminalView>(`/v1/terminals/${id}`)).body.log_bytes,
      (bytes) => bytes > 600_000,
    );
    const client = await attach(sidecar, id);
    expect(client.messages()[0]).toMatchObject({ type: "attached", dropped_bytes: expect.any(Number) });
    expect(Number(client.messages()[0]?.["dropped_bytes"])).toBeGreaterThan(500_000);
    await eventually(
      () => client.text(),
      (text) => text.endsWith("100000\r\n"),
    );
    client.close();
  });

  it("tell their clients and the session how they ended", async () => {
    const { id } = await open({ argv: ["sh", "-c", "read x; exit 5"] });
    const client = await attach(sidecar, id);
    client.send("\n");
    expect(await client.closed).toBe(1000);
    expect(client.messages().at(-1)).toMatchObject({ type: "exited", exit_code: 5 });
    const { body } = await sidecar.call<{ events: { id: string }[] }>("/v1/events");
    expect(body.events.filter((event) => event.id === id)).toMatchObject([{ type: "terminal.exited", exit_code: 5 }]);
    const late = await attach(sidecar, id);
    expect(await late.closed).toBe(1000);
  });

  it("bear messages that are none", async () => {
    const { id } = await open();
    const client = await attach(sidecar, id);
    for (const text of ["{", "[]", '{"type":"dance"}', '{"type":"resize","cols":0}', '{"type":"input"}'])
      client.socket.send(text);
    await eventually(
      () => client.messages().filter(({ type }) => type === "problem").length,
      (problems) => problems === 5,
    );
    client.send("echo alive\n");
    await eventually(
      () => client.text(),
      (text) => text.includes("alive\r\n"),
    );
    client.close();
  });
});

it("lets nobody look without the token, or at another session's terminal", async () => {
  const sidecar = await startSidecar();
  try {
    const { body } = await sidecar.call<TerminalView>("/v1/terminals", { json: {} });
    await expect(attach(sidecar, body.id, 0, { authorization: "Bearer wrong" })).rejects.toThrow("401");
    await expect(attach(sidecar, body.id, 0, { "x-session-key": "another" })).rejects.toThrow("404");
    await expect(attach(sidecar, "none")).rejects.toThrow("404");
  } finally {
    await sidecar.close();
  }
});

async function attach(sidecar: SidecarProcess, id: string, after = 0, headers: Record<string, string> = {}) {
  const socket = new WebSocket(`${sidecar.url.replace("http", "ws")}/v1/terminals/${id}/socket?after=${after}`, {
    headers: { authorization: `Bearer ${sidecar.token}`, "x-session-key": "main:test", ...headers },
  });
  const output: Buffer[] = [];
  const messages: Record<string, unknown>[] = [];
  socket.on("message", (data, isBinary) => {
    if (isBinary) output.push(data as Buffer);
    else messages.push(JSON.parse((data as Buffer).toString("utf8")) as Record<string, unknown>);
  });
  const closed = new Promise<number>((resolve) => socket.once("close", resolve));
  await new Promise<void>((resolve, reject) => {
    socket.once("error", reject);
    socket.once("message", () => resolve());
  });
  const text = () => Buffer.concat(output).toString("utf8");
  return {
    socket,
    closed,
    text,
    messages: () => messages,
    offset: () => Number(messages[0]?.["offset"]) + Buffer.concat(output).length,
    send: (what: string | object) => socket.send(typeof what === "string" ? Buffer.from(what) : JSON.stringify(what)),
    close: () => socket.close(),
  };
}
