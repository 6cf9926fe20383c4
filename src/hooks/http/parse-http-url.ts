/** Source: https://www.rfc-editor.org/rfc/rfc1035#section-2.3.4 */
const MAX_NAME_CHARS = 253;
const MAX_LABEL_CHARS = 63;

/** A URL with its host as rules compare it: lower case, without brackets or the final dot. */
export interface HttpUrl {
  readonly url: URL;
  readonly host: string;
}

/**
 * Reads an absolute http(s) URL, or says why not. The host is judged as the URL parser understood it, never as it was
 * written; what parsers are known to read differently (backslashes, no `//`) is refused rather than judged.
 */
export function parseHttpUrl(text: string): HttpUrl | "scheme" | "malformed" {
  const written = text.trim();
  if (!/^https?:/i.test(written)) return "scheme";
  if (!/^https?:\/\/[^/?#]/i.test(written) || written.includes("\\")) return "malformed";
  const url = URL.parse(written);
  if (url === null) return "malformed";
  const host = url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  return isHost(host) ? { url, host } : "malformed";
}

function isHost(host: string): boolean {
  if (host.includes(":")) return true;
  return (
    host.length <= MAX_NAME_CHARS && host.split(".").every((label) => label !== "" && label.length <= MAX_LABEL_CHARS)
  );
}
