import { Hono } from "hono";
import { streamSSE } from "hono/streaming";
import { GatewayError } from "#src/domain/errors";
import { DEFAULT_PROFILE } from "#src/domain/session-key";
import { toHex } from "#src/lib/encoding";
import { sha256 } from "#src/lib/hmac";
import { environmentFor } from "../../durable-objects/environment";
import { requireApiKey } from "../auth";
import { readChatRequest } from "../chat-request";
import { readHookTrace } from "../hook-trace";
import { readJson } from "../read-body";
import { type Answer, followTurn } from "../follow-turn";
import { openAiBody } from "../problem";
import { sessionIn } from "../session-at";

/** Largest request in bytes, pictures included. */
const MAX_BODY_BYTES = 10 * 1024 * 1024;
/** Milliseconds between two comments that keep a quiet stream open. */
const PING_MS = 15_000;

/** The OpenAI-compatible API. Source: https://platform.openai.com/docs/api-reference/chat */
export const openai = new Hono<{ Bindings: Env }>()
  .use(requireApiKey)
  .get("/models", async (c) => c.json({ object: "list", data: (await modelNames(c.env)).map(modelObject) }))
  .get("/models/:id{.+}", async (c) => {
    const id = c.req.param("id");
    if (!(await modelNames(c.env)).includes(id)) throw new GatewayError("not_found", "There is no model of this name.");
    return c.json(modelObject(id));
  })
  .post("/chat/completions", async (c) => {
    const request = readChatRequest(await readJson(c.req.raw, MAX_BODY_BYTES));
    const sessionId = c.req.header("x-session-id") ?? c.req.header("x-hermes-session-id");
    const idempotencyKey = c.req.header("idempotency-key");
    const chatId =
      sessionId ??
      (idempotencyKey === undefined ? crypto.randomUUID() : toHex(await sha256(idempotencyKey)).slice(0, 32));
    if (!/^[\x21-\x7e]{1,255}$/.test(chatId))
      throw new GatewayError("bad_request", "X-Session-Id: expected 1 to 255 characters of ASCII without blanks.");
    const session = sessionIn(c.env, { profile: DEFAULT_PROFILE, platform: "api", chatType: "dm", chatId });
    // watched before it is sent: no word of the answer can be missed
    const events = await session.watch(undefined);
    const { apiServerKey } = (await environmentFor(c.env, DEFAULT_PROFILE)).tokens;
    // without a key of its own this API was opened by the operator's token
    const hookOrigin = readHookTrace(c.req.raw.headers, apiServerKey === undefined);
    const { turnId } = await session.askByApi(idempotencyKey ?? crypto.randomUUID(), {
      isClient: apiServerKey !== undefined,
      ...(hookOrigin === undefined ? {} : { hookOrigin }),
      text: request.text,
      attachments: request.attachments,
      brought:
        sessionId === undefined
          ? request.brought
          : { history: [], ...(request.brought.system === undefined ? {} : { system: request.brought.system }) },
    });
    const id = `chatcmpl-${crypto.randomUUID().replaceAll("-", "")}`;
    const common = { id, created: Math.floor(Date.now() / 1000), model: request.model };
    c.header("x-session-id", chatId);
    if (request.ignored.length > 0) c.header("x-talaria-warning", `ignored: ${request.ignored.join(", ")}`);
    if (!request.stream) {
      const answer = await followTurn(events, turnId, () => undefined);
      return c.json(completion(common, answer, await session.turnUsage(turnId)));
    }
    return streamSSE(c, async (stream) => {
      const ping = setInterval(() => void stream.write(": ping\n\n"), PING_MS);
      const chunk = (delta: object, finish: string | null = null): Promise<void> =>
        stream.writeSSE({
          data: JSON.stringify({
            ...common,
            object: "chat.completion.chunk",
            choices: [{ index: 0, delta, finish_reason: finish }],
          }),
        });
      try {
        await chunk({ role: "assistant", content: "" });
        await followTurn(events, turnId, (delta) => chunk({ content: delta }));
        await chunk({}, "stop");
        if (request.includeUsage) {
          const usage = usageObject(await session.turnUsage(turnId));
          await stream.writeSSE({
            data: JSON.stringify({ ...common, object: "chat.completion.chunk", choices: [], usage }),
          });
        }
        await stream.writeSSE({ data: "[DONE]" });
      } catch (error) {
        // the status is long sent: clients look for an error among the events
        if (!(error instanceof GatewayError)) console.error("a stream failed", error);
        const detail = error instanceof GatewayError ? error.message : "The server failed for a reason of its own.";
        await stream.writeSSE({ data: JSON.stringify(openAiBody("server_error", null, detail)) });
      } finally {
        clearInterval(ping);
      }
    });
  });

interface Tokens {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

async function modelNames(env: Env): Promise<readonly string[]> {
  const environment = await environmentFor(env, DEFAULT_PROFILE);
  return [...new Set(["talaria", environment.describeModel(undefined).name, ...environment.models])];
}

function modelObject(id: string): object {
  return { id, object: "model", created: 0, owned_by: "talaria" };
}

function usageObject({ inputTokens, outputTokens }: Tokens): object {
  return { prompt_tokens: inputTokens, completion_tokens: outputTokens, total_tokens: inputTokens + outputTokens };
}

function completion(common: object, answer: Answer, tokens: Tokens): object {
  const message = { role: "assistant", content: answer.text, refusal: null };
  return {
    ...common,
    object: "chat.completion",
    choices: [{ index: 0, message, logprobs: null, finish_reason: "stop" }],
    usage: usageObject(tokens),
  };
}
