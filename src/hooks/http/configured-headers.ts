import type { HookDialectName } from "#src/domain/hook";

/** Longest value of one header in bytes. */
const MAX_VALUE_BYTES = 8 * 1024;

/** Headers that are the transport's own, or belong to the connection (RFC 9110 7.6.1), and their beginnings. */
const DENIED_NAMES = new Set([
  "host",
  "content-length",
  "content-type",
  "content-encoding",
  "connection",
  "keep-alive",
  "proxy-connection",
  "proxy-authenticate",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "expect",
  "traceparent",
]);
const DENIED_PREFIXES = ["webhook-", "x-agent-hook-", "x-hermes-", "cf-"];

/** Names under which secrets travel, whatever their value looks like. */
const SECRET_NAME = /^(?:authorization|cookie)$|token|secret|api-?key|password|credential/i;

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** `${secret:NAME}` in every dialect; in claude's `$NAME` and `${NAME}` too. */
const REFERENCE = /\$\{secret:([A-Za-z_]\w*)\}/g;
const CLAUDE_REFERENCE = /\$\{secret:([A-Za-z_]\w*)\}|\$\{([A-Za-z_]\w*)\}|\$([A-Za-z_]\w*)/g;

export interface ConfiguredHeaderContext {
  readonly dialect: HookDialectName;
  /** Secrets that the hook's own entry may name. */
  readonly allowedSecrets: readonly string[];
  /** The value of a secret that the operator lets hooks use; undefined for every other name. */
  readonly readSecret: (name: string) => string | undefined;
  /** Over plain http nothing that may be a secret is sent. */
  readonly isHttps: boolean;
}

export interface ConfiguredHeaders {
  readonly headers: Readonly<Record<string, string>>;
  /** Names that were left out and why, without any value. */
  readonly rejected: readonly {
    readonly name: string;
    readonly why: "denied" | "malformed" | "too_large" | "insecure";
  }[];
}

/** The headers of a hook's own entry, with the secrets they name put in. A name that may not be used becomes empty. */
export function resolveConfiguredHeaders(
  configured: Readonly<Record<string, string>>,
  context: ConfiguredHeaderContext,
): ConfiguredHeaders {
  const headers: Record<string, string> = {};
  const rejected: { name: string; why: "denied" | "malformed" | "too_large" | "insecure" }[] = [];
  for (const [written, template] of Object.entries(configured)) {
    const name = written.trim().toLowerCase();
    const { value, hasSecret } = fillIn(template, context);
    if (!TOKEN.test(name)) rejected.push({ name, why: "malformed" });
    else if (isDeniedHeader(name)) rejected.push({ name, why: "denied" });
    else if (!context.isHttps && (hasSecret || SECRET_NAME.test(name))) rejected.push({ name, why: "insecure" });
    else if (!/^[\t\u0020-\u007e\u0080-\u00ff]*$/.test(value)) rejected.push({ name, why: "malformed" });
    else if (value.length > MAX_VALUE_BYTES) rejected.push({ name, why: "too_large" });
    else headers[name] = value;
  }
  return { headers, rejected };
}

/** Whether a hook's entry may not set this header. */
function isDeniedHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return DENIED_NAMES.has(lower) || DENIED_PREFIXES.some((prefix) => lower.startsWith(prefix));
}

/** Fills each reference in once: a secret's own value is never read as a template. */
function fillIn(template: string, context: ConfiguredHeaderContext): { value: string; hasSecret: boolean } {
  let hasSecret = false;
  const pattern = context.dialect === "claude" ? CLAUDE_REFERENCE : REFERENCE;
  const value = template.replace(pattern, (_, ...groups: readonly unknown[]) => {
    const name = groups.slice(0, 3).find((group) => typeof group === "string" && group !== "");
    if (typeof name !== "string" || !context.allowedSecrets.includes(name)) return "";
    const secret = context.readSecret(name)?.trim() ?? "";
    hasSecret ||= secret !== "";
    return secret;
  });
  return { value: value.trim(), hasSecret };
}
