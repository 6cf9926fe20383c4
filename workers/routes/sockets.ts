import { Hono } from "hono";
import { GatewayError } from "#src/domain/errors";
import { DEFAULT_PROFILE, parseSessionKey } from "#src/domain/session-key";
import { environmentFor } from "../../durable-objects/environment";
import { checkBearer, socketBearer } from "../auth";

/** WebSocket chat with one session, for the operator's own clients. */
export const sockets = new Hono<{ Bindings: Env }>().get("/sessions/:key", async (c) => {
  const key = c.req.param("key");
  const { adminToken } = (await environmentFor(c.env, DEFAULT_PROFILE)).tokens;
  if (adminToken === undefined) throw new GatewayError("not_configured", "ADMIN_TOKEN is not set.");
  checkBearer(socketBearer(c), [adminToken]);
  const origin = c.req.header("origin");
  // a page of another site must not use what a browser holds for this one
  if (origin !== undefined && origin !== new URL(c.req.url).origin)
    throw new GatewayError("forbidden", "This socket is for its own page.");
  if (parseSessionKey(key) === undefined) throw new GatewayError("bad_request", "That is not a session key.");
  return c.env.SESSIONS.getByName(key).fetch(c.req.raw);
});
