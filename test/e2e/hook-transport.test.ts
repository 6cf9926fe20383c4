// HTTP hooks against receivers that misbehave over real sockets.
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import { type AddressInfo, type Server, type Socket, createServer as createTcpServer } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type HookRuntime, openNode, openWorkerd } from "../support/hook-runtimes.ts";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const opened: { close: () => Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map(({ close }) => close()));
});

/** A receiver on loopback; `closed` resolves when the caller has let go of its first connection. */
async function receive(answer: Answer): Promise<{ host: string; seen: IncomingMessage[]; closed: Promise<void> }> {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    request.resume();
    answer(request, response);
  });
  return { ...(await listen(server)), seen };
}

/** A receiver that writes what it likes, whether HTTP or not. */
async function receiveRaw(onData: (socket: Socket) => void): Promise<{ host: string; closed: Promise<void> }> {
  const server = createTcpServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => onData(socket));
  });
  return listen(server);
}

async function listen(server: Server) {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => resolve());
  });
  await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done));
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((done) => void server.close(() => done()));
  };
  opened.push({ close });
  // listening on a port, and on no path
  const { port } = server.address() as AddressInfo;
  return { host: `127.0.0.1:${port}`, closed };
}

const SHORT = { call: { timeoutMs: 300 } };

describe.each([
  ["Node", openNode],
  ["workerd", openWorkerd],
])("in %s", (name, open) => {
  let runtime: HookRuntime;
  beforeAll(async () => {
    runtime = await open();
  });
  afterAll(() => runtime.close());

  it("reads an answer, and sends a body as long as it says", async () => {
    const { host, seen } = await receive((_request, response) => void response.end('{"decision":"deny"}'));
    expect(await runtime.call(host)).toMatchObject({ exit: 0, stdout: '{"decision":"deny"}', status: 200 });
    const body = '{"type":"tool.pre","data":{}}';
    expect(seen[0]).toMatchObject({ method: "POST", url: "/h" });
    expect(seen[0]?.headers).toMatchObject({ "content-length": String(body.length), "webhook-id": "evt_1" });
  });

  it("gives up on a receiver that never answers, and hangs up", async () => {
    const { host, closed } = await receive(() => undefined);
    expect(await runtime.call(host, SHORT)).toMatchObject({
      exit: 124,
      code: "hook.timeout",
      why: "timed out after 0.3s",
    });
    await closed;
  });

  it("gives up on a receiver that drips, and hangs up", async () => {
    const { host, closed } = await receive((_request, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const drip = setInterval(() => response.write(" "), 20);
      response.on("close", () => clearInterval(drip));
    });
    expect(await runtime.call(host, SHORT)).toMatchObject({ exit: 124, code: "hook.timeout" });
    await closed;
  });

  it("hangs up on ten megabytes, announced or not", async () => {
    const flood = (headers: Record<string, string>): Answer => {
      return (_request, response) => {
        response.on("error", () => undefined);
        response.writeHead(200, headers);
        response.end(Buffer.alloc(10 * 1024 * 1024, " "));
      };
    };
    for (const headers of [{}, { "content-length": String(10 * 1024 * 1024) }]) {
      const { host, closed } = await receive(flood(headers));
      expect(await runtime.call(host)).toMatchObject({ exit: 1, stdout: "", code: "hook.response_too_large" });
      await closed;
    }
  });

  it("counts the bytes of a compressed answer as they are unpacked", async () => {
    const { gzipSync } = await import("node:zlib");
    const packed = gzipSync(Buffer.alloc(5 * 1024 * 1024, " "));
    const { host } = await receive((_request, response) => {
      response.on("error", () => undefined);
      response.writeHead(200, { "content-encoding": "gzip", "content-length": String(packed.length) });
      response.end(packed);
    });
    expect(packed.length).toBeLessThan(64 * 1024);
    expect(await runtime.call(host)).toMatchObject({ exit: 1, code: "hook.response_too_large" });
  });

  it("takes a page for no answer", async () => {
    const { host } = await receive((_request, response) => {
      response.writeHead(200, { "content-type": "text/html" });
      response.end("<html><body>Welcome</body></html>");
    });
    expect(await runtime.call(host)).toMatchObject({ exit: 1, stdout: "", code: "hook.invalid_json" });
  });

  it("never follows a redirect", async () => {
    const { host, seen } = await receive((_request, response) => {
      response.writeHead(302, { location: "http://169.254.169.254/latest/meta-data" });
      response.end();
    });
    const result = await runtime.call(host, { target: { retry: 1 } });
    expect(result).toMatchObject({ exit: 1, code: "hook.redirect", status: 302, requests: 1 });
    expect(seen).toHaveLength(1);
  });

  it("takes a connection that closes for a network error: before, during and after the head", async () => {
    const early = await receiveRaw((socket) => socket.destroy());
    expect(await runtime.call(early.host)).toMatchObject({ exit: 1, code: "hook.network" });
    const torn = await receiveRaw((socket) => socket.end("HTTP/1.1 200 O"));
    expect(await runtime.call(torn.host)).toMatchObject({ exit: 1, code: "hook.network" });
    const cut = await receiveRaw((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{"a":1}'));
    expect(await runtime.call(cut.host)).toMatchObject({ exit: 1, stdout: "", code: "hook.network" });
  });

  it("does not read past the length that was announced", async () => {
    const { host } = await receiveRaw((socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}garbage"));
    const result = await runtime.call(host);
    expect(result.stdout === "{}" || result.code === "hook.network").toBe(true);
    expect(result.stdout).not.toContain("garbage");
  });

  it("takes an answer that is no HTTP for a network error", async () => {
    const { host } = await receiveRaw((socket) => socket.end("SSH-2.0-OpenSSH_9.9\r\n"));
    expect(await runtime.call(host)).toMatchObject({ exit: 1, code: "hook.network" });
  });

  it("takes a closed port for a network error, in the words it was reported in", async () => {
    const { host } = await receive((_request, response) => void response.end());
    await Promise.all(opened.splice(0).map(({ close }) => close()));
    const result = await runtime.call(host);
    expect(result).toMatchObject({ exit: 1, code: "hook.network", requests: 1 });
    if (name === "Node") expect(result.why).toContain("ECONNREFUSED");
  });

  it("reaches on the second try a receiver that dropped the first one", async () => {
    let count = 0;
    const { host, seen } = await receive((request, response) => {
      count += 1;
      if (count === 1) request.socket.destroy();
      else response.end("{}");
    });
    expect(await runtime.call(host, { target: { retry: 1 } })).toMatchObject({ exit: 0, requests: 2 });
    expect(new Set(seen.map(({ headers }) => headers["webhook-id"]))).toEqual(new Set(["evt_1"]));
  });

  it("lets go of a page that comes with an error", async () => {
    const { host } = await receive((_request, response) => {
      response.on("error", () => undefined);
      response.writeHead(500);
      response.end(Buffer.alloc(1024 * 1024, "x"));
    });
    for (let i = 0; i < 8; i++) expect(await runtime.call(host)).toMatchObject({ exit: 1, code: "hook.http_status" });
  });

  it("does not reach a receiver on loopback that nobody listed", async () => {
    const { host, seen } = await receive((_request, response) => void response.end("{}"));
    const [, port] = host.split(":");
    const result = await runtime.call(host, {
      target: { url: `http://localhost:${port}/h` },
      hook: { dialect: "starchild" },
    });
    expect(result).toMatchObject({ exit: 1, code: "hook.ssrf_blocked", requests: 0 });
    expect(seen).toEqual([]);
  });
});
