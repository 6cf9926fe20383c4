import { expect, it } from "vitest";
import { REDUCED_BODY_BYTES } from "#src/hooks/http/fit-body";
import { httpTransport } from "#src/hooks/http/http-transport";
import { signMessage } from "#src/hooks/http/sign";
import { newKeyPair } from "#src/hooks/http/signing-key";
import { type CallOptions, callHook, quietPorts } from "../../../support/http-hook-call";

/** A `fetch` that gives these answers one after the other and keeps what it was asked. */
function receiver(...answers: readonly (Response | Error)[]) {
  const left = [...answers];
  const requests: { url: string; init: RequestInit; headers: Headers; body: string }[] = [];
  const fetch = async (url: RequestInfo | URL, init: RequestInit = {}): Promise<Response> => {
    const request = new Request(url, init);
    requests.push({ url: request.url, init, headers: request.headers, body: await request.text() });
    const answer = left.shift() ?? new Response("{}");
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { fetch, requests };
}

async function answered(response: Response | Error, options: CallOptions = {}) {
  const { fetch } = receiver(response);
  return callHook({ ...options, ports: { ...options.ports, fetch } });
}

function json(body: string, init: ResponseInit = {}): Response {
  return new Response(body, { headers: { "content-type": "application/json; charset=utf-8" }, ...init });
}

it("sends the bytes that it signs, once, without following redirects", async () => {
  const { fetch, requests } = receiver();
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  await callHook({ ports: { fetch, secretsOf: () => [secret] } });
  expect(requests).toHaveLength(1);
  const [request] = requests;
  expect(request?.url).toBe("https://hooks.example.com/h");
  expect(request?.body).toBe('{"type":"tool.pre","data":{}}');
  expect(request?.init).toMatchObject({ method: "POST", redirect: "manual" });
  const expected = await signMessage(
    { id: "evt_1", timestampSeconds: 1_800_000_000, body: request?.body ?? "" },
    { secrets: [secret], schemes: [] },
  );
  expect(Object.fromEntries(request?.headers ?? [])).toMatchObject({
    ...expected,
    "x-agent-hook-attempt": "1",
    "x-agent-hook-deadline": "1800000010000",
    traceparent: `00-${"07".repeat(16)}-${"07".repeat(8)}-01`,
  });
});

it("puts configured headers in, which never replace its own", async () => {
  const { fetch, requests } = receiver();
  const headers = { authorization: "Bearer ${secret:TOKEN}", "User-Agent": "mine" };
  await callHook({
    target: { headers, allowedSecrets: ["TOKEN"] },
    ports: { fetch, readSecret: (name) => (name === "TOKEN" ? "t-123" : undefined) },
  });
  expect(requests[0]?.headers.get("authorization")).toBe("Bearer t-123");
  expect(requests[0]?.headers.get("user-agent")).toBe("talaria-hooks/1.2.3");
});

it("reads an object, an empty body and 204 as an answer", async () => {
  const said = '{"decision":"deny"}';
  expect(await answered(json(said))).toMatchObject({
    exit: 0,
    stdout: said,
    contentType: "application/json",
    status: 200,
    via: "http",
  });
  expect(await answered(json(" \n"))).toMatchObject({ exit: 0 });
  expect(await answered(new Response(null, { status: 204 }))).toMatchObject({ exit: 0, stdout: "" });
});

it.each(["<html>", "[1]", '"text"', "{broken", "null"])("takes %j for no answer", async (body) => {
  expect(await answered(json(body))).toMatchObject({
    exit: 1,
    stdout: "",
    code: "hook.invalid_json",
    why: "unparseable stdout (expected a JSON object)",
  });
});

it("takes plain text only from those who may answer so", async () => {
  const text = (): Response => new Response("branch: main", { headers: { "content-type": "text/plain" } });
  expect(await answered(text())).toMatchObject({ exit: 1, code: "hook.invalid_json" });
  expect(await answered(text(), { hook: { dialect: "claude" } })).toMatchObject({ exit: 1 });
  const accepted = { exit: 0, stdout: "branch: main", contentType: "text/plain" };
  expect(await answered(text(), { hook: { dialect: "clawdcode" } })).toMatchObject(accepted);
  expect(await answered(text(), { target: { acceptText: true } })).toMatchObject(accepted);
  expect(await answered(json("branch: main"), { hook: { dialect: "clawdcode" } })).toMatchObject({ exit: 1 });
});

const EXEC = { headers: { "content-type": "application/vnd.agent-hook.exec+json" } };

it.each([
  [
    { exit_code: 0, stdout: "{}", stderr: "" },
    { exit: 0, stdout: "{}", via: "exec" },
  ],
  [
    { exit_code: 2, stderr: "no" },
    { exit: 2, stderr: "no" },
  ],
  [
    { exit_code: null, timed_out: true },
    { exit: 124, code: "hook.timeout", why: "timed out after 10s" },
  ],
  [{ exit_code: 124 }, { exit: 124, code: "hook.timeout" }],
  [
    { exit_code: null, error: "command not found" },
    { exit: 1, code: "hook.exception", why: "command not found" },
  ],
  [{ stdout: "x" }, { exit: 1, code: "hook.invalid_json" }],
  [{ exit_code: "0" }, { exit: 1, code: "hook.invalid_json" }],
])("reads what a command did from the envelope %j", async (envelope, expected) => {
  expect(await answered(new Response(JSON.stringify(envelope), EXEC))).toMatchObject(expected);
});

it.each([
  [302, { exit: 1, code: "hook.redirect" }],
  [304, { exit: 1, code: "hook.redirect" }],
  [403, { exit: 1, code: "hook.http_status", why: "HTTP 403" }],
  [413, { exit: 1, code: "hook.http_status", status: 413 }],
  [500, { exit: 1, code: "hook.http_status" }],
  [410, { exit: 1, code: "hook.gone", gone: true }],
  [408, { exit: 124, code: "hook.timeout", why: "HTTP 408" }],
  [504, { exit: 124, code: "hook.timeout" }],
  [522, { exit: 124, code: "hook.timeout" }],
  [524, { exit: 124, code: "hook.timeout" }],
])("reads the status %i", async (status, expected) => {
  const body = status === 304 ? null : '{"decision":"deny"}';
  expect(await answered(new Response(body, { status }))).toMatchObject({ ...expected, stdout: "", stderr: "" });
});

it("says how long a busy receiver wants to be left alone", async () => {
  const busy = (status: number): Response => new Response("", { status, headers: { "retry-after": "120" } });
  expect(await answered(busy(429))).toMatchObject({ retryAfterMs: 120_000 });
  expect(await answered(busy(503))).toMatchObject({ retryAfterMs: 120_000 });
  expect(await answered(busy(500))).not.toHaveProperty("retryAfterMs");
});

it.each([
  ['{"reason":"policy"}', "policy"],
  ['{"message":"not today"}', "not today"],
  ['{"reason":" "}', '{"reason":" "}'],
  ["go away", "go away"],
  ["x".repeat(500), "x".repeat(400)],
  ["", "Blocked by hook."],
])("blocks by status when the hook is set so, for the reason in %j", async (body, stderr) => {
  const result = await answered(new Response(body, { status: 403 }), { target: { blockStatuses: [403] } });
  expect(result).toMatchObject({ exit: 2, stdout: "", stderr, status: 403 });
});

it("lets go of a body that it does not read", async () => {
  let isCancelled = false;
  const body = new ReadableStream({
    cancel() {
      isCancelled = true;
    },
  });
  await answered(new Response(body, { status: 500 }));
  expect(isCancelled).toBe(true);
});

it("stops reading at 64 KiB", async () => {
  let sent = 0;
  let isCancelled = false;
  const body = new ReadableStream({
    pull(controller) {
      sent += 1;
      controller.enqueue(new Uint8Array(16 * 1024).fill(0x20));
    },
    cancel() {
      isCancelled = true;
    },
  });
  expect(await answered(new Response(body))).toMatchObject({ exit: 1, code: "hook.response_too_large" });
  expect(sent).toBeLessThan(8);
  expect(isCancelled).toBe(true);
  expect(await answered(json(`{"a":"${"x".repeat(65_528)}"}`))).toMatchObject({ exit: 0 });
  expect(await answered(json(`{"a":"${"x".repeat(65_529)}"}`))).toMatchObject({ exit: 1 });
});

it("takes bytes that are no text for no answer", async () => {
  expect(await answered(new Response(Uint8Array.of(0x7b, 0xff, 0x7d)))).toMatchObject({ code: "hook.invalid_json" });
});

it("refuses an address that is not public, and sends nothing", async () => {
  const { fetch, requests } = receiver();
  const refused = await callHook({ target: { url: "https://127.0.0.1/h" }, ports: { fetch } });
  expect(refused).toMatchObject({ exit: 1, code: "hook.ssrf_blocked", requests: 0 });
  expect(refused.guard).toEqual({ class: "loopback", stage: "parse" });
  const resolvePublic = async () => ({ class: "dns-private", answer: "10.1.2.3", answerClass: "private" }) as const;
  const rebound = await callHook({ ports: { fetch, resolvePublic } });
  expect(rebound).toMatchObject({ exit: 1, guard: { class: "dns-private", stage: "call" } });
  expect(requests).toEqual([]);
});

it("gives up when time is up, also on those who do not know of aborts", async () => {
  let ring = (): void => undefined;
  const after = (_ms: number, callback: () => void) => {
    ring = callback;
    return () => undefined;
  };
  const { promise, resolve } = Promise.withResolvers<Response>();
  const called = callHook({
    call: { timeoutMs: 2500 },
    ports: {
      after,
      fetch: () => {
        queueMicrotask(() => ring());
        return promise;
      },
    },
  });
  expect(await called).toMatchObject({ exit: 124, code: "hook.timeout", why: "timed out after 2.5s" });
  let isCancelled = false;
  resolve(new Response(new ReadableStream({ cancel: () => void (isCancelled = true) })));
  await promise.then(() => undefined);
  expect(isCancelled).toBe(true);
});

it("tells a broken connection in its own words, without addresses", async () => {
  const cause = new Error("connect ECONNREFUSED to https://hooks.example.com/h?token=t-123\nsecond line");
  expect(await answered(new TypeError("fetch failed", { cause }))).toMatchObject({
    exit: 1,
    code: "hook.network",
    why: "connect ECONNREFUSED to [address] second line",
  });
});

it("asks once more when it was not reached and half of the time is left, if the hook wants that", async () => {
  const target = { retry: 1 } as const;
  for (const first of [
    new TypeError("refused"),
    new Response("", { status: 502 }),
    new Response("", { status: 503 }),
  ]) {
    const { fetch, requests } = receiver(first, json('{"decision":"deny"}'));
    expect(await callHook({ target, ports: { fetch } })).toMatchObject({ exit: 0, requests: 2 });
    expect(requests.map(({ headers }) => headers.get("webhook-id"))).toEqual(["evt_1", "evt_1"]);
    expect(requests.map(({ headers }) => headers.get("x-agent-hook-attempt"))).toEqual(["1", "2"]);
  }
});

it("does not ask again otherwise", async () => {
  const refused = (): TypeError => new TypeError("refused");
  expect(await answered(refused())).toMatchObject({ requests: 1 });
  expect(await answered(new Response("", { status: 500 }), { target: { retry: 1 } })).toMatchObject({ requests: 1 });
  expect(await answered(refused(), { target: { retry: 1 }, call: { mode: "observe" } })).toMatchObject({ requests: 1 });
  let now = 0;
  const { fetch } = receiver(refused());
  const late = await callHook({
    target: { retry: 1 },
    ports: {
      fetch: (...request) => {
        now += 5000;
        return fetch(...request);
      },
      now: () => now,
    },
  });
  expect(late).toMatchObject({ code: "hook.network", requests: 1 });
});

it("judges the address again before it asks again", async () => {
  const verdicts = [{ class: "public", addresses: ["8.8.8.8"] } as const, { class: "dns-error" } as const];
  const { fetch, requests } = receiver(new TypeError("refused"));
  const result = await callHook({
    target: { retry: 1 },
    ports: { fetch, resolvePublic: async () => verdicts.shift() ?? { class: "dns-error" } },
  });
  expect(requests).toHaveLength(1);
  expect(result).toMatchObject({ code: "hook.network", guard: { class: "dns-error" } });
});

it("cuts an event that is too large, but never what a gate decides about", async () => {
  const { fetch, requests } = receiver();
  const large = (input: string, history: string) => ({ payload: { type: "tool.pre", data: { input, history } } });
  const cut = await callHook({ call: large("ls", "x".repeat(300_000)), ports: { fetch } });
  expect(cut).toMatchObject({ exit: 0 });
  expect(requests[0]?.body.length).toBeLessThanOrEqual(256 * 1024);
  expect(JSON.parse(requests[0]?.body ?? "")).toMatchObject({ data: { truncated: ["/data/history"] } });
  const whole = await callHook({ call: large("x".repeat(300_000), ""), ports: { fetch } });
  expect(whole).toMatchObject({ exit: 1, code: "hook.exception", requests: 0 });
});

it("sends less to a receiver that called a body too large, except of what must stay whole", async () => {
  const { fetch, requests } = receiver();
  const ports = { fetch, maxBytesOf: () => REDUCED_BODY_BYTES };
  const large = (input: string, history: string) => ({ payload: { type: "tool.pre", data: { input, history } } });
  await callHook({ call: large("ls", "x".repeat(50_000)), ports });
  await callHook({ call: large("x".repeat(50_000), ""), ports });
  expect(requests.map(({ body }) => body.length > REDUCED_BODY_BYTES)).toEqual([false, true]);
});

it("does not read what an observer answers", async () => {
  const answer = json("<html>");
  expect(await answered(answer, { call: { mode: "observe" } })).toMatchObject({ exit: 0, stdout: "" });
  const options: CallOptions = { call: { mode: "observe" }, target: { blockStatuses: [403] } };
  expect(await answered(new Response("no", { status: 403 }), options)).toMatchObject({ exit: 1 });
});

it("believes only signed answers of a hook that must sign them", async () => {
  const { privateKey, publicKey } = await newKeyPair();
  const target = { responseKey: publicKey, blockStatuses: [403] };
  const body = '{"decision":"allow"}';
  const message = { id: "evt_1", timestampSeconds: 1_800_000_000, body };
  const headers = (await signMessage(message, { secrets: [privateKey], schemes: [] })) ?? {};
  expect(await answered(new Response(body, { headers }), { target })).toMatchObject({ exit: 0, stdout: body });
  const forged = { exit: 1, stdout: "", code: "hook.tampered" };
  expect(await answered(json(body), { target })).toMatchObject(forged);
  expect(await answered(new Response(null, { status: 204 }), { target })).toMatchObject(forged);
  expect(await answered(new Response(body, { status: 403 }), { target })).toMatchObject(forged);
});

it("sends nothing when its secret is malformed", async () => {
  const { fetch, requests } = receiver();
  const result = await callHook({ ports: { fetch, secretsOf: () => ["whsec_!"] } });
  expect(result).toMatchObject({ exit: 1, why: "its signing secret is malformed" });
  expect(requests).toEqual([]);
});

it("keeps secrets and the other side's words out of what it tells of a failure", async () => {
  const { fetch } = receiver(new Response("leak-in-body", { status: 500, statusText: "leak-in-text" }));
  const result = await callHook({
    target: { url: "https://hooks.example.com/h?key=leak-in-url", headers: { "x-api-key": "leak-in-header" } },
    ports: { fetch, secretsOf: () => ["leak-in-secret"] },
  });
  const { guard: _address, ...told } = result;
  expect(JSON.stringify(told)).not.toContain("leak");
});

it("never throws, whatever its ports do", async () => {
  const broken = (): never => {
    throw new Error("leak");
  };
  const failure = { exit: 1, code: "hook.exception", why: "the call could not be made" };
  expect(await callHook({ call: { body: broken } })).toMatchObject(failure);
  expect(await callHook({ ports: { secretsOf: broken } })).toMatchObject(failure);
  expect(await callHook({ ports: { resolvePublic: broken } })).toMatchObject(failure);
  expect(await callHook({ ports: { fetch: broken } })).toMatchObject({ exit: 1, code: "hook.network" });
});

it("is the transport of HTTP targets", () => {
  expect(httpTransport(quietPorts()).type).toBe("http");
});
