import type { Arrival } from "../../../durable-objects/session-accept";
import type { InboundEvent } from "#src/domain/platform";
import type { LiveEvent } from "#src/domain/live";
import { NO_PROFILE_HOOKS } from "#src/domain/profile-hooks";
import { type SessionScope, parseSessionKey } from "#src/domain/session-key";
import { environmentFor } from "../../../durable-objects/environment";
import { ownerArrival } from "../../../durable-objects/owner-arrival";
import { app } from "../../../workers/app";
import type { Door } from "./platform-door";
import type { PlatformFile } from "./platform-request";

/** What an API client hands to its session. */
type Ask = Pick<InboundEvent, "text" | "attachments"> & Pick<Arrival, "brought" | "isClient">;

const TURN = 1;
const ANSWER = [
  {
    type: "message",
    message: {
      id: "2",
      role: "assistant",
      kind: "chat",
      content: "Heard.",
      created_at: "2026-07-01T10:00:00Z",
      turn_id: `${TURN}`,
    },
  },
  { type: "turn", turn_id: `${TURN}`, state: "ended" },
] as const satisfies readonly LiveEvent[];

/** Our own API: the Worker's real routes, over sessions that write down what they are asked and answer one word. */
export function openApiDoor(config: PlatformFile["config"]): Door {
  const environment = {
    API_SERVER_KEY: config["api_key"],
    PROFILES: { getByName: () => ({ snapshot: async () => SNAPSHOT }) },
  };
  // another file may have another key
  environmentFor.forget("main", Infinity);
  return {
    transport: "http_api",
    async deliver({ method, url, headers, body }, now) {
      const events: InboundEvent[] = [];
      const SESSIONS = { getByName: (key: string) => recordingSession(parseSessionKey(key), events, now) };
      const hasBody = method !== "GET" && method !== "HEAD";
      const request = new Request(url, { method, headers, ...(hasBody ? { body } : {}) });
      const response = await app.request(request, undefined, { ...environment, SESSIONS });
      const text = await response.text();
      const contentType = response.headers.get("content-type") ?? "";
      return {
        status: response.status,
        received: { events, response: { status: response.status, body: text, contentType } },
      };
    },
  };
}

const SNAPSHOT = {
  version: 1,
  runtime: {},
  approved: [],
  owners: [],
  hooks: NO_PROFILE_HOOKS,
  credentials: {},
  allowedAlways: [],
};

function recordingSession(scope: SessionScope | undefined, events: InboundEvent[], now: number) {
  return {
    watch: async () => new Response(ANSWER.map((event) => `${JSON.stringify(event)}\n`).join("")).body,
    async askByApi(id: string, { text, attachments, isClient }: Ask) {
      if (scope === undefined) throw new TypeError("the key of a session is not one");
      const { event } = ownerArrival(scope, { type: "send", id, text }, now, isClient);
      events.push({ ...event, attachments });
      return { turnId: TURN };
    },
    turnUsage: async () => ({ inputTokens: 1, outputTokens: 1 }),
  };
}
