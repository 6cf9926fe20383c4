import { type Context, Hono } from "hono";
import { CHOICE_LABELS, type ApprovalChoice } from "#src/approvals/approval-choice";
import { GatewayError } from "#src/domain/errors";
import { DEFAULT_PROFILE, parseSessionKey } from "#src/domain/session-key";
import { environmentFor } from "../../durable-objects/environment";
import { ownerArrival } from "../../durable-objects/owner-arrival";
import { readJson } from "../read-body";
import { sessionAt } from "../session-at";

/** Largest JSON body in bytes. */
const MAX_BODY_BYTES = 64 * 1024;

const CHOICES = Object.keys(CHOICE_LABELS) as readonly ApprovalChoice[];

/** What the agent asks leave for, and what it was given for good. */
export const approvals = new Hono<{ Bindings: Env }>()
  .get("/", async (c) => {
    const [keys, allowed] = await Promise.all([profileOf(c).waitingSessions(), profileOf(c).allowedAlways()]);
    const asked = await Promise.all(keys.map(async (key) => ({ key, question: await openIn(c, key) })));
    const pending = asked.flatMap(({ key, question }) =>
      question === undefined
        ? []
        : [{ id: question.id, session: key, text: question.text, expires_at: question.expires_at }],
    );
    return c.json({ pending, allowed });
  })
  .post("/", async (c) => {
    const { session: key, id, choice } = await readJson(c.req.raw, MAX_BODY_BYTES);
    if (typeof key !== "string") throw new GatewayError("bad_request", "session: expected a session key.");
    if (typeof id !== "string") throw new GatewayError("bad_request", "id: expected that of an open question.");
    const chosen = CHOICES.find((one) => one === choice);
    if (chosen === undefined) throw new GatewayError("bad_request", `choice: expected one of ${CHOICES.join(", ")}.`);
    const question = await openIn(c, key);
    const value = question?.choices.find(({ label }) => label === CHOICE_LABELS[chosen])?.value;
    const scope = parseSessionKey(key);
    if (question?.id !== id || value === undefined || scope === undefined)
      throw new GatewayError("not_found", "There is no such question, or no longer.");
    const action = { type: "action", id: crypto.randomUUID(), value } as const;
    await sessionAt(c.env, key).ingest(ownerArrival(scope, action, Date.now()));
    return c.json({ answered: true }, 202);
  })
  .delete("/:kind", async (c) => {
    const isRevoked = await profileOf(c).disallow(c.req.param("kind"));
    if (!isRevoked) throw new GatewayError("not_found", "That is not allowed for good.");
    environmentFor.forget(DEFAULT_PROFILE, Number.POSITIVE_INFINITY);
    return c.json({ revoked: true });
  });

function profileOf(c: Context<{ Bindings: Env }>) {
  return c.env.PROFILES.getByName(DEFAULT_PROFILE);
}

/** The leave that a session's turn waits for. */
async function openIn(c: Context<{ Bindings: Env }>, key: string) {
  const question = (await sessionAt(c.env, key).summary())?.question;
  return question?.approval === true ? question : undefined;
}
