import type { HookDialectName } from "#src/domain/hook";
import { type AddressClass, isMetadataAddress, judgeAddress } from "./judge-address";
import { type NameClass, isAtOrBelow, isMetadataName, judgeName } from "./judge-name";
import { isUrlOnList } from "./match-url-pattern";
import { type HttpUrl, parseHttpUrl } from "./parse-http-url";

/** Why a hook's URL may or may not be called, as logs and lists say it: the first that applies. */
export type UrlClass =
  | "scheme"
  | "malformed"
  | "userinfo"
  | "port"
  | "fragment"
  | "own-host"
  | NameClass
  | "not-allowed"
  | AddressClass;

/** What an operator's settings and a hook's dialect say of hook URLs. */
export interface HookUrlPolicy {
  /** Plain http, which hooks imported from some systems may use. */
  readonly allowHttp: boolean;
  /** Beside 443 and 8443, and 80 and 8080 for http. */
  readonly extraPorts: readonly number[];
  /** Hosts that we answer ourselves: `agent.example.com`, or `*.example.com` for a zone with all below it. */
  readonly ownHosts: readonly string[];
  /** Patterns with `*`; when given, nothing else may be called. */
  readonly allowedUrls?: readonly string[];
  /** Patterns of the file that the hook came from; when given, its URL has to be on that list too. */
  readonly limitedTo?: readonly string[];
  /** `host:port` pairs on the developer's machine. Empty in every deployment. */
  readonly localHosts: readonly string[];
}

/** Settings that a policy is made of. */
export interface HookUrlSettings {
  readonly requireHttps?: boolean;
  readonly extraPorts?: readonly number[];
  readonly ownHosts?: readonly string[];
  readonly allowedHookUrls?: readonly string[];
  /** `host:port` pairs; counts only when `isLocal`. */
  readonly allowLocal?: readonly string[];
  /** Whether this is a developer's own machine, and no deployment. */
  readonly isLocal: boolean;
}

/** A URL judged by its text alone. A `public` one with `resolve` must still pass for what that name resolves to. */
export type UrlVerdict =
  | { readonly class: "public"; readonly url: URL; readonly resolve?: string }
  | { readonly class: Exclude<UrlClass, "public"> };

/** Longest URL in bytes, as it is sent. */
const MAX_URL_BYTES = 2048;

const HTTPS_PORTS = [443, 8443];
const HTTP_PORTS = [...HTTPS_PORTS, 80, 8080];

/** Systems whose hooks may have http URLs; the others never could. */
const HTTP_DIALECTS: ReadonlySet<HookDialectName> = new Set(["starchild", "claude"]);

/** The policy for the hooks of one dialect. */
export function hookUrlPolicy(dialect: HookDialectName, settings: HookUrlSettings): HookUrlPolicy {
  return {
    allowHttp: settings.requireHttps !== true && HTTP_DIALECTS.has(dialect),
    extraPorts: settings.extraPorts ?? [],
    ownHosts: settings.ownHosts ?? [],
    ...(settings.allowedHookUrls === undefined ? {} : { allowedUrls: settings.allowedHookUrls }),
    localHosts: settings.isLocal ? (settings.allowLocal ?? []) : [],
  };
}

/** Judges a hook's URL by its text: at import, at approval, and again before every call. */
export function judgeUrl(text: string, policy: HookUrlPolicy): UrlVerdict {
  const parsed = parseHttpUrl(text);
  if (typeof parsed === "string") return { class: parsed };
  const { url, host } = parsed;
  if (url.href.length > MAX_URL_BYTES) return { class: "malformed" };
  const isLocal = isListedLocal(parsed, policy.localHosts);
  const refusal = shapeRefusal(parsed, policy, isLocal) ?? (isLocal ? undefined : placeRefusal(parsed, policy));
  if (refusal !== undefined) return { class: refusal };
  const needsResolving = !isLocal && judgeAddress(host) === undefined;
  return { class: "public", url, ...(needsResolving ? { resolve: host } : {}) };
}

/** What is wrong with the URL wherever it leads. */
function shapeRefusal(
  { url }: HttpUrl,
  policy: HookUrlPolicy,
  isLocal: boolean,
): "scheme" | "userinfo" | "port" | "fragment" | undefined {
  const isHttp = url.protocol === "http:";
  if (isHttp && !policy.allowHttp && !isLocal) return "scheme";
  if (url.username !== "" || url.password !== "") return "userinfo";
  const ports = [...(isHttp ? HTTP_PORTS : HTTPS_PORTS), ...policy.extraPorts];
  if (!isLocal && !ports.includes(portOf(url))) return "port";
  return url.href.includes("#") ? "fragment" : undefined;
}

/** What is wrong with where it leads. */
function placeRefusal({ url, host }: HttpUrl, policy: HookUrlPolicy): Exclude<UrlClass, "public"> | undefined {
  const isListed = policy.allowedUrls !== undefined && isUrlOnList(url, policy.allowedUrls);
  // Cloudflare answers these paths of a zone itself
  if (url.pathname.toLowerCase().startsWith("/cdn-cgi/")) return "own-host";
  if (!isListed && policy.ownHosts.some((own) => isOwn(host, own))) return "own-host";
  const place = judgeAddress(host) ?? judgeName(host);
  if (place !== "public") return place;
  const isWithin = policy.limitedTo === undefined || isUrlOnList(url, policy.limitedTo);
  return isWithin && (policy.allowedUrls === undefined || isListed) ? undefined : "not-allowed";
}

function isOwn(host: string, own: string): boolean {
  const name = own.toLowerCase().replace(/\.$/, "");
  return name.startsWith("*.") ? isAtOrBelow(host, name.slice(2)) : host === name;
}

/** Where a cloud keeps credentials is nobody's development machine. */
function isListedLocal({ url, host }: HttpUrl, localHosts: readonly string[]): boolean {
  if (isMetadataAddress(host) || isMetadataName(host)) return false;
  const pair = `${url.hostname}:${portOf(url)}`;
  return localHosts.some((local) => local.trim().toLowerCase() === pair);
}

function portOf({ port, protocol }: URL): number {
  if (port !== "") return Number(port);
  return protocol === "http:" ? 80 : 443;
}
