import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type SidecarProcess, refusal, startSidecar } from "./sidecar-process.ts";

let sidecar: SidecarProcess;
beforeAll(async () => {
  sidecar = await startSidecar();
});
afterAll(async () => sidecar.close());

it.each([
  ["no token beyond loopback", { SIDECAR_HOST: "0.0.0.0" }, "SIDECAR_TOKEN is needed to listen on 0.0.0.0"],
  ["a short token beyond loopback", { SIDECAR_HOST: "::", SIDECAR_TOKEN: "short" }, "at least 16 characters"],
  ["an empty token beyond loopback", { SIDECAR_HOST: "10.0.0.1", SIDECAR_TOKEN: " " }, "SIDECAR_TOKEN is needed"],
  ["a token file that is not there", { SIDECAR_TOKEN_FILE: "./none" }, "SIDECAR_TOKEN_FILE cannot be read: ./none"],
  ["a port that is none", { SIDECAR_PORT: "http" }, 'SIDECAR_PORT must be a whole number from 0 to 65535, not "http"'],
  ["a limit that is none", { SIDECAR_MEMORY_MB: "-1" }, "SIDECAR_MEMORY_MB must be"],
  ["a policy that is none", { SIDECAR_NETWORK: "some" }, "SIDECAR_NETWORK must be one of host, none"],
])("does not start with %s, and says why in one sentence", async (_what, env, sentence) => {
  const { code, output } = await refusal(env);
  expect(code).toBe(1);
  expect(output).toContain(sentence);
  expect(output.trim().split("\n")).toHaveLength(1);
});

it("tells who has no token that it is there, and nothing more", async () => {
  const response = await fetch(`${sidecar.url}/v1/health`);
  expect(await response.json()).toEqual({ status: "ok", protocol: "v1" });
  const { body } = await sidecar.call("/v1/health");
  expect(Object.keys(body)).toEqual(["status", "protocol", "version", "capabilities", "network", "limits"]);
});

it.each([
  ["no token", {}],
  ["a wrong token", { authorization: "Bearer wrong" }],
  ["the token in another scheme", { authorization: "Basic a-token-for-tests-only" }],
  ["the token's beginning", { authorization: "Bearer a-token-for-tests-onl" }],
])("answers 401 to %s", async (_what, headers) => {
  const response = await fetch(`${sidecar.url}/v1/exec`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-session-key": "s", ...headers },
    body: '{"argv":["true"]}',
  });
  expect(response.status).toBe(401);
  expect(response.headers.get("www-authenticate")).toContain("Bearer");
  expect(response.headers.get("content-type")).toBe("application/problem+json");
  expect(await response.json()).toMatchObject({ code: "unauthorized", status: 401, title: "Unauthorized" });
});

it("answers no web page when it has no token", async () => {
  const open = await startSidecar({ env: { SIDECAR_TOKEN: "" } });
  try {
    expect((await open.exec({ argv: ["true"] })).exit_code).toBe(0);
    const page = await open.call("/v1/exec", { json: { argv: ["true"] }, headers: { origin: "https://page.example" } });
    expect(page).toMatchObject({ status: 403, body: { code: "origin_refused", field: "origin" } });
    const { port } = new URL(open.url);
    const rebound = await raw(
      port,
      `GET /v1/session HTTP/1.1\r\nhost: page.example:${port}\r\nx-session-key: s\r\nconnection: close\r\n\r\n`,
    );
    expect(rebound).toMatch(/^HTTP\/1.1 403 /);
    const form = await open.call("/v1/exec", {
      method: "POST",
      body: '{"argv":["true"]}',
      headers: { "content-type": "text/plain" },
    });
    expect(form).toMatchObject({ status: 415, body: { code: "media_type_wrong" } });
  } finally {
    await open.close();
  }
});

it("takes the session from the path as well as from the header", async () => {
  await sidecar.exec({ shell: "echo x > mark" }, { session: "main:slack:dm:U%201" });
  const key = encodeURIComponent("main:slack:dm:U%201");
  expect((await sidecar.call(`/v1/sessions/${key}/files/stat?path=mark`)).status).toBe(200);
  expect((await sidecar.call(`/v1/sessions/${key}`)).body).toMatchObject({ key: "main:slack:dm:U%201" });
  expect((await sidecar.call(`/v1/sessions/${key}`, { method: "DELETE" })).status).toBe(204);
});

it.each([
  ["a session that is missing", "", 400, "session_missing"],
  ["a session of other letters", "a b", 400, "field_invalid"],
  ["a session that is too long", "x".repeat(600), 400, "field_invalid"],
])("refuses %s", async (_what, session, status, code) => {
  expect(await sidecar.call("/v1/session", { session })).toMatchObject({
    status,
    body: { code, field: "x-session-key" },
  });
});

describe("a body", () => {
  const bodies: readonly (readonly [unknown, string])[] = [
    [{}, "argv"],
    [{ argv: [] }, "argv"],
    [{ argv: [""] }, "argv"],
    [{ argv: "ls" }, "argv"],
    [{ argv: ["ls", 1] }, "argv[1]"],
    [{ argv: ["a\0b"] }, "argv[0]"],
    [{ argv: ["\ud800"] }, "argv[0]"],
    [{ argv: Array.from({ length: 5000 }, () => "x") }, "argv"],
    [{ argv: ["ls"], shell: "ls" }, "shell"],
    [{ shell: "" }, "shell"],
    [{ shell: 7 }, "shell"],
    [{ argv: ["ls"], timeout_ms: 0 }, "timeout_ms"],
    [{ argv: ["ls"], timeout_ms: 1.5 }, "timeout_ms"],
    [{ argv: ["ls"], timeout_ms: "100" }, "timeout_ms"],
    [{ argv: ["ls"], timeout_ms: 1e12 }, "timeout_ms"],
    [{ argv: ["ls"], max_output: -1 }, "max_output"],
    [{ argv: ["ls"], env: [] }, "env"],
    [{ argv: ["ls"], env: { "A=B": "x" } }, "env.A=B"],
    [{ argv: ["ls"], env: { A: 1 } }, "env.A"],
    [{ argv: ["ls"], env: { A: "x\0y" } }, "env.A"],
    [{ argv: ["ls"], cwd: "\0" }, "cwd"],
    [{ argv: ["ls"], network: "all" }, "network"],
    [{ argv: ["ls"], stdin: "%%", stdin_encoding: "base64" }, "stdin"],
    [{ argv: ["ls"], stdin: {} }, "stdin"],
    [{ argv: ["ls"], script: "x" }, "script"],
    [{ argv: ["ls"], script: { path: "x" } }, "script.sha256"],
    [{ argv: ["ls"], script: { path: "x", sha256: "zz" } }, "script.sha256"],
    [{ argv: ["ls"], timeout: 5 }, "timeout"],
    [JSON.parse('{"argv":["ls"],"__proto__":{"a":1}}'), "__proto__"],
  ];

  it.each(bodies)("%j is refused with the name of the field %s", async (json, field) => {
    expect(await sidecar.call("/v1/exec", { json })).toMatchObject({
      status: 400,
      body: {
        type: "urn:talaria:sidecar:field_invalid",
        title: "Bad Request",
        status: 400,
        code: "field_invalid",
        field,
      },
    });
  });

  it.each([
    ["no JSON", "{", 400, "body_invalid"],
    ["no object", "[]", 400, "body_invalid"],
    ["nothing", "null", 400, "body_invalid"],
    ["too large", `{"shell":"${"x".repeat(9 * 1024 ** 2)}"}`, 413, "body_too_large"],
  ])("that is %s is refused", async (_what, body, status, code) => {
    const headers = { "content-type": "application/json" };
    expect(await sidecar.call("/v1/exec", { method: "POST", body, headers })).toMatchObject({ status, body: { code } });
  });

  it("that comes in pieces without a length is refused when it is too large", async () => {
    let sent = 0;
    const body = new ReadableStream({
      pull(controller) {
        sent += 1;
        if (sent > 200) controller.close();
        else controller.enqueue(Buffer.alloc(65_536, 0x20));
      },
    });
    const headers = { "content-type": "application/json" };
    const asked = await sidecar.call("/v1/exec", { method: "POST", body, headers });
    expect(asked.status).toBe(413);
    expect((await sidecar.exec({ argv: ["true"] })).exit_code).toBe(0);
  });
});

it.each([
  ["/", "GET", 404, "route_not_found"],
  ["/v1", "GET", 404, "route_not_found"],
  ["/v1/exec/", "POST", 404, "route_not_found"],
  ["/v2/exec", "POST", 404, "route_not_found"],
  ["/v1/exec", "GET", 405, "method_not_allowed"],
  ["/v1/exec?x=1", "POST", 400, "field_invalid"],
  ["/v1/processes/%E0%A4%A", "GET", 400, "field_invalid"],
  ["/v1/processes/none", "GET", 404, "process_not_found"],
  ["/v1/terminals/none", "GET", 404, "terminal_not_found"],
  ["/v1/events?after=yesterday", "GET", 400, "field_invalid"],
  ["/v1/files/stat?path=a&path=b", "GET", 400, "field_invalid"],
])("answers %s by %s with %i %s", async (path, method, status, code) => {
  const answer = await sidecar.call(path, { method, ...(method === "POST" && { json: { argv: ["true"] } }) });
  expect(answer).toMatchObject({ status, body: { code } });
});

it("bears what no client sends", async () => {
  const { port } = new URL(sidecar.url);
  const auth = `authorization: Bearer ${sidecar.token}\r\nhost: x\r\n`;
  const answers = await Promise.all(
    [
      "nonsense\r\n\r\n",
      `GET /v1/session HTTP/1.1\r\n${auth}x-session-key: s\r\nx-long: ${"a".repeat(40_000)}\r\n\r\n`,
      `POST /v1/exec HTTP/1.1\r\n${auth}x-session-key: s\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
      `POST /v1/exec HTTP/1.1\r\n${auth}x-session-key: s\r\ncontent-length: -5\r\n\r\n`,
      `GET http://elsewhere/v1/session HTTP/1.1\r\n${auth}connection: close\r\n\r\n`,
      `GET //elsewhere/v1/session HTTP/1.1\r\n${auth}connection: close\r\n\r\n`,
      `GET /v1/sessions/%00/files/stat?path=x HTTP/1.1\r\n${auth}connection: close\r\n\r\n`,
      `GET /v1/events HTTP/1.1\r\n${auth}x-session-key: a\r\nx-session-key: b\r\nconnection: close\r\n\r\n`,
      `GET /v1/terminals/x/socket HTTP/1.1\r\n${auth}connection: upgrade\r\nupgrade: websocket\r\n\r\n`,
    ].map(async (text) => raw(port, text)),
  );
  for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
  expect((await sidecar.exec({ argv: ["true"] })).exit_code).toBe(0);
});

async function raw(port: string, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), "127.0.0.1", () => socket.write(text));
    let answer = "";
    socket.on("data", (chunk) => (answer += String(chunk)));
    socket.on("close", () => resolve(answer));
    socket.on("error", reject);
  });
}
