import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it, onTestFinished } from "vitest";
import { environmentFor } from "../../durable-objects/environment";
import gateway from "../../workers/gateway";
import { type OpenAiProblem, type Problem, ORIGIN, request } from "../support/doors";
import { WORLD } from "../support/world-settings";

/** The Worker as it is deployed with other settings. */
async function ask(
  path: string,
  settings: Readonly<Record<string, string | undefined>>,
  init: RequestInit = {},
): Promise<Response> {
  const forget = (): void => environmentFor.forget("main", Number.POSITIVE_INFINITY);
  forget();
  onTestFinished(forget);
  return gateway.fetch(new Request(`${ORIGIN}${path}`, init), { ...env, ...settings }, createExecutionContext());
}

const KEYLESS = { ADMIN_TOKEN: undefined, API_SERVER_KEY: undefined };

function bearer(token: string): RequestInit {
  return { headers: { authorization: `Bearer ${token}` } };
}

it("tells its health to anyone, without a secret", async () => {
  const response = await request("/health");
  expect(response.status).toBe(200);
  const text = await response.text();
  expect(JSON.parse(text)).toEqual({
    status: "ok",
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    provider: expect.any(String),
    model: "scripted",
    platforms: expect.arrayContaining(["telegram", "slack", "webhook"]),
  });
  expect(text).not.toMatch(/world-/);
});

it("is healthy without any setting at all", async () => {
  const names = Object.fromEntries(Object.keys(WORLD).map((name) => [name, undefined]));
  const response = await ask("/health", names);
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ status: "ok", platforms: [] });
});

it.each([
  "/nothing",
  "/health/x",
  "/.env",
  "/webhooks",
  "/webhooks/",
  "/ws",
  "//",
  "/%00",
  "/%E0%A4%A",
  "/api%2Fsessions",
  "/../v1/x?y",
])("answers 404 with a problem to %s", async (path) => {
  for (const method of ["GET", "POST", "OPTIONS"]) {
    const response = await request(path, { method });
    expect([404, 401]).toContain(response.status);
    expect(["application/problem+json", "application/json"]).toContain(
      response.headers.get("content-type")?.split(";")[0],
    );
    await response.arrayBuffer();
  }
});

it.each(["HEAD", "OPTIONS", "PUT", "DELETE", "PATCH", "PROPFIND"])(
  "never fails for %s, wherever it goes",
  async (method) => {
    for (const path of [
      "/",
      "/health",
      "/webhooks/telegram",
      "/v1/models",
      "/v1/chat/completions",
      "/api/sessions",
      "/ws/sessions/x",
    ]) {
      const response = await request(path, { method, ...bearer(WORLD.ADMIN_TOKEN) });
      expect(response.status).toBeLessThan(500);
      await response.arrayBuffer();
    }
  },
);

it("bears headers that are huge", async () => {
  const huge = { "x-huge": "x".repeat(100_000), authorization: `Bearer ${"y".repeat(100_000)}` };
  for (const path of ["/health", "/api/sessions", "/v1/models", "/webhooks/slack"])
    expect(
      (await request(path, { method: path === "/webhooks/slack" ? "POST" : "GET", headers: huge })).status,
    ).toBeLessThan(500);
});

it("answers 503 on every operator's door without an ADMIN_TOKEN, and says how to set it", async () => {
  const response = await ask("/api/sessions", KEYLESS, bearer("undefined"));
  expect(response.status).toBe(503);
  const problem = await response.json<Problem>();
  expect(problem).toMatchObject({ status: 503, code: "not_configured" });
  expect(problem.detail).toContain("wrangler secret put ADMIN_TOKEN");
  expect((await ask("/ws/sessions/main%3Aweb%3Adm%3Ax", KEYLESS, bearer("undefined"))).status).toBe(503);
  const chat = await ask("/v1/models", KEYLESS, bearer("undefined"));
  expect(chat.status).toBe(503);
  expect((await chat.json<OpenAiProblem>()).error.message).toContain("API_SERVER_KEY");
});

it("lets API_SERVER_KEY alone open the OpenAI door once it is set", async () => {
  const settings = { API_SERVER_KEY: "door-key" };
  expect((await ask("/v1/models", settings, bearer("door-key"))).status).toBe(200);
  expect((await ask("/v1/models", settings, bearer(WORLD.ADMIN_TOKEN))).status).toBe(401);
  expect((await ask("/api/sessions", settings, bearer("door-key"))).status).toBe(401);
});

it("takes the words of a program with that key for nobody's, and the operator's own for the owner's", async () => {
  const say = async (settings: Readonly<Record<string, string>>, token: string, text: string): Promise<string> => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const body = JSON.stringify({ messages: [{ role: "user", content: text }] });
    const response = await ask("/v1/chat/completions", settings, { method: "POST", headers, body });
    return response.text();
  };
  for (const command of ["/yolo", "/yolo on", "/pairing approve ABCD2345", "/model gpt-4o --global", "/hooks off"])
    expect(await say({ API_SERVER_KEY: "door-key" }, "door-key", command), command).toMatch(/only the owner/i);
  expect(await say({ API_SERVER_KEY: "door-key" }, "door-key", "/whoami")).toContain("You are `api:client`");
  expect(await say({}, WORLD.ADMIN_TOKEN, "/whoami")).toContain("You are an owner.");
});

it("opens the OpenAI door by API_SERVER_KEY when no ADMIN_TOKEN is set", async () => {
  expect((await ask("/v1/models", { ...KEYLESS, API_SERVER_KEY: "door-key" }, bearer("door-key"))).status).toBe(200);
});

it("reads the word Bearer in any case", async () => {
  for (const scheme of ["bearer", "BEARER"])
    expect((await request("/v1/models", { headers: { authorization: `${scheme} ${WORLD.ADMIN_TOKEN}` } })).status).toBe(
      200,
    );
});

it("turns a platform off when a required secret of it is not set", async () => {
  const init = { method: "POST", body: "{}" };
  expect((await ask("/webhooks/telegram", { TELEGRAM_WEBHOOK_SECRET: undefined }, init)).status).toBe(404);
  expect((await ask("/webhooks/telegram", { TELEGRAM_WEBHOOK_SECRET: "" }, init)).status).toBe(404);
});

it("takes each account of a platform by its own secret", async () => {
  const settings = { TELEGRAM_BOT_TOKEN__SUPPORT: "79:x", TELEGRAM_WEBHOOK_SECRET__SUPPORT: "support-secret" };
  const post = (secret: string): Promise<Response> =>
    ask("/webhooks/telegram/support", settings, {
      method: "POST",
      headers: { "x-telegram-bot-api-secret-token": secret },
      body: '{"update_id":1,"poll":{}}',
    });
  expect((await post("support-secret")).status).toBe(200);
  expect((await post(WORLD.TELEGRAM_WEBHOOK_SECRET)).status).toBe(401);
});

it("has no limit of messages when it is set to none", async () => {
  const headers = { "x-telegram-bot-api-secret-token": WORLD.TELEGRAM_WEBHOOK_SECRET };
  for (let i = 1; i <= 25; i++) {
    const from = { id: 9_501, is_bot: true, first_name: "Bot" };
    const message = { message_id: i, from, chat: { id: 9_501, type: "private" }, date: 1_790_000_000, text: "hi" };
    const body = JSON.stringify({ update_id: i, message });
    expect(
      (await ask("/webhooks/telegram", { SENDER_MESSAGES_PER_MINUTE: "0" }, { method: "POST", headers, body })).status,
    ).toBe(200);
  }
});
