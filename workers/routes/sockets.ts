import { Hono } from "hono";
import { GatewayError } from "#src/domain/errors";
import { DEFAULT_PROFILE } from "#src/domain/session-key";
import { environmentFor } from "../../durable-objects/environment";
import { checkBearer, socketBearer } from "../auth";
import { sessionAt } from "../session-at";

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
  const response = await sessionAt(c.env, key).fetch(c.req.raw);
  if (response.webSocket === null || offers(c.req.header("sec-websocket-protocol"))) return response;
  // a client that offered no subprotocol must be given none
  return new Response(null, { status: 101, webSocket: response.webSocket });
});

function offers(protocols: string | undefined): boolean {
  return protocols?.split(",").some((one) => one.trim() === "talaria") === true;
}
