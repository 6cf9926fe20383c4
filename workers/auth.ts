import type { Context, MiddlewareHandler } from "hono";
import { GatewayError } from "#src/domain/errors";
import { decodeUtf8Strictly, fromBase64 } from "#src/lib/encoding";
import { DEFAULT_PROFILE } from "#src/domain/session-key";
import { timingSafeEqual } from "#src/lib/timing-safe-equal";
import { environmentFor } from "../durable-objects/environment";

/** Lets the operator's token through. Without one set, nobody is: the answer says how to set it. */
export const requireAdmin: MiddlewareHandler<{ Bindings: Env }> = async (c, next) => {
  const { adminToken } = (await environmentFor(c.env, DEFAULT_PROFILE)).tokens;
  if (adminToken === undefined) {
    throw new GatewayError(
      "not_configured",
      "ADMIN_TOKEN is not set. Set it with `npx wrangler secret put ADMIN_TOKEN`.",
    );
  }
  checkBearer(bearerOf(c), [adminToken]);
  await next();
};

/** Lets clients of the OpenAI-compatible API through: by their own key, or the operator's token. */
export const requireApiKey: MiddlewareHandler<{ Bindings: Env }> = async (c, next) => {
  const { adminToken, apiServerKey } = (await environmentFor(c.env, DEFAULT_PROFILE)).tokens;
  const accepted = apiServerKey === undefined ? adminToken : apiServerKey;
  if (accepted === undefined)
    throw new GatewayError("not_configured", "Neither API_SERVER_KEY nor ADMIN_TOKEN is set.");
  checkBearer(bearerOf(c), [accepted]);
  await next();
};

/** The bearer token of a WebSocket request: browsers cannot set headers there, so a subprotocol may carry it. */
export function socketBearer(c: Context): string | undefined {
  const offered =
    c.req
      .header("sec-websocket-protocol")
      ?.split(",")
      .map((part) => part.trim()) ?? [];
  const carried = offered.find((part) => part.startsWith("bearer."))?.slice("bearer.".length);
  const bytes = carried === undefined ? undefined : fromBase64(carried);
  return bearerOf(c) ?? (bytes === undefined ? undefined : decodeUtf8Strictly(bytes));
}

/** @throws GatewayError `signature_invalid` */
export function checkBearer(given: string | undefined, accepted: readonly string[]): void {
  const isKnown = given !== undefined && accepted.some((token) => timingSafeEqual(token, given));
  if (!isKnown)
    throw new GatewayError(
      "signature_invalid",
      given === undefined ? "A bearer token is missing." : "The bearer token is wrong.",
    );
}

function bearerOf(c: Context): string | undefined {
  const [scheme, token] = c.req.header("authorization")?.split(/ +/) ?? [];
  return scheme?.toLowerCase() === "bearer" ? token : undefined;
}
