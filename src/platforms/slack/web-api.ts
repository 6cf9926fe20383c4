import { type ErrorCode, GatewayError } from "#src/domain/errors";
import type { PlatformAccount, PlatformIo } from "#src/domain/platform";
import { retryAfterMs } from "#src/lib/retry-after";
import { callPlatform } from "../call-platform";
import { type Payload, textIn, toPayload } from "./fields";

/** One workspace's Web API. */
export interface SlackApi {
  readonly io: PlatformIo;
  readonly base: string;
  readonly token: string;
}

export interface SlackCall {
  readonly method: string;
  readonly args: Payload;
  readonly signal: AbortSignal;
  /** Methods that read take forms only. */
  readonly encoding?: "json" | "form";
}

/**
 * Error words after which trying again helps; every other word is a no for good. The two that Slack says may come
 * after "some aspect of the operation succeeded" leave it open whether the message is there.
 * Source: https://docs.slack.dev/reference/methods/chat.postMessage#errors
 */
const CODES: ReadonlyMap<string, ErrorCode> = new Map<string, ErrorCode>([
  ["ratelimited", "rate_limited"],
  ["rate_limited", "rate_limited"],
  ["service_unavailable", "unavailable"],
  ["request_timeout", "unavailable"],
  ["team_added_to_org", "unavailable"],
  ["internal_error", "unconfirmed"],
  ["fatal_error", "unconfirmed"],
]);

/** The Web API of an account. @throws GatewayError `not_configured` */
export function slackApi(account: PlatformAccount, io: PlatformIo): SlackApi {
  const token = account.settings["bot_token"];
  if (token === undefined) throw new GatewayError("not_configured", "SLACK_BOT_TOKEN is not set.");
  const base = (account.settings["api_base"] ?? "https://slack.com/api").replace(/\/+$/, "");
  return { io, base, token };
}

/**
 * Calls a method and resolves with its answer. Slack says no with status 200 and `ok: false`.
 *
 * @throws GatewayError `rate_limited` | `unavailable` | `unconfirmed` | `refused` | `aborted`
 */
export async function callSlack(api: SlackApi, call: SlackCall): Promise<Payload> {
  const response = await callPlatform(api.io, {
    url: `${api.base}/${call.method}`,
    init: { method: "POST", ...encode(api.token, call) },
    signal: call.signal,
    label: "Slack",
  });
  const answer = toPayload(await response.json().catch(() => undefined));
  if (answer?.["ok"] === true) return answer;
  if (answer?.["ok"] === false) throw refusal(answer, call.method, response, api.io.now());
  if (!response.ok) {
    throw new GatewayError("refused", `Slack answered ${response.status} to ${call.method}.`, {
      status: response.status,
    });
  }
  throw new GatewayError("unconfirmed", `Slack's answer to ${call.method} was cut off or is not its own.`);
}

function encode(token: string, call: SlackCall): { readonly headers: Record<string, string>; readonly body: string } {
  const authorization = `Bearer ${token}`;
  if (call.encoding !== "form") {
    return {
      headers: { authorization, "content-type": "application/json; charset=utf-8" },
      body: JSON.stringify(call.args),
    };
  }
  const form = new URLSearchParams(Object.entries(call.args).map(([name, value]) => [name, String(value)]));
  return { headers: { authorization, "content-type": "application/x-www-form-urlencoded" }, body: form.toString() };
}

function refusal(answer: Payload, method: string, response: Response, now: number): GatewayError {
  const word = wordIn(answer, "error") ?? "unknown_error";
  const needed = wordIn(answer, "needed");
  const wait = retryAfterMs(response.headers.get("retry-after"), now);
  const scope = needed === undefined ? "" : `; the app needs the scope ${needed}`;
  return new GatewayError(CODES.get(word) ?? "refused", `Slack refused ${method}: ${word}${scope}.`, {
    status: response.status,
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
  });
}

/** Slack's words are lower case and short: anything else does not go into our sentences. */
function wordIn(answer: Payload, name: string): string | undefined {
  const word = textIn(answer, name);
  return word !== undefined && /^[a-z0-9_:.,-]{1,100}$/i.test(word) ? word : undefined;
}
