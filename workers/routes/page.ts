import { Hono } from "hono";
import { type LatePage, loadPages } from "#src/late/load-pages";

/** The web pages that a person uses: the conversation, and the hooks. */
export const page = new Hono<{ Bindings: Env }>()
  .get("/", async () => answer((await loadPages()).index))
  .get("/hooks", async () => answer((await loadPages()).hooks));

/** A page brings all it needs with it and talks to this origin alone; what it shows never becomes code. */
function answer({ html, scriptHash, styleHash }: LatePage): Response {
  const policy = [
    "default-src 'none'",
    `script-src '${scriptHash}'`,
    `style-src '${styleHash}'`,
    "connect-src 'self'",
    "img-src 'self' data: blob:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ];
  return new Response(html, {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policy.join("; "),
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cache-control": "no-cache",
    },
  });
}
