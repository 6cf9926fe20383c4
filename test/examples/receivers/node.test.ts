import { createServer } from "node:http";
import type { AddressInfo, Server } from "node:net";
import { afterEach, expect, it } from "vitest";
import { createReceiver } from "../../../examples/hooks/receivers/node/receive.mjs";
import { DENIED, SECRET, callReceiver } from "./signed-call.ts";
import { type Program, startProgram } from "./start-program.ts";

const FOLDER = "examples/hooks/receivers/node";

const opened: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((close) => close()));
});

async function start(name: string, env: Readonly<Record<string, string>> = {}): Promise<Program> {
  const program = await startProgram(process.execPath, [`${FOLDER}/${name}`], { HOOK_SECRET: SECRET, ...env });
  opened.push(() => program.stop());
  return program;
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done));
  opened.push(async () => void server.close());
  // listening on a port, and on no path
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

it("refuses rm -rf, and has no opinion on other commands", async () => {
  const { url } = await start("block-rm.mjs");
  const refused = await callReceiver(url, "rm -rf build");
  expect(JSON.parse(refused.stdout)).toEqual(DENIED);
  expect(await callReceiver(url, "ls -la")).toMatchObject({ exit: 0, stdout: "", status: 204 });
});

it("answers 401 to what is not signed, or signed with another secret", async () => {
  const { url } = await start("block-rm.mjs");
  const unsigned = { ports: { secretsOf: () => [] } };
  expect(await callReceiver(url, "rm -rf /", unsigned)).toMatchObject({ exit: 1, status: 401 });
  const foreign = { ports: { secretsOf: () => [`whsec_${btoa("x".repeat(32))}`] } };
  expect(await callReceiver(url, "rm -rf /", foreign)).toMatchObject({ exit: 1, status: 401 });
});

it("asks once about an event that comes twice, and again when its input has changed", async () => {
  const asked: unknown[] = [];
  const url = await listen(createReceiver({ secret: SECRET, decide: (event) => void asked.push(event) }));
  await Promise.all([callReceiver(url, "ls"), callReceiver(url, "ls")]);
  expect(asked).toHaveLength(1);
  await callReceiver(url, "ls /etc");
  expect(asked).toHaveLength(2);
});

it("says that it is late before the deadline is over", async () => {
  const url = await listen(createReceiver({ secret: SECRET, decide: () => new Promise(() => undefined) }));
  const result = await callReceiver(url, "ls", { call: { timeoutMs: 600 } });
  expect(result).toMatchObject({ exit: 124, code: "hook.timeout", status: 504 });
});

it("answers 500 when its own code fails, and tries again the next time", async () => {
  let calls = 0;
  const decide = (): undefined => {
    calls += 1;
    if (calls === 1) throw new Error("a mistake");
  };
  const url = await listen(createReceiver({ secret: SECRET, decide, log: () => undefined }));
  expect(await callReceiver(url, "ls")).toMatchObject({ exit: 1, status: 500 });
  expect(await callReceiver(url, "ls")).toMatchObject({ exit: 0, status: 204 });
});

it("has the agent work through BOOT.md when the gateway starts", async () => {
  const requests: { readonly headers: unknown; readonly body: string }[] = [];
  const api = await listen(
    createServer((request, response) => {
      let body = "";
      request.on("data", (chunk: Buffer) => (body += chunk.toString()));
      request.on("end", () => {
        requests.push({ headers: request.headers, body });
        response.end(JSON.stringify({ choices: [{ message: { content: "Two files changed." } }] }));
      });
    }),
  );
  const program = await start("boot.mjs", { TALARIA_URL: api.replace(/\/$/, ""), TALARIA_TOKEN: "key" });
  const payload = { type: "gateway.startup", data: { event_id: "evt_1", platforms: ["telegram"] } };
  const result = await callReceiver(program.url, "", { call: { payload, mode: "observe" } });
  expect(result).toMatchObject({ exit: 0, status: 204 });
  expect(await program.line()).toBe("Two files changed.");
  expect(requests).toHaveLength(1);
  expect(requests[0]).toMatchObject({
    headers: {
      authorization: "Bearer key",
      "idempotency-key": "evt_1",
      "x-agent-hook-depth": "0",
      "x-agent-hook-hook-id": "h1",
    },
    body: expect.stringContaining("The gateway has just started."),
  });
});
