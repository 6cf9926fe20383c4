import { Hono } from "hono";
import { GatewayError } from "#src/domain/errors";
import { DEFAULT_PROFILE } from "#src/domain/session-key";
import { environmentFor } from "../durable-objects/environment";
import { errorResponse } from "./problem";
import { api } from "./routes/api";
import { hooks, wellKnown } from "./routes/hooks";
import { openai } from "./routes/openai";
import { page } from "./routes/page";
import { sockets } from "./routes/sockets";
import { webhooks } from "./routes/webhooks";

/** The doors. Node may load this file too; what only workerd knows stands beside it. */
export const app = new Hono<{ Bindings: Env }>();

app.get("/health", async (c) => {
  const environment = await environmentFor(c.env, DEFAULT_PROFILE);
  const { provider, name } = environment.describeModel(undefined);
  return c.json({
    status: "ok",
    version: environment.version,
    provider,
    model: name,
    platforms: environment.platformsOn(),
  });
});
app.route("/webhooks", webhooks);
app.route("/v1", openai);
app.route("/api/hooks", hooks);
app.route("/api", api);
app.route("/ws", sockets);
app.route("/.well-known", wellKnown);
app.route("/", page);
app.notFound((c) => errorResponse(new GatewayError("not_found", "There is nothing here."), c));
app.onError(errorResponse);
