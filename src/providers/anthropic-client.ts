import type { BaseAnthropic } from "@anthropic-ai/sdk/client";
import { loadAnthropic } from "#src/late/load-anthropic";
import { hostOf } from "./endpoint";
import { SDK_TIMEOUT_MS } from "./open-call";
import type { ClientTarget } from "./openai-client";

/** The Anthropic SDK's client for one call. */
export async function createAnthropic({ baseUrl, apiKey, fetch }: ClientTarget): Promise<BaseAnthropic> {
  const { BaseAnthropic } = await loadAnthropic();
  return new BaseAnthropic({
    baseURL: baseUrl,
    // without any credential the SDK goes looking for one in files and in the environment
    apiKey: apiKey === "" ? "none" : apiKey,
    defaultHeaders: headersFor(baseUrl, apiKey),
    maxRetries: 0,
    timeout: SDK_TIMEOUT_MS,
    logLevel: "off",
    fetch,
  });
}

/**
 * The SDK sends its key as a bearer token, and the version of the API that it was made for. Of those who speak like
 * Anthropic, some read the older header alone, and all know the version that they copied.
 */
function headersFor(baseUrl: string, apiKey: string): Record<string, string | null> {
  const key = apiKey === "" ? { authorization: null } : { "x-api-key": apiKey };
  return hostOf(baseUrl) === "api.anthropic.com" && apiKey !== "" ? {} : { ...key, "anthropic-version": "2023-06-01" };
}
