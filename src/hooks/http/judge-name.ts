/** Endings that no public name has, or that lead home. Source: https://www.rfc-editor.org/rfc/rfc6761 and its kin */
const SPECIAL_SUFFIXES = [
  "local",
  "internal",
  "intranet",
  "lan",
  "home",
  "corp",
  "private",
  "home.arpa",
  "test",
  "invalid",
  "example",
  "onion",
  "arpa",
];

const METADATA_NAMES: ReadonlySet<string> = new Set(["metadata.google.internal", "metadata.goog", "instance-data"]);

export type NameClass = "public" | "loopback" | "single-label" | "special-name";

/** Judges a host name by itself, before anybody resolves it. Lower case, no final dot. */
export function judgeName(host: string): NameClass {
  if (isAtOrBelow(host, "localhost")) return "loopback";
  if (isMetadataName(host)) return "special-name";
  if (!host.includes(".")) return "single-label";
  return SPECIAL_SUFFIXES.some((suffix) => isAtOrBelow(host, suffix)) ? "special-name" : "public";
}

/** Whether a name is one under which clouds hand out credentials. */
export function isMetadataName(host: string): boolean {
  return METADATA_NAMES.has(host);
}

/** Whether a host is a domain or below it. */
export function isAtOrBelow(host: string, domain: string): boolean {
  return host === domain || host.endsWith(`.${domain}`);
}
