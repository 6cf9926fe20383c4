import { GatewayError } from "#src/domain/errors";
import type { Provider, ProviderConnection } from "#src/domain/provider";
import { demo } from "./demo";
import { openaiChat } from "./openai-chat";
import { workersAi } from "./workers-ai";

/** What decides which model answers, as read from the environment and the configuration; empty counts as unset. */
export interface ProviderSettings {
  /** `OPENAI_API_KEY` */
  readonly openaiApiKey?: string | undefined;
  /** `OPENAI_BASE_URL` */
  readonly openaiBaseUrl?: string | undefined;
  /** `OPENROUTER_API_KEY` */
  readonly openrouterApiKey?: string | undefined;
  /** `OPENROUTER_BASE_URL` */
  readonly openrouterBaseUrl?: string | undefined;
  /** `MODEL`: the name that its endpoint knows; one with a slash is OpenRouter's when there is a key for that. */
  readonly model?: string | undefined;
  /** The Workers AI binding, where there is one. */
  readonly ai?: ProviderConnection["ai"] | undefined;
  /** Started by `npm start`: the demo model may stand in. */
  readonly isLocal: boolean;
}

/** A model to ask, with the provider that speaks to it and the way there. */
export interface ChosenModel {
  readonly provider: Provider;
  readonly model: string;
  readonly connection: ProviderConnection;
  /** It reads pictures, going by its name; a model that is not known to is told of them in words. */
  readonly supportsImages: boolean;
}

/** Which model answers when `MODEL` names none. */
const DEFAULT_MODELS = {
  openai: "gpt-5-mini",
  openrouter: "openrouter/auto",
  // calls tools well and is cheap. Source: https://developers.cloudflare.com/workers-ai/models/
  workersAi: "@cf/zai-org/glm-5.3-flash",
  demo: "demo",
} as const;

const OPENROUTER_BASE_URL = "https://openrouter.ai/api/v1";

/** Names of model families that read pictures. */
const SEES =
  /gpt-(?:4o|4\.1|[5-9])|(?:^|\/)o[34](?:$|-)|claude|gemini|openrouter\/auto|vision|llava|pixtral|[-_.]vl\b|vl[-_:]|-v$|gemma-?[3-9]|llama-?4|mistral-(?:small|medium)-3|grok-[4-9]|kimi-k2\.[5-9]|glm-\d(?:\.\d)?v/i;

/**
 * Chooses who answers: an OpenAI-compatible endpoint, for which a base URL alone is enough, else OpenRouter, else
 * Workers AI where it is bound, else, locally, the demo model.
 *
 * @throws GatewayError `not_configured`
 */
export function chooseProvider(settings: ProviderSettings): ChosenModel {
  const chosen = choose(settings);
  return { ...chosen, supportsImages: chosen.provider !== demo && SEES.test(chosen.model) };
}

type Choice = Omit<ChosenModel, "supportsImages">;

function choose(settings: ProviderSettings): Choice {
  const { model, openrouterApiKey } = settings;
  const hasOpenAi = isSet(settings.openaiApiKey) || isSet(settings.openaiBaseUrl);
  const isOfRouter = isSet(model) && model.includes("/") && !isSet(settings.openaiBaseUrl);
  if (isSet(openrouterApiKey) && (isOfRouter || !hasOpenAi)) return openRouter(settings, openrouterApiKey);
  if (hasOpenAi) return openAi(settings);
  // a local start may be offline: there Workers AI answers only when one of its models is asked for by name
  if (settings.ai !== undefined && (!settings.isLocal || model?.startsWith("@") === true)) {
    return { provider: workersAi, model: named(model, DEFAULT_MODELS.workersAi), connection: { ai: settings.ai } };
  }
  if (settings.isLocal) return { provider: demo, model: DEFAULT_MODELS.demo, connection: {} };
  throw new GatewayError(
    "not_configured",
    "No model is configured: set OPENAI_API_KEY, or OPENAI_BASE_URL for another endpoint, or bind Workers AI as AI.",
  );
}

function openAi({ model, openaiApiKey, openaiBaseUrl }: ProviderSettings): Choice {
  return {
    provider: openaiChat,
    model: named(model, DEFAULT_MODELS.openai),
    connection: {
      ...(isSet(openaiApiKey) ? { apiKey: openaiApiKey.trim() } : {}),
      ...(isSet(openaiBaseUrl) ? { baseUrl: checkedUrl("OPENAI_BASE_URL", openaiBaseUrl) } : {}),
    },
  };
}

function openRouter({ model, openrouterBaseUrl }: ProviderSettings, apiKey: string): Choice {
  const baseUrl = isSet(openrouterBaseUrl) ? checkedUrl("OPENROUTER_BASE_URL", openrouterBaseUrl) : OPENROUTER_BASE_URL;
  return {
    provider: openaiChat,
    model: named(model, DEFAULT_MODELS.openrouter),
    connection: { apiKey: apiKey.trim(), baseUrl },
  };
}

function named(model: string | undefined, otherwise: string): string {
  return isSet(model) ? model.trim() : otherwise;
}

function checkedUrl(name: string, value: string): string {
  const url = value.trim();
  if (URL.canParse(url) && /^https?:\/\//i.test(url)) return url;
  throw new GatewayError("not_configured", `${name} is not an http or https address.`);
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value.trim() !== "";
}
