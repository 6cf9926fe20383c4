// A Worker that refuses `rm -rf`: it checks the signature, answers the same question once, and answers in time.
// Needs `standardwebhooks`, a secret HOOK_SECRET and a KV namespace ANSWERS (see wrangler.toml beside this file).
import { Webhook, WebhookVerificationError } from "standardwebhooks";

interface Env {
  readonly HOOK_SECRET: string;
  readonly ANSWERS: KVNamespace;
}

/** What of a native event this receiver looks at. */
interface HookEvent {
  readonly type: string;
  readonly data: { readonly input?: { readonly command?: string } };
}

/** Seconds for which an answer is remembered. KV may take a minute to tell other places of it: enough against retries. */
const REMEMBERED_SECONDS = 86_400;
/** Milliseconds before the deadline at which the answer has to be on its way. */
const MARGIN_MS = 200;

// oxlint-disable-next-line import/no-default-export -- what Workers are
export default {
  async fetch(request, env) {
    if (request.method !== "POST") return new Response(null, { status: 405 });
    const body = await request.text();
    const event = verify(body, request.headers, env.HOOK_SECRET);
    if (event === undefined) return new Response(null, { status: 401 });
    const leftMs = Number(request.headers.get("x-agent-hook-deadline")) - Date.now() - MARGIN_MS;
    const late = new Promise<Response>((resolve) => {
      setTimeout(() => resolve(new Response(null, { status: 504 })), Math.max(0, leftMs));
    });
    return Promise.race([answerOnce(await keyOf(request.headers, body), event, env), late]);
  },
} satisfies ExportedHandler<Env>;

function verify(body: string, headers: Headers, secret: string): HookEvent | undefined {
  try {
    // what was signed with our secret is an event of Talaria's
    return new Webhook(secret).verify(body, Object.fromEntries(headers)) as HookEvent;
  } catch (error) {
    if (error instanceof WebhookVerificationError) return undefined;
    throw error;
  }
}

/** The body is a part of the key: a gate is asked again, under the same id, when a later hook changed the input. */
async function keyOf(headers: Headers, body: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(body));
  const hex = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
  return `${headers.get("webhook-id")}:${hex}`;
}

async function answerOnce(key: string, event: HookEvent, { ANSWERS }: Env): Promise<Response> {
  const known = await ANSWERS.get(key);
  const answer = known ?? JSON.stringify(decide(event) ?? null);
  if (known === null) await ANSWERS.put(key, answer, { expirationTtl: REMEMBERED_SECONDS });
  if (answer === "null") return new Response(null, { status: 204 });
  return new Response(answer, { headers: { "content-type": "application/json" } });
}

/** What is returned is the answer: a decision, or nothing for no opinion. */
function decide({ type, data }: HookEvent): object | undefined {
  const isForced = type === "tool.pre" && /\brm\s+(?:-\S+\s+)*-(?:\w*r\w*f|\w*f\w*r)/i.test(data.input?.command ?? "");
  return isForced ? { decision: "deny", reason: "rm -rf is not allowed here." } : undefined;
}
