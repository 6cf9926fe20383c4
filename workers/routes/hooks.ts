import { type Context, Hono } from "hono";
import { GatewayError } from "#src/domain/errors";
import type { HookDialectName } from "#src/domain/hook";
import type { JsonObject, JsonValue } from "#src/domain/json";
import { DEFAULT_PROFILE } from "#src/domain/session-key";
import { DIALECTS } from "#src/hooks/dialects/registry";
import { eventTrialReport, trialReport } from "#src/hooks/describe-trial";
import { eventCatalogue } from "#src/hooks/event-catalogue";
import { examineHooks } from "#src/hooks/examine-hooks";
import { publicKeyOf } from "#src/hooks/http/signing-key";
import { listHooks } from "#src/hooks/list-hooks";
import { type ManagingCommand, manageHooks } from "#src/hooks/manage-hooks";
import { isFields } from "#src/hooks/plain-json";
import {
  type Changed,
  type WrittenHooks,
  addHooks,
  approveShown,
  isRefusal,
  rehearseHooks,
  removeHook,
  renewSecret,
  replaceHook,
  resetCircuit,
  revokeApprovals,
} from "../../durable-objects/edit-hooks";
import {
  type HooksView,
  type TrialWish,
  canonicalEvent,
  isOwn,
  openHooksDesk,
  profileChanges,
} from "../../durable-objects/hooks-desk";
import { requireAdmin } from "../auth";
import { readHookTrace } from "../hook-trace";
import { problemResponse } from "../problem";
import { readJson } from "../read-body";
import { sessionAt } from "../session-at";
import { OPERATOR, STATUS, refuse } from "./hook-answers";
import { hookModules } from "./hook-modules";

type HooksContext = Context<{ Bindings: Env }>;

const MAX_BODY_BYTES = 1024 * 1024;
const MAX_LISTED = 500;

/** The operator's API of hooks. Reads carry an ETag, the profile's version; writes take it as If-Match. */
export const hooks = new Hono<{ Bindings: Env }>()
  .use(requireAdmin)
  .use(async (c, next) => {
    const isRead = c.req.method === "GET" || c.req.method === "HEAD";
    if (!isRead && readHookTrace(c.req.raw.headers, true) !== undefined)
      throw new GatewayError("forbidden", "This request comes from a hook: hooks do not change hooks.");
    await next();
  })
  .route("/modules", hookModules)
  .get("/", async (c) => {
    const view = await deskOf(c).look();
    const { inventory, profile, version } = view;
    const known = new Set(inventory.known.map(({ hook }) => hook.id));
    const unread = inventory.importLog.filter(
      ({ level, hook }) => level !== "debug" && (hook === undefined || !known.has(hook)),
    );
    return stamped(c, version, {
      master: { on: profile.isOn },
      hooks: listHooks(inventory, c.req.query("event")),
      unread,
      quarantined: profile.quarantined,
    });
  })
  .post("/", async (c) => {
    const written = await readWritten(c);
    return answer(c, await addHooks(deskOf(c), written, OPERATOR, Date.now(), expectedVersion(c)), 201);
  })
  .post("/validate", async (c) => {
    const result = await rehearseHooks(deskOf(c), await readWritten(c));
    const rows = result.hooks.map(({ secret: _secret, ...row }) => row);
    return c.json({ ...result, hooks: rows, valid: rows.length > 0 && result.warnings.length === 0 });
  })
  .get("/approvals", async (c) => {
    const { inventory, version } = await deskOf(c).look();
    return stamped(c, version, { approvals: inventory.consent.approvals });
  })
  .post("/approvals", async (c) => {
    const body = await readJson(c.req.raw, MAX_BODY_BYTES);
    const digest = textIn(body, "config_sha256")
      .toLowerCase()
      .replace(/^sha256:/, "");
    if (!/^[0-9a-f]{64}$/.test(digest))
      throw new GatewayError("bad_request", "config_sha256: expected 64 hex digits, as the hook was shown with.");
    const shown = { event: textIn(body, "event"), target: textIn(body, "target"), digest: `sha256:${digest}` };
    return answer(c, await approveShown(deskOf(c), shown, OPERATOR, expectedVersion(c)), 201);
  })
  .delete("/approvals", async (c) => {
    const asked = c.req.query("target") === undefined ? await readJson(c.req.raw, MAX_BODY_BYTES) : c.req.query();
    const event = asked["event"] === undefined ? {} : { event: textIn(asked, "event") };
    const of = { target: textIn(asked, "target"), ...event };
    return answer(c, await revokeApprovals(deskOf(c), of, OPERATOR, expectedVersion(c)));
  })
  .get("/master", async (c) => {
    const { profile, version } = await deskOf(c).look();
    return stamped(c, version, { on: profile.isOn });
  })
  .put("/master", async (c) => {
    const { on } = await readJson(c.req.raw, MAX_BODY_BYTES);
    if (typeof on !== "boolean") throw new GatewayError("bad_request", "on: expected true or false.");
    return manage(c, { type: "switch", isOn: on }, () => ({ on }));
  })
  .get("/doctor", async (c) => {
    const desk = deskOf(c);
    const view = await desk.look();
    const id = c.req.query("id");
    if (id !== undefined && find(view, id) === undefined) return noSuchHook(c, id);
    const facts = await desk.facts(view, id);
    const examination = await examineHooks(
      view.inventory,
      (known) => desk.trial(view, known, { event: canonicalEvent(known.hook.nativeEvent, known) ?? "turn.end" }),
      id,
    );
    const examined = examination.hooks.map((one) => ({ ...one, ...facts.find((fact) => fact.id === one.row.id) }));
    const isHealthy = examined.every(({ flags }) => flags.every(({ code }) => code === undefined));
    return c.json({
      healthy: isHealthy && examination.unread.length === 0,
      hooks: examined.map(({ row, tookMs, last, ...rest }) => ({
        ...row,
        ...rest,
        ...(tookMs === undefined ? {} : { took_ms: Math.round(tookMs) }),
        ...(last === undefined ? {} : { last_run: last }),
      })),
      unread: examination.unread,
    });
  })
  .get("/status", async (c) => {
    const desk = deskOf(c);
    const view = await desk.look();
    const { isOn, openCircuits, ...health } = await desk.health(view);
    return stamped(c, view.version, { enabled: isOn, open_circuits: openCircuits, ...health });
  })
  .post("/test", async (c) => {
    const body = await readJson(c.req.raw, MAX_BODY_BYTES);
    const written = textIn(body, "event");
    const desk = deskOf(c);
    const view = await desk.look();
    const named = view.inventory.known.find(({ hook }) => hook.nativeEvent === written);
    const event = canonicalEvent(written, named);
    if (event === undefined) throw new GatewayError("bad_request", "event: no such moment exists here.");
    const trial = await desk.tryEvent(view, { event, ...wishIn(body) });
    return c.json({ event, ...eventTrialReport(listHooks(view.inventory, event), trial) });
  })
  .get("/events", (c) => c.json({ events: eventCatalogue() }))
  .get("/log", async (c) => {
    const desk = deskOf(c);
    return c.json({ runs: await desk.runs(await desk.look(), limitOf(c), c.req.query("hook")) });
  })
  .get("/audit", async (c) => c.json({ audit: await deskOf(c).audit(limitOf(c)) }))
  .get("/deliveries", async (c) => {
    const session = c.req.query("session");
    if (session !== undefined) sessionAt(c.env, session);
    const owed = await deskOf(c).deliveries(session);
    const deliveries = owed.map(({ id, session: key, record }) => ({
      id,
      session: key,
      hook: record.delivery.hookId,
      event: record.delivery.event,
      state: record.state,
      attempts: record.attempts,
      created_at: new Date(record.createdAt).toISOString(),
      ...(record.nextAt === 0 ? {} : { next_at: new Date(record.nextAt).toISOString() }),
      ...(record.error === undefined ? {} : { error: record.error }),
    }));
    return c.json({ deliveries });
  })
  .post("/deliveries/:id/replay", async (c) => {
    const isReplayed = await deskOf(c).replay(c.req.param("id"));
    if (!isReplayed) throw new GatewayError("not_found", "There is no delivery with that id that was given up.");
    return c.json({ replayed: true }, 202);
  })
  .get("/:id", async (c) => {
    const id = c.req.param("id");
    const view = await deskOf(c).look();
    const known = find(view, id);
    const row = listHooks(view.inventory).find((one) => one.id === id);
    if (known === undefined || row === undefined) return noSuchHook(c, id);
    const { target, ...definition } = known.hook;
    const approvals = view.inventory.consent.approvals.filter((one) => one.target === row.target);
    return stamped(c, view.version, {
      ...row,
      approvals: approvals.map((one) => ({ ...one, is_current: one.digest === row.digest, is_own: isOwn(one) })),
      definition: {
        ...definition,
        target: "headers" in target ? { ...target, headers: veiled(target.headers) } : target,
      },
    });
  })
  .put("/:id", async (c) => {
    const written = await readWritten(c);
    const changed = await replaceHook(deskOf(c), c.req.param("id"), written, OPERATOR, Date.now(), expectedVersion(c));
    return answer(c, changed);
  })
  .delete("/:id", async (c) =>
    answer(c, await removeHook(deskOf(c), c.req.param("id"), OPERATOR, Date.now(), expectedVersion(c))),
  )
  .post("/:id/test", async (c) => {
    const id = c.req.param("id");
    const body = await readJson(c.req.raw, MAX_BODY_BYTES);
    const desk = deskOf(c);
    const view = await desk.look();
    const known = find(view, id);
    const row = listHooks(view.inventory).find((one) => one.id === id);
    if (known === undefined || row === undefined) return noSuchHook(c, id);
    // what nobody approved is not called, not even for a test
    if (row.status !== "active")
      return problemResponse(c, STATUS.hook_not_active, "hook_not_active", `${id} does not run: ${row.status}.`);
    const event = canonicalEvent(body["event"] === undefined ? known.hook.nativeEvent : textIn(body, "event"), known);
    if (event === undefined) throw new GatewayError("bad_request", "event: no such moment exists here.");
    const trial = await desk.trial(view, known, { event, ...wishIn(body) });
    return c.json({ hook: id, event, ...trialReport(trial) });
  })
  .post("/:id/enable", (c) => setDisabled(c, false))
  .post("/:id/disable", (c) => setDisabled(c, true))
  .post("/:id/reset-circuit", async (c) =>
    answer(c, await resetCircuit(deskOf(c), c.req.param("id"), OPERATOR, Date.now(), expectedVersion(c))),
  )
  .post("/:id/rotate-secret", async (c) =>
    answer(c, await renewSecret(deskOf(c), c.req.param("id"), OPERATOR, Date.now(), expectedVersion(c))),
  );

/** What receivers may know of us without a token: the keys that verify what we sign, where those are public ones. */
export const wellKnown = new Hono<{ Bindings: Env }>().get("/agent-hooks.json", async (c) => {
  const { inventory, setup } = await deskOf(c).look();
  const secrets = inventory.known.flatMap(({ hook }) => setup?.secretsOf(hook.id) ?? []);
  const keys = [...new Set(secrets.flatMap((secret) => publicKeyOf(secret) ?? []))];
  c.header("cache-control", "public, max-age=300");
  return c.json({ signature: "standard-webhooks", schemes: keys.length === 0 ? ["v1"] : ["v1", "v1a"], keys });
});

function deskOf(c: HooksContext) {
  return openHooksDesk(c.env, DEFAULT_PROFILE);
}

function find({ inventory }: HooksView, id: string) {
  return inventory.known.find(({ hook }) => hook.id === id);
}

async function setDisabled(c: HooksContext, isDisabled: boolean): Promise<Response> {
  const id = c.req.param("id") ?? "";
  return manage(c, { type: isDisabled ? "disable" : "enable", id }, (view) =>
    find(view, id) === undefined ? undefined : { id, disabled: isDisabled },
  );
}

/** Runs what the chat command does, and answers for programs. */
async function manage(
  c: HooksContext,
  command: ManagingCommand,
  resultOf: (view: HooksView) => object | undefined,
): Promise<Response> {
  const done = await deskOf(c).edit<object | undefined>((view) => {
    const result = resultOf(view);
    if (result === undefined) return { result };
    const { changes, audit } = manageHooks(command, view.inventory, { ...OPERATOR, mayChange: true });
    return { result, changes: profileChanges(changes, view), audit };
  }, expectedVersion(c));
  if (done === undefined)
    return refuse(c, { refused: "version_mismatch", detail: "The hooks have changed meanwhile. Look again first." });
  return done.result === undefined ? noSuchHook(c, c.req.param("id") ?? "") : stamped(c, done.version, done.result);
}

function answer<T extends object>(c: HooksContext, { result, version }: Changed<T>, status: 200 | 201 = 200): Response {
  return isRefusal(result) ? refuse(c, result) : stamped(c, version, result, status);
}

function stamped(c: HooksContext, version: number, body: object, status: 200 | 201 = 200): Response {
  c.header("etag", `"${version}"`);
  return c.json(body, status);
}

function noSuchHook(c: HooksContext, id: string): Response {
  return refuse(c, { refused: "hook_not_found", detail: `There is no hook "${id}".` });
}

/** The version that the client has seen; undefined for one that does not care. One that is none fits nothing. */
function expectedVersion(c: HooksContext): number | undefined {
  const asked = c.req.header("if-match")?.trim();
  if (asked === undefined || asked === "*") return undefined;
  return Number(/^(?:W\/)?"(\d{1,15})"$/.exec(asked)?.[1] ?? -1);
}

async function readWritten(c: HooksContext): Promise<WrittenHooks> {
  const body = await readJson(c.req.raw, MAX_BODY_BYTES);
  const { dialect, native } = body;
  if (dialect !== undefined && !(typeof dialect === "string" && Object.hasOwn(DIALECTS, dialect)))
    throw new GatewayError("bad_request", `dialect: expected one of ${Object.keys(DIALECTS).join(", ")}.`);
  if (typeof native !== "object" || native === null)
    throw new GatewayError(
      "bad_request",
      "native: expected the hooks as their system writes them, an object or a list.",
    );
  return {
    // JSON.parse made it
    native: native as JsonValue,
    ...(dialect === undefined ? {} : { dialect: dialect as HookDialectName }),
  };
}

/** What the made-up event of a trial carries. */
function wishIn(body: Readonly<Record<string, unknown>>): Pick<TrialWish, "data" | "tool"> {
  const payload = body["payload"] ?? {};
  if (!isFields(payload)) throw new GatewayError("bad_request", "payload: expected an object.");
  return { data: payload, ...(body["tool"] === undefined ? {} : { tool: textIn(body, "tool") }) };
}

function textIn(body: Readonly<Record<string, unknown>>, field: string): string {
  const value = body[field];
  if (typeof value !== "string" || value.trim() === "")
    throw new GatewayError("bad_request", `${field}: expected a text that is not empty.`);
  return value;
}

function limitOf(c: HooksContext): number {
  const limit = Number(c.req.query("limit") ?? 100);
  if (!Number.isSafeInteger(limit) || limit < 1)
    throw new GatewayError("bad_request", "limit: expected a whole number from 1.");
  return Math.min(limit, MAX_LISTED);
}

/** Headers with the secrets they draw on, and without what was written out. */
function veiled(headers: Readonly<Record<string, string>>): JsonObject {
  const shown = (value: string): string => value.match(/\$\{[^}]*\}|\$\w+/g)?.join(" ") ?? "…";
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, shown(value)]));
}
