// A receiver of hooks: it checks the signature, answers the same question once, and answers in time.
// Needs: npm install standardwebhooks
import { createServer } from "node:http";
import { Webhook } from "standardwebhooks";

/** Largest body that is read, in bytes: Talaria sends no larger one. */
const MAX_BODY_BYTES = 1024 * 1024;
/** Answers that are remembered, the latest. */
const MAX_REMEMBERED = 1000;
/** Milliseconds before the deadline at which the answer has to be on its way. */
const MARGIN_MS = 200;

/**
 * Makes a server whose `decide(event, request)` is asked once about each event. What it returns is the answer: a
 * decision as docs/hooks/writing.md has them, or nothing.
 */
export function createReceiver({ secret, decide, log = console.error }) {
  const webhook = new Webhook(secret);
  const answers = new Map();

  /** The answer to what was asked before, or a new one. */
  function answerOnce(key, ask) {
    const known = answers.get(key);
    if (known !== undefined) return known;
    const answer = ask();
    answers.set(key, answer);
    // what failed may be asked again
    answer.catch(() => answers.delete(key));
    if (answers.size > MAX_REMEMBERED) answers.delete(answers.keys().next().value);
    return answer;
  }

  async function serve(request, response) {
    try {
      const body = await readBody(request);
      if (body === undefined) return reply(response, 413);
      let event;
      try {
        event = webhook.verify(body, request.headers);
      } catch {
        return reply(response, 401, { message: "the signature is missing, wrong or too old" });
      }
      // the body is a part of the key: a gate is asked again, under the same id, when a later hook changed the input
      const key = `${String(request.headers["webhook-id"])}\n${body}`;
      const answer = answerOnce(key, async () => decide(event, request));
      const decision = await beforeDeadline(answer, Number(request.headers["x-agent-hook-deadline"]));
      return decision === LATE ? reply(response, 504) : reply(response, decision ? 200 : 204, decision);
    } catch (error) {
      log(error);
      return reply(response, 500);
    }
  }

  return createServer((request, response) => void serve(request, response));
}

const LATE = Symbol("late");

/** The answer, or LATE when nobody would wait for it any more. */
async function beforeDeadline(answer, deadlineAt) {
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(() => resolve(LATE), Math.max(0, deadlineAt - Date.now() - MARGIN_MS));
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function readBody(request) {
  const chunks = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function reply(response, status, body) {
  if (body === undefined || body === null) return response.writeHead(status).end();
  return response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

/** Listens on this machine alone; put your own proxy with TLS before it. */
export function listen(receiver, port) {
  receiver.listen(port, "127.0.0.1", () => {
    console.log(`listening on http://127.0.0.1:${receiver.address().port}/`);
  });
}
