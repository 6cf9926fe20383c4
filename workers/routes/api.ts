import { type Context, Hono } from "hono";
import { flattenSettings } from "#src/config/setting-path";
import { GatewayError } from "#src/domain/errors";
import { DEFAULT_PROFILE, parseSessionKey } from "#src/domain/session-key";
import { DIRECT } from "../../durable-objects/compose-session";
import { type Environment, environmentFor, systemSession } from "../../durable-objects/environment";
import { requireAdmin } from "../auth";
import { readHookTrace } from "../hook-trace";
import { readJson } from "../read-body";
import { sessionAt } from "../session-at";
import { approvals } from "./approvals";

type Bindings = { Bindings: Env };

/** Largest JSON body of the operator's API in bytes. */
const MAX_BODY_BYTES = 1024 * 1024;
/** Longest message text in characters. */
const MAX_TEXT_CHARS = 500_000;
/** What a stored file is called: a digest of its bytes, and their kind by encodeURIComponent. */
const MEDIA_KEY = /^[0-9a-f]{40}\.(?:[\w.!~*'()-]|%[0-9A-F]{2}){1,255}$/;
/** Sessions asked for their deliveries at the most. */
const MAX_ASKED = 50;

function profileOf(c: Context<Bindings>) {
  return c.env.PROFILES.getByName(DEFAULT_PROFILE);
}

function sessionOf(c: Context<Bindings>) {
  return sessionAt(c.env, c.req.param("key") ?? "");
}

function text(body: Record<string, unknown>, field: string, isRequired: boolean): string | undefined {
  const value = body[field];
  if (value === undefined && !isRequired) return undefined;
  if (typeof value !== "string" || value.trim() === "")
    throw new GatewayError("bad_request", `${field}: expected a text that is not empty.`);
  return value;
}

function required(body: Record<string, unknown>, field: string): string {
  return text(body, field, true) ?? "";
}

function isSet(body: Record<string, unknown>, field: string): boolean {
  const value = body[field] ?? false;
  if (typeof value !== "boolean") throw new GatewayError("bad_request", `${field}: expected true or false.`);
  return value;
}

/** Settings and people as they stand from now on: what this isolate has kept of them is dropped. */
function forgetProfile(): void {
  environmentFor.forget(DEFAULT_PROFILE, Number.POSITIVE_INFINITY);
}

/** Asks the hooks before settings change. @throws GatewayError `refused` */
async function mayChange(env: Env, environment: Environment, settings: readonly string[]): Promise<void> {
  if (!environment.hooks.listens("config.change")) return;
  const data = { source: "api", settings: [...settings] };
  const settled = await systemSession(env, DEFAULT_PROFILE).raise([{ event: "config.change", data }]);
  if (settled.outcome === "deny" || settled.outcome === "stop")
    throw new GatewayError("refused", settled.reason ?? "Blocked by hook.");
}

/** Epoch milliseconds that a page ends before; undefined for the first page. */
function pageMark(c: Context<Bindings>): number | undefined {
  const before = c.req.query("before");
  if (before !== undefined && !/^\d{1,15}$/.test(before))
    throw new GatewayError("bad_request", "before: expected the `next` of the page before.");
  return before === undefined ? undefined : Number(before);
}

function pageSize(c: Context<Bindings>, fallback: number): number {
  const limit = Number(c.req.query("limit") ?? fallback);
  if (!Number.isSafeInteger(limit) || limit < 1)
    throw new GatewayError("bad_request", "limit: expected a whole number from 1.");
  return Math.min(limit, 1000);
}

/** The operator's API: sessions, people, deliveries, settings. */
export const api = new Hono<Bindings>()
  .use(requireAdmin)
  .get("/sessions", async (c) => {
    const before = pageMark(c);
    const limit = pageSize(c, 100);
    const rows = await profileOf(c).sessions({ limit, ...(before === undefined ? {} : { before }) });
    const sessions = rows.map(({ updated_at, title, ...row }) => ({
      ...row,
      ...(title === null ? {} : { title }),
      updated_at: new Date(updated_at).toISOString(),
    }));
    const last = rows.at(-1);
    return c.json({ sessions, ...(rows.length === limit && last !== undefined ? { next: last.updated_at } : {}) });
  })
  .get("/sessions/:key", async (c) => {
    const summary = await sessionOf(c).summary();
    if (summary === undefined) throw new GatewayError("not_found", "There is no such session.");
    return c.json(summary);
  })
  .get("/sessions/:key/messages", async (c) => {
    const { after, before, current } = c.req.query();
    const limit = pageSize(c, 500);
    const messages = await sessionOf(c).transcript({
      limit,
      ...(after === undefined ? {} : { after }),
      ...(before === undefined ? {} : { before }),
      ...(current === undefined ? {} : { current: true }),
    });
    return c.json({ messages });
  })
  .post("/sessions/:key/messages", async (c) => {
    const body = await readJson(c.req.raw, MAX_BODY_BYTES);
    const words = required(body, "text");
    if (words.length > MAX_TEXT_CHARS)
      throw new GatewayError("too_large", `text: longer than ${MAX_TEXT_CHARS} characters.`);
    const id = text(body, "id", false) ?? c.req.header("idempotency-key") ?? crypto.randomUUID();
    if (id.length > 255) throw new GatewayError("bad_request", "id: longer than 255 characters.");
    const { platform } = parseSessionKey(c.req.param("key")) ?? { platform: "" };
    const { adapterOf } = await environmentFor(c.env, DEFAULT_PROFILE);
    if (platform !== "" && !DIRECT.has(platform) && adapterOf(platform) === undefined)
      throw new GatewayError("bad_request", `key: there is no platform ${platform} here.`);
    const result = await sessionOf(c).sendAsOwner(id, words, readHookTrace(c.req.raw.headers, true));
    return c.json(result, 202);
  })
  .get("/media/:key/:media", async (c) => {
    const session = sessionOf(c);
    const media = c.req.param("media");
    const isThere = MEDIA_KEY.test(media) && (await session.summary()) !== undefined;
    const found = isThere ? await session.media(media) : undefined;
    if (found === undefined) throw new GatewayError("not_found", "There is no such file.");
    // what people send is never shown as a page of this origin
    return new Response(found.bytes, {
      headers: { "content-type": found.mime, "content-disposition": "attachment", "x-content-type-options": "nosniff" },
    });
  })
  .get("/deliveries", async (c) => {
    const asked = c.req.query("session");
    const keys = asked === undefined ? await profileOf(c).sessionsWithDeliveries(MAX_ASKED) : [asked];
    const lists = await Promise.all(
      keys.map(async (key) => (await sessionAt(c.env, key).deliveries()).map((record) => ({ key, record }))),
    );
    const deliveries = lists.flat().map(({ key, record }) => ({
      id: `${key}#${record.id}`,
      session: key,
      platform: record.origin.platform,
      state: record.state,
      text: record.text.slice(0, 500),
      attempts: record.attempts,
      created_at: new Date(record.createdAt).toISOString(),
      ...(record.nextAt === 0 ? {} : { next_at: new Date(record.nextAt).toISOString() }),
      ...(record.error === undefined ? {} : { error: record.error }),
    }));
    return c.json({ deliveries });
  })
  .post("/deliveries/:id/replay", async (c) => {
    const [, key, number] = /^(.+)#(\d{1,15})$/.exec(c.req.param("id")) ?? [];
    if (key === undefined) throw new GatewayError("bad_request", "id: expected <session key>#<number>.");
    const isReplayed = await sessionAt(c.env, key).replayDelivery(Number(number));
    if (!isReplayed) throw new GatewayError("not_found", "There is no dead delivery with that id.");
    return c.json({ replayed: true }, 202);
  })
  .route("/approvals", approvals)
  .get("/pairing", async (c) => {
    const environment = await environmentFor(c.env, DEFAULT_PROFILE);
    const [pending, approved] = await Promise.all([
      profileOf(c).pendingPairings(environment.platformsOn()),
      profileOf(c).people(),
    ]);
    return c.json({ pending, approved });
  })
  .post("/pairing/:verb{approve}?", async (c) => {
    const body = await readJson(c.req.raw, MAX_BODY_BYTES);
    const platform = required(body, "platform");
    const code = required(body, "code");
    const owner = isSet(body, "owner");
    const environment = await environmentFor(c.env, DEFAULT_PROFILE);
    if (environment.adapterOf(platform) === undefined)
      throw new GatewayError("bad_request", "platform: there is no such platform here.");
    const approved = await profileOf(c).approvePairing({ platforms: [platform], owner }, code);
    if (approved === undefined)
      throw new GatewayError("not_found", "code: wrong, older than an hour, or locked out after too many wrong ones.");
    forgetProfile();
    return c.json({ approved });
  })
  .delete("/pairing/:person", async (c) => {
    const isRevoked = await profileOf(c).revoke(c.req.param("person"));
    if (!isRevoked) throw new GatewayError("not_found", "Nobody is approved under that name.");
    forgetProfile();
    return c.json({ revoked: true });
  })
  .get("/config", async (c) => {
    const environment = await environmentFor(c.env, DEFAULT_PROFILE);
    return c.json(environment.describeConfig());
  })
  .patch("/config", async (c) => {
    const changes = flattenSettings(await readJson(c.req.raw, MAX_BODY_BYTES));
    const environment = await environmentFor(c.env, DEFAULT_PROFILE);
    environment.checkRuntime(changes);
    await mayChange(c.env, environment, Object.keys(changes));
    await profileOf(c).setRuntime(changes);
    forgetProfile();
    return c.json((await environmentFor(c.env, DEFAULT_PROFILE)).describeConfig());
  })
  .get("/platforms", async (c) =>
    c.json({ platforms: (await environmentFor(c.env, DEFAULT_PROFILE)).describePlatforms() }),
  )
  .get("/usage", async (c) => c.json({ usage: await profileOf(c).usage() }));
