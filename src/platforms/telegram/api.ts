import { GatewayError } from "#src/domain/errors";
import type { PlatformAccount, PlatformIo } from "#src/domain/platform";
import { callPlatform } from "../call-platform";
import { apiUrl } from "./api-url";
import { parseLosslessJson } from "./lossless-json";
import { field, idField, numberField, textField } from "./read-field";

/** Arguments of a Bot API method. */
export type Parameters = Readonly<Record<string, unknown>>;

/** A file that goes along with a call, under the name of its parameter. */
export interface Upload {
  readonly parameter: string;
  readonly blob: Blob;
  readonly name: string;
}

/** The Bot API of one bot. */
export interface TelegramApi {
  /**
   * Calls a method and resolves with its result. A group that became a supergroup is followed to its new id; a topic
   * that is gone is answered in its group.
   *
   * @throws GatewayError as {@link callPlatform} does, and {@link TelegramRefusal}
   */
  call(method: string, parameters: Parameters, signal: AbortSignal, upload?: Upload): Promise<unknown>;
}

/** Telegram answered no. Source: https://core.telegram.org/bots/api#making-requests */
export class TelegramRefusal extends GatewayError {
  readonly description: string;
  /** The supergroup that a group has become. */
  readonly migratedTo: string | undefined;

  constructor(description: string, status: number, migratedTo: string | undefined) {
    const moved = migratedTo === undefined ? "" : ` The chat is now ${migratedTo}.`;
    super("refused", `Telegram answered ${status}: ${description}.${moved}`, { status });
    this.description = description;
    this.migratedTo = migratedTo;
  }
}

/** Milliseconds for a call that carries a file. */
const UPLOAD_TIMEOUT_MS = 120_000;
/** Characters of Telegram's own words in a message of ours. */
const MAX_DESCRIPTION = 200;
const LABEL = "Telegram";

export function createApi(account: PlatformAccount, io: PlatformIo): TelegramApi {
  async function callOnce(
    method: string,
    parameters: Parameters,
    signal: AbortSignal,
    upload?: Upload,
  ): Promise<unknown> {
    const init = upload === undefined ? jsonRequest(parameters) : formRequest(parameters, upload);
    const timeout = upload === undefined ? {} : { timeoutMs: UPLOAD_TIMEOUT_MS };
    const response = await callPlatform(io, { url: apiUrl(account, method), init, signal, label: LABEL, ...timeout });
    const answer = await readAnswer(response, signal);
    if (field(answer, "ok") === true) return field(answer, "result");
    throw failureOf(answer, response.status, account.settings["bot_token"] ?? "");
  }
  return {
    async call(method, parameters, signal, upload) {
      try {
        return await callOnce(method, parameters, signal, upload);
      } catch (error) {
        const corrected = error instanceof TelegramRefusal ? correct(parameters, error) : undefined;
        if (corrected === undefined) throw error;
        return callOnce(method, corrected, signal, upload);
      }
    },
  };
}

/** Arguments that may be accepted where these were refused; undefined when nothing can be put right. */
function correct(parameters: Parameters, { migratedTo, description }: TelegramRefusal): Parameters | undefined {
  if (migratedTo !== undefined && migratedTo !== String(parameters["chat_id"]))
    return { ...parameters, chat_id: migratedTo };
  if (parameters["message_thread_id"] === undefined || !/message thread not found|TOPIC_DELETED/i.test(description)) {
    return undefined;
  }
  return { ...parameters, message_thread_id: undefined };
}

function jsonRequest(parameters: Parameters): RequestInit {
  return {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(parameters, wellFormed),
  };
}

function formRequest(parameters: Parameters, { parameter, blob, name }: Upload): RequestInit {
  const form = new FormData();
  for (const [key, value] of Object.entries(parameters)) {
    if (value !== undefined)
      form.append(key, typeof value === "string" ? value.toWellFormed() : JSON.stringify(value, wellFormed));
  }
  form.append(parameter, blob, name);
  return { method: "POST", body: form };
}

/** Telegram refuses text that is not UTF-8, so half an emoji becomes a replacement character. */
function wellFormed(_key: string, value: unknown): unknown {
  return typeof value === "string" ? value.toWellFormed() : value;
}

async function readAnswer(response: Response, signal: AbortSignal): Promise<unknown> {
  try {
    return parseLosslessJson(await response.text());
  } catch {
    if (signal.aborted) throw new GatewayError("aborted", `The call to ${LABEL} was ended.`);
    if (response.ok) throw new GatewayError("unconfirmed", `${LABEL}'s answer could not be read.`);
    return undefined;
  }
}

function failureOf(answer: unknown, httpStatus: number, token: string): GatewayError {
  const status = numberField(answer, "error_code") ?? httpStatus;
  const parameters = field(answer, "parameters");
  const waitSeconds = numberField(parameters, "retry_after");
  if (status === 429) {
    const wait = waitSeconds === undefined ? {} : { retryAfterMs: waitSeconds * 1000 };
    return new GatewayError("rate_limited", `${LABEL} asks to slow down (429).`, { status, ...wait });
  }
  if (status >= 500) return new GatewayError("unavailable", `${LABEL} answered ${status}.`, { status });
  const words = textField(answer, "description") ?? "no reason given";
  const description = (token === "" ? words : words.replaceAll(token, "…")).slice(0, MAX_DESCRIPTION);
  return new TelegramRefusal(description, status, idField(parameters, "migrate_to_chat_id"));
}
