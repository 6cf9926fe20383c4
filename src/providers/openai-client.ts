import type { OpenAI } from "openai";
import type { ProviderContext } from "#src/domain/provider";
import { loadOpenAi } from "#src/late/load-openai";
import { SDK_TIMEOUT_MS } from "./open-call";

/** Where a client goes, and with what key; an empty key sends no header. */
export interface ClientTarget {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly fetch: ProviderContext["fetch"];
}

/**
 * The `openai` SDK's client for one call. Ten microseconds of work: one is made for each call rather than kept beside a
 * `fetch` that is another's.
 */
export async function createOpenAi({ baseUrl, apiKey, fetch }: ClientTarget): Promise<OpenAI> {
  const { OpenAI } = await loadOpenAi();
  return new OpenAI({
    baseURL: baseUrl,
    // the SDK insists on a key; local servers get no header for it
    apiKey: apiKey === "" ? "none" : apiKey,
    ...(apiKey === "" ? { defaultHeaders: { authorization: null } } : {}),
    organization: null,
    project: null,
    adminAPIKey: null,
    maxRetries: 0,
    timeout: SDK_TIMEOUT_MS,
    logLevel: "off",
    fetch,
  });
}
