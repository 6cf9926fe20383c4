import { Hono } from "hono";
import html from "../../web/index.html";

/** The page brings all it needs with it and talks to this origin alone. */
const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; img-src 'self' data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-cache",
};

/** The web page a person uses. */
export const page = new Hono<{ Bindings: Env }>().get("/", () => new Response(html, { headers: HEADERS }));
