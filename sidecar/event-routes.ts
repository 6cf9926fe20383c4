import type { Events } from "./events.ts";
import type { Call, Reply, Route } from "./http.ts";
import { Problem } from "./problem.ts";

const MAX_WAIT_MS = 60_000;
const KEEP_ALIVE_MS = 15_000;

/** The route by which a caller learns what happened, by asking again or by one long answer. */
export function eventRoutes(events: Events): readonly Route[] {
  return [
    {
      method: "GET",
      path: "/v1/events",
      async run(call) {
        const after = readCursor(call.query.optionalText("after") ?? call.request.headers["last-event-id"]);
        const waitMs = call.query.integer("wait_ms", { min: 0, max: MAX_WAIT_MS, otherwise: 0 });
        call.query.end();
        if (/text\/event-stream/i.test(call.request.headers.accept ?? "")) return stream(events, call, after);
        return poll(events, call, after, waitMs);
      },
    },
  ];
}

async function poll(
  events: Events,
  { session, gone }: Call,
  after: string | undefined,
  waitMs: number,
): Promise<Reply> {
  const page = events.read(session, after);
  if (page.events.length > 0 || page.restarted === true || waitMs === 0) return { body: page };
  await events.wait(session, AbortSignal.any([gone, AbortSignal.timeout(waitMs)]));
  return { body: events.read(session, after) };
}

// Source: https://html.spec.whatwg.org/multipage/server-sent-events.html
async function stream(events: Events, { session, gone, response }: Call, after: string | undefined): Promise<void> {
  let cursor = after;
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  response.write("retry: 1000\n\n");
  while (!gone.aborted) {
    const page = events.read(session, cursor);
    if (page.restarted === true || page.missed === true)
      response.write(`event: gap\ndata: ${JSON.stringify({ ...page, events: undefined })}\n\n`);
    for (const event of page.events)
      response.write(`id: ${event.cursor}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    cursor = page.next_cursor;
    const pause = AbortSignal.any([gone, AbortSignal.timeout(KEEP_ALIVE_MS)]);
    await events.wait(session, pause);
    if (pause.aborted && !gone.aborted) response.write(": alive\n\n");
  }
}

function readCursor(value: string | readonly string[] | undefined): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "string" && /^[0-9a-f]{1,32}\.\d{1,15}$/.test(value)) return value;
  throw new Problem("field_invalid", "after must be a cursor that this route gave.", { field: "after" });
}
