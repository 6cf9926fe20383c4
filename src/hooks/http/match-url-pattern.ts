/**
 * Whether a URL is on an operator's list of patterns: `*` stands for anything, hosts are compared without case and
 * final dot. Host and path are matched apart, so that a `*` in the host never reaches into the path. A pattern whose
 * host ends with `*` and that has no path means every path.
 */
export function isUrlOnList(url: URL, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => matchesUrl(url, pattern));
}

function matchesUrl(url: URL, pattern: string): boolean {
  if (pattern === "*") return true;
  const [, scheme, authority = "", path] = /^([a-z*]+):\/\/([^/?#]*)(.*)$/is.exec(pattern.trim()) ?? [];
  if (scheme === undefined) return false;
  const protocol = url.protocol.slice(0, -1);
  const everyPath = authority.endsWith("*") ? "*" : "/";
  return (
    matchesWildcard(protocol, scheme.toLowerCase()) &&
    matchesWildcard(plainHost(url.host, protocol), plainHost(authority.toLowerCase(), protocol)) &&
    matchesWildcard(url.pathname + url.search, path === undefined || path === "" ? everyPath : path)
  );
}

/** A host with its port, without the dot that a name may end with and the port that goes without saying. */
function plainHost(host: string, protocol: string): string {
  return host.replace(protocol === "https" ? /:443$/ : /:80$/, "").replace(/\.(?=:|$)/, "");
}

/** Whether a text fits a pattern with `*`. Looks for each piece once, left to right, so its time is bounded. */
function matchesWildcard(text: string, pattern: string): boolean {
  const pieces = pattern.split("*");
  const first = pieces[0] ?? "";
  const last = pieces.at(-1) ?? "";
  if (pieces.length === 1) return text === pattern;
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false;
  const end = text.length - last.length;
  let at = first.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = text.indexOf(piece, at);
    if (found === -1 || found + piece.length > end) return false;
    at = found + piece.length;
  }
  return true;
}
