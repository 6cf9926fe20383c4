import { GatewayError } from "#src/domain/errors";
import type { ConfigProblem } from "./problem";

/** Names in the environment that stand for a setting of config.yaml, and win over it. */
export const SETTING_NAMES: ReadonlyMap<string, string> = new Map([
  ["MODEL", "model.name"],
  ["OPENAI_BASE_URL", "model.base_url"],
  ["GATEWAY_ALLOW_ALL_USERS", "access.allow_all_users"],
  ["GATEWAY_ALLOWED_USERS", "access.allowed_users"],
  ["SENDER_MESSAGES_PER_MINUTE", "limits.sender_messages_per_minute"],
]);

/** Texts of the environment by name; an empty one is not set. */
export interface EnvironmentTexts {
  readonly get: (name: string) => string | undefined;
  readonly names: readonly string[];
}

/**
 * Reads the texts of an environment: single names, and beside them those in the one JSON secret `TALARIA_SECRETS`,
 * over which single names win. Bindings and other objects are passed by.
 */
export function readEnvironment(env: Readonly<Record<string, unknown>>): {
  readonly texts: EnvironmentTexts;
  readonly problems: readonly ConfigProblem[];
} {
  const problems: ConfigProblem[] = [];
  let bundle: Readonly<Record<string, unknown>> = {};
  try {
    bundle = parseBundle(textOf(env, "TALARIA_SECRETS"));
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    problems.push({ path: "TALARIA_SECRETS", message: error.message });
  }
  const get = (name: string): string | undefined => textOf(env, name) ?? textOf(bundle, name);
  const names = [...new Set([...Object.keys(env), ...Object.keys(bundle)])].filter((name) => get(name) !== undefined);
  return { texts: { get, names }, problems };
}

function parseBundle(json: string | undefined): Readonly<Record<string, unknown>> {
  if (json === undefined) return {};
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch {
    // the parser's own words quote the secret
    throw new GatewayError(
      "bad_request",
      "expected a JSON object of names and texts; it is not JSON, and is left out.",
    );
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    throw new GatewayError("bad_request", "expected a JSON object of names and texts; it is left out.");
  }
  return { ...parsed };
}

function textOf(from: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = Object.hasOwn(from, name) ? from[name] : undefined;
  const text = typeof value === "number" || typeof value === "boolean" ? String(value) : value;
  // a secret that was piped into wrangler often ends in a newline
  return typeof text === "string" && text.trim() !== "" ? text.trim() : undefined;
}
