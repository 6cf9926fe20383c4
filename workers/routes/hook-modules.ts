import { type Context, Hono } from "hono";
import { GatewayError } from "#src/domain/errors";
import type { HookModuleSource } from "#src/domain/profile-hooks";
import { DEFAULT_PROFILE } from "#src/domain/session-key";
import { decodeUtf8Strictly } from "#src/lib/encoding";
import { isRefusal } from "../../durable-objects/edit-hooks";
import { MAX_MODULE_BYTES, dropModule, keepModule, listModules } from "../../durable-objects/hook-modules";
import { openHooksDesk } from "../../durable-objects/hooks-desk";
import { readBody } from "../read-body";
import { OPERATOR, refuse } from "./hook-answers";

type ModulesContext = Context<{ Bindings: Env }>;

/** Sources of hook modules that are not deployed with the Worker: kept under their hash, which hooks name them by. */
export const hookModules = new Hono<{ Bindings: Env }>()
  .get("/", async (c) => {
    const modules = await listModules(deskOf(c));
    return c.json({
      modules: modules.map(({ usedBy, isNetworked, ...module }) => ({
        ...shown(module),
        used_by: usedBy,
        network: isNetworked,
      })),
    });
  })
  .post("/", async (c) => {
    const source = decodeUtf8Strictly(await readBody(c.req.raw, MAX_MODULE_BYTES));
    if (source === undefined || source.trim() === "")
      throw new GatewayError("bad_request", "The body is the source of a JavaScript module, as UTF-8.");
    const kept = await keepModule(deskOf(c), source, OPERATOR, Date.now());
    return isRefusal(kept) ? refuse(c, kept) : c.json(shown(kept), 201);
  })
  .get("/:sha256", async (c) => {
    const sha256 = hashOf(c);
    const source = await deskOf(c).module(sha256);
    if (source === undefined) throw new GatewayError("not_found", `There is no module sha256:${sha256}.`);
    // for reading: a browser that is led here must not run it
    return c.text(source, 200, {
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'",
    });
  })
  .delete("/:sha256", async (c) => {
    const dropped = await dropModule(deskOf(c), hashOf(c), OPERATOR, Date.now());
    return isRefusal(dropped) ? refuse(c, dropped) : c.json(dropped);
  });

function deskOf(c: ModulesContext) {
  return openHooksDesk(c.env, DEFAULT_PROFILE);
}

function hashOf(c: ModulesContext): string {
  return (c.req.param("sha256") ?? "").toLowerCase().replace(/^sha256:/, "");
}

function shown({ sha256, bytes, addedAt }: HookModuleSource) {
  return { sha256, bytes, added_at: new Date(addedAt).toISOString() };
}
