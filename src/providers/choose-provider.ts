import { GatewayError } from "#src/domain/errors";
import type { Provider, ProviderConnection } from "#src/domain/provider";
import { anthropic } from "./anthropic";
import { demo } from "./demo";
import { cleanBaseUrl, hostOf } from "./endpoint";
import { type ModelOverrides, findModel } from "./find-model";
import { apiOf, findVendor, makersOf, modelAt, parseModelName } from "./find-vendor";
import type { ModelMetadata } from "./model-metadata";
import { openaiChat } from "./openai-chat";
import { responses, storedResponses } from "./responses";
import { type ApiName, VENDORS, type Vendor } from "./vendors";
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
  /** Further names of the environment: the vendors' keys and addresses. */
  readonly environment?: EnvironmentReader | undefined;
  /**
   * `MODEL`: the name that its endpoint knows, or `vendor:model`; one with a slash is OpenRouter's when there is a key
   * for that.
   */
  readonly model?: string | undefined;
  /** The vendor to ask, by name or alias; `auto` or absent leaves it to the model's name and to the keys. */
  readonly vendor?: string | undefined;
  /** How an endpoint is spoken to; `auto` or absent leaves it to the vendor. */
  readonly api?: ApiName | "auto" | undefined;
  /** The vendor may store responses, where its API can. */
  readonly storesResponses?: boolean | undefined;
  /** Short names for models, each standing for a name or `vendor:model`. */
  readonly aliases?: Readonly<Record<string, string>> | undefined;
  readonly overrides?: ModelOverrides | undefined;
  /** The Workers AI binding, where there is one. */
  readonly ai?: ProviderConnection["ai"] | undefined;
  /** Started by `npm start`: the demo model may stand in. */
  readonly isLocal: boolean;
}

/** The environment by name. */
export interface EnvironmentReader {
  readonly get: (name: string) => string | undefined;
  readonly names: readonly string[];
}

/** One of a vendor's keys, by the name under which the environment has it. */
export interface NamedKey {
  readonly name: string;
  readonly key: string;
}

/** A model to ask, with the provider that speaks to it and the way there. */
export interface ChosenModel {
  readonly provider: Provider;
  readonly model: string;
  readonly connection: ProviderConnection;
  /** It reads pictures; a model that is not known to is told of them in words. */
  readonly supportsImages: boolean;
  /** Who is asked: a vendor's name, `workers-ai` or `demo`. */
  readonly vendor: string;
  /** All keys that there are for it; the connection has the first. */
  readonly keys: readonly NamedKey[];
  readonly metadata: ModelMetadata;
  /** Waits of its own when it is overloaded, in milliseconds. */
  readonly overloadWaitsMs?: readonly number[];
}

type Choice = Pick<ChosenModel, "provider" | "model" | "connection" | "vendor" | "keys" | "overloadWaitsMs">;

const PROVIDERS: Readonly<Record<ApiName, Provider>> = { openai: openaiChat, responses, anthropic };

/** Calls tools well and is cheap. Source: https://developers.cloudflare.com/workers-ai/models/ */
const WORKERS_AI_MODEL = "@cf/zai-org/glm-5.3-flash";

/**
 * Chooses who answers: the vendor that is named, else the one whose model it is and that has a key, else an
 * OpenAI-compatible endpoint, for which a base URL alone is enough, else any vendor with a key, else Workers AI where it
 * is bound, else, locally, the demo model.
 *
 * @throws GatewayError `not_configured`
 */
export function chooseProvider(settings: ProviderSettings): ChosenModel {
  const chosen = choose(settings);
  const metadata = findModel(chosen.model, settings.overrides);
  return { ...chosen, metadata, supportsImages: chosen.provider !== demo && metadata.vision };
}

function choose(settings: ProviderSettings): Choice {
  const { isLocal, ai } = settings;
  const asked = askedModel(settings);
  const { model } = asked;
  if (asked.vendor !== undefined) return atVendor(asked.vendor, model, settings);
  if (ai !== undefined && model !== undefined && /^@(?:cf|hf)\//.test(model)) return atWorkersAi(ai, model);
  const vendor = VENDORS.find((each) => each === likelyVendor(model, settings) && isReady(each, settings));
  if (vendor !== undefined) return atVendor(vendor, model, settings);
  // a local start may be offline: there Workers AI answers only when one of its models is asked for by name
  if (ai !== undefined && !isLocal) return atWorkersAi(ai, model ?? WORKERS_AI_MODEL);
  if (isLocal) return { provider: demo, model: "demo", connection: {}, vendor: "demo", keys: [] };
  throw new GatewayError(
    "not_configured",
    "No model is configured: set OPENAI_API_KEY, or OPENAI_BASE_URL for another endpoint, or another vendor's key, or bind Workers AI as AI.",
  );
}

/** The model that is asked for, and its vendor where that is said. */
function askedModel(settings: ProviderSettings): { readonly vendor?: Vendor; readonly model: string | undefined } {
  const given = trimmed(settings.model);
  const name = given === undefined ? undefined : (settings.aliases?.[given] ?? given);
  const wanted = trimmed(settings.vendor);
  if (wanted !== undefined && wanted !== "auto") {
    const vendor = findVendor(wanted);
    if (vendor === undefined) {
      throw new GatewayError("not_configured", `There is no model vendor called ${JSON.stringify(wanted)}.`);
    }
    const parsed = name === undefined ? undefined : parseModelName(name);
    return { vendor, model: parsed?.vendor === vendor ? parsed.model : name };
  }
  if (name === undefined) return { model: undefined };
  const parsed = parseModelName(name);
  // an endpoint of one's own may have a model called `mistral:7b`
  const isOwn = read(settings, "OPENAI_BASE_URL") !== undefined && parsed.vendor?.name !== "openai";
  if (parsed.vendor === undefined || (isOwn && !isReady(parsed.vendor, settings))) return { model: name };
  return parsed;
}

/** Who is asked when nobody is named. */
function likelyVendor(model: string | undefined, settings: ProviderSettings): Vendor | undefined {
  const ready = VENDORS.filter((vendor) => isReady(vendor, settings));
  const [openai] = VENDORS;
  if (read(settings, "OPENAI_BASE_URL") !== undefined) return openai;
  if (model?.includes("/") === true) {
    const router = ready.find((vendor) => vendor.isRouter);
    if (router !== undefined) return router;
  }
  const makers = model === undefined ? [] : makersOf(model);
  return ready.find((vendor) => makers.includes(vendor)) ?? ready[0];
}

function atVendor(vendor: Vendor, model: string | undefined, settings: ProviderSettings): Choice {
  const keys = keysOf(vendor, settings);
  if (!isReady(vendor, settings)) {
    throw new GatewayError("not_configured", `To ask ${vendor.label}, set ${vendor.keyNames[0] ?? "its key"}.`);
  }
  const name = model ?? vendor.defaultModel;
  if (name === undefined || name === "") {
    throw new GatewayError("not_configured", `${vendor.label} has many models: name one with MODEL.`);
  }
  const baseUrl = addressOf(vendor, settings);
  const named = modelAt(vendor, name);
  return {
    provider: speaker(vendor, named, baseUrl, settings),
    model: named,
    connection: {
      ...(keys[0] === undefined ? {} : { apiKey: keys[0].key }),
      ...(baseUrl === undefined ? {} : { baseUrl }),
    },
    vendor: vendor.name,
    keys,
    ...(vendor.overloadWaitsMs === undefined ? {} : { overloadWaitsMs: vendor.overloadWaitsMs }),
  };
}

/** The provider that speaks to a model. Whatever speaks like OpenAI knows its older API; only itself surely the newer. */
function speaker(vendor: Vendor, model: string, baseUrl: string | undefined, settings: ProviderSettings): Provider {
  const isElsewhere = vendor.baseUrl === undefined && baseUrl !== undefined && !isOpenAi(baseUrl);
  const usual = isElsewhere ? vendor.api : apiOf(vendor, model);
  const api = settings.api === undefined || settings.api === "auto" ? usual : settings.api;
  return api === "responses" && settings.storesResponses === true ? storedResponses : PROVIDERS[api];
}

function isOpenAi(baseUrl: string): boolean {
  return hostOf(cleanBaseUrl(baseUrl, baseUrl, /$^/)) === "api.openai.com";
}

function atWorkersAi(ai: NonNullable<ProviderSettings["ai"]>, model: string): Choice {
  return { provider: workersAi, model, connection: { ai }, vendor: workersAi.name, keys: [] };
}

function addressOf(vendor: Vendor, settings: ProviderSettings): string | undefined {
  const given = vendor.baseUrlName === undefined ? undefined : read(settings, vendor.baseUrlName);
  if (given === undefined) return vendor.baseUrl;
  if (URL.canParse(given) && /^https?:\/\//i.test(given)) return given;
  throw new GatewayError("not_configured", `${vendor.baseUrlName ?? "Its address"} is not an http or https address.`);
}

function isReady(vendor: Vendor, settings: ProviderSettings): boolean {
  const isReachable = vendor.isKeyless === true && read(settings, vendor.baseUrlName ?? "") !== undefined;
  return isReachable || vendor.keyNames.some((name) => read(settings, name) !== undefined);
}

/** A vendor's keys: the first of its names that is set, and those of that name with a suffix, as `…_API_KEY__SECOND`. */
function keysOf(vendor: Vendor, settings: ProviderSettings): readonly NamedKey[] {
  const main = vendor.keyNames.find((name) => read(settings, name) !== undefined);
  if (main === undefined) return [];
  const others = (settings.environment?.names ?? []).filter((name) => name.startsWith(`${main}__`)).toSorted();
  return [main, ...others].flatMap((name) => {
    const key = read(settings, name);
    return key === undefined ? [] : [{ name, key }];
  });
}

function read(settings: ProviderSettings, name: string): string | undefined {
  const given: Readonly<Record<string, string | undefined>> = {
    OPENAI_API_KEY: settings.openaiApiKey,
    OPENAI_BASE_URL: settings.openaiBaseUrl,
    OPENROUTER_API_KEY: settings.openrouterApiKey,
    OPENROUTER_BASE_URL: settings.openrouterBaseUrl,
  };
  return trimmed(given[name]) ?? trimmed(settings.environment?.get(name));
}

function trimmed(value: string | undefined): string | undefined {
  const text = value?.trim();
  return text === "" ? undefined : text;
}
