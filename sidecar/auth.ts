import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { isLoopback } from "./config.ts";
import { Problem } from "./problem.ts";

/** Refuses a caller who may not use the sidecar. */
export type Authorize = (request: IncomingMessage) => void;

/**
 * Who may call: whoever brings the token. Without a token (loopback only) any program of this machine may, but no web
 * page: what a browser sends on a page's behalf has an Origin, or a Host that a page has chosen.
 *
 * @throws {@link Problem} unauthorized, origin_refused
 */
export function authorizeBy(token: string | undefined): Authorize {
  if (token === undefined) return refuseBrowsers;
  const expected = digest(token);
  return (request) => {
    const given = /^Bearer (.+)$/i.exec(request.headers.authorization ?? "")?.[1] ?? "";
    if (!timingSafeEqual(digest(given), expected))
      throw new Problem("unauthorized", "The bearer token is missing or wrong.", { field: "authorization" });
  };
}

function refuseBrowsers({ headers }: IncomingMessage): void {
  const host = (headers.host ?? "").replace(/:\d+$/, "").replaceAll(/[[\]]/g, "");
  if (headers.origin !== undefined)
    throw new Problem("origin_refused", "Without a token no web page is answered.", { field: "origin" });
  if (!isLoopback(host))
    throw new Problem("origin_refused", "Without a token only loopback names are answered.", { field: "host" });
}

// digests have one length, so that comparing tells nothing of the token's own
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
