import { type AddressClass, isMappedPublic, isMetadataAddress, judgeAddress } from "./judge-address";
import { type NameClass, isAtOrBelow, isMetadataName } from "./judge-name";
import { parseHttpUrl } from "./parse-http-url";
import { type ResolveHost, lookUp } from "./resolve-public";

/** What an operator says of addresses that the agent itself may read from. */
export interface WebUrlPolicy {
  /** Lets the operator's own network in; never where clouds keep credentials. */
  readonly allowPrivate?: boolean;
  /** A proxy resolves names: one that cannot be resolved here is left to it. */
  readonly hasProxy?: boolean;
  /** Hosts that proxies answer from 198.18.0.0/15, over https. */
  readonly fakeIpHosts?: readonly string[];
}

export type WebUrlClass =
  | "public"
  | "scheme"
  | "malformed"
  | Exclude<NameClass, "public">
  | AddressClass
  | "no-address"
  | "dns-empty"
  | "dns-error";

/**
 * Judges a URL that the agent wants to read. Softer than the guard of hooks about form (ports, fragments and names are
 * free), the same about where it leads: every address that the name resolves to must be public. Never throws.
 */
export async function guardWebUrl(
  text: string,
  policy: WebUrlPolicy,
  resolve: ResolveHost,
  signal: AbortSignal,
): Promise<WebUrlClass> {
  const parsed = parseHttpUrl(text);
  if (typeof parsed === "string") return parsed;
  const { url, host } = parsed;
  if (isMetadataName(host)) return "special-name";
  if (judgeAddress(host) !== undefined) return admitAddress(host, policy);
  if (isAtOrBelow(host, "localhost") && policy.allowPrivate !== true) return "loopback";
  const answers = await lookUp(host, resolve, signal);
  if (answers.some((answer) => !answer.isFound)) return policy.hasProxy === true ? "public" : "dns-error";
  const addresses = answers.flatMap((answer) => (answer.isFound ? answer.addresses : []));
  if (addresses.length === 0) return "dns-empty";
  const isFakeIpHost = url.protocol === "https:" && policy.fakeIpHosts?.includes(host) === true;
  const refused = addresses
    .map((address) => admitAddress(address, policy))
    .find((found) => found !== "public" && !(isFakeIpHost && found === "benchmark"));
  return refused ?? "public";
}

function admitAddress(address: string, policy: WebUrlPolicy): AddressClass | "no-address" {
  const found = judgeAddress(address);
  if (found === undefined) return "no-address";
  if (isMetadataAddress(address)) return found;
  return policy.allowPrivate === true || isMappedPublic(address) ? "public" : found;
}
