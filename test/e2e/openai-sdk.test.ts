// The OpenAI-compatible door, used by the clients that people use.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import OpenAI, { AuthenticationError, BadRequestError, NotFoundError } from "openai";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type System, startSystem } from "../support/start-system.ts";

let system: System;
let client: OpenAI;
beforeAll(async () => {
  system = await startSystem();
  client = clientWith(system.token);
});
afterAll(() => system.stop());

/** A client that does not try again: what goes wrong is seen. */
function clientWith(apiKey: string): OpenAI {
  return new OpenAI({ apiKey, baseURL: `${system.url}/v1`, maxRetries: 0, timeout: 20_000 });
}

function ask(content: string): OpenAI.ChatCompletionCreateParamsNonStreaming {
  return { model: "talaria", messages: [{ role: "user", content }] };
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** The demo model costs nothing, and says so. */
const USAGE = {
  prompt_tokens: expect.any(Number),
  completion_tokens: expect.any(Number),
  total_tokens: expect.any(Number),
};

it("lists models and knows one by name", async () => {
  const ids = (await collect(client.models.list())).map((model) => model.id);
  expect(ids).toContain("talaria");
  expect((await client.models.retrieve("talaria")).id).toBe("talaria");
});

it("answers a chat completion", async () => {
  const completion = await client.chat.completions.create(ask("hello from the client"));
  expect(completion.choices[0]?.message.content).toContain("hello from the client");
  expect(completion.choices[0]?.finish_reason).toBe("stop");
  expect(completion.usage).toEqual(USAGE);
});

it("streams a chat completion, with its usage last", async () => {
  const stream = await client.chat.completions.create({
    ...ask("stream this, please"),
    stream: true,
    stream_options: { include_usage: true },
  });
  const chunks = await collect(stream);
  const text = chunks.map((chunk) => chunk.choices[0]?.delta.content ?? "").join("");
  expect(text).toContain("stream this, please");
  expect(chunks.flatMap((chunk) => chunk.choices[0]?.finish_reason ?? [])).toEqual(["stop"]);
  expect(chunks.at(-1)?.usage).toEqual(USAGE);
});

it("puts a stream together as the client's own helper does", async () => {
  const { model, messages } = ask("put together");
  const runner = client.chat.completions.stream({ model, messages });
  expect(await runner.finalContent()).toContain("put together");
});

it("keeps a conversation by its session header", async () => {
  const headers = { "X-Session-Id": "sdk-session" };
  const first = await client.chat.completions.create(ask("first words"), { headers }).withResponse();
  expect(first.response.headers.get("x-session-id")).toBe("sdk-session");
  await client.chat.completions.create(ask("second words"), { headers });
  const response = await fetch(`${system.url}/api/sessions/main%3Aapi%3Adm%3Asdk-session/messages`, {
    headers: { authorization: `Bearer ${system.token}` },
  });
  const { messages } = (await response.json()) as { messages: { role: string; content: string }[] };
  expect(messages.filter(({ role }) => role === "user").map(({ content }) => content)).toEqual([
    "first words",
    "second words",
  ]);
});

it("refuses a wrong key as the client expects", async () => {
  await expect(clientWith("wrong").models.list()).rejects.toThrow(AuthenticationError);
  await expect(clientWith("wrong").chat.completions.create(ask("hi"))).rejects.toMatchObject({
    status: 401,
    code: "invalid_api_key",
  });
});

it("refuses a request without messages as the client expects", async () => {
  // a program in a language without types can send this
  const wrong = { model: "talaria" } as OpenAI.ChatCompletionCreateParamsNonStreaming;
  await expect(client.chat.completions.create(wrong)).rejects.toThrow(BadRequestError);
  await expect(client.chat.completions.create(wrong)).rejects.toThrow(/messages: expected a list/);
  await expect(client.chat.completions.create({ ...wrong, stream: true })).rejects.toThrow(BadRequestError);
});

it("answers what is not there as the client expects", async () => {
  await expect(client.responses.create({ model: "talaria", input: "hi" })).rejects.toThrow(NotFoundError);
});

const PYTHON = `
import os, openai
from openai import OpenAI
url, token = os.environ["TALARIA_URL"], os.environ["TALARIA_TOKEN"]
client = OpenAI(base_url=url + "/v1", api_key=token, max_retries=0, timeout=20)
print("openai", openai.__version__)
print("models", [model.id for model in client.models.list()])
messages = [{"role": "user", "content": "hello from python"}]
plain = client.chat.completions.create(model="talaria", messages=messages)
assert "hello from python" in plain.choices[0].message.content, plain
assert plain.usage.total_tokens >= 0, plain
print("plain", plain.choices[0].finish_reason, plain.usage.total_tokens)
text, usage = "", None
for chunk in client.chat.completions.create(model="talaria", messages=messages, stream=True, stream_options={"include_usage": True}):
    text += (chunk.choices[0].delta.content or "") if chunk.choices else ""
    usage = chunk.usage or usage
assert "hello from python" in text, text
assert usage.total_tokens >= 0, usage
print("stream", len(text), usage.total_tokens)
raw = client.chat.completions.with_raw_response.create(model="talaria", messages=messages, extra_headers={"X-Session-Id": "python-session"})
assert raw.headers["x-session-id"] == "python-session", raw.headers
print("session", raw.headers["x-session-id"])
try:
    OpenAI(base_url=url + "/v1", api_key="wrong", max_retries=0).models.list()
    raise SystemExit("a wrong key was taken")
except openai.AuthenticationError as error:
    print("wrong key", error.status_code, error.code)
try:
    client.chat.completions.create(model="talaria", messages=[])
    raise SystemExit("no messages were taken")
except openai.BadRequestError as error:
    print("no messages", error.status_code, error.body["message"])
print("done")
`;

// it installs a package, so it runs only when asked for: TALARIA_TEST_PYTHON=1 npx vitest run test/e2e/openai-sdk.test.ts
it.skipIf(process.env["TALARIA_TEST_PYTHON"] !== "1")("serves the Python client too", (context) => {
  const folder = mkdtempSync(join(tmpdir(), "talaria-python-"));
  try {
    const reason = installPython(folder);
    if (reason !== undefined) return context.skip(reason);
    const output = execFileSync(join(folder, "bin", "python"), ["-c", PYTHON], {
      encoding: "utf8",
      env: { ...process.env, TALARIA_URL: system.url, TALARIA_TOKEN: system.token },
    });
    console.log(output);
    expect(output.trim().endsWith("done")).toBe(true);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/** Makes an environment with the client in it; says why not when it cannot. */
function installPython(folder: string): string | undefined {
  try {
    execFileSync("python3", ["-m", "venv", folder], { stdio: "pipe" });
  } catch {
    return "there is no python3 with venv";
  }
  try {
    execFileSync(join(folder, "bin", "pip"), ["install", "--quiet", "openai"], { stdio: "pipe", timeout: 100_000 });
  } catch {
    return "pip could not install openai";
  }
  return undefined;
}
