/** Takes the slashes and the path of a route off an address: people paste the endpoint itself. */
export function cleanBaseUrl(baseUrl: string | undefined, otherwise: string, route: RegExp): string {
  const cleaned = (baseUrl ?? "").trim().replace(/\/+$/, "").replace(route, "").replace(/\/+$/, "");
  return cleaned === "" ? otherwise : cleaned;
}

/** The host names the vendor: to a person, and to the rules that only one vendor needs. */
export function hostOf(baseUrl: string): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).host : "The model's endpoint";
}
