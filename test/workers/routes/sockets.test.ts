import { onTestFinished, afterEach, beforeEach, expect, it, vi } from "vitest";
import type { LiveEvent } from "#src/domain/live";
import { toBase64Url, utf8 } from "#src/lib/encoding";
import { ORIGIN, type Problem, isKnown, request, wordsIn } from "../../support/doors";
import { type World, openWorld } from "../../support/world";
import { WORLD } from "../../support/world-settings";
import { until } from "../../support/until";

let world: World;
beforeEach(() => {
  world = openWorld();
});
afterEach(() => {
  vi.restoreAllMocks();
});

const BEARER = { authorization: `Bearer ${WORLD.ADMIN_TOKEN}` };
const CARRIED = `bearer.${toBase64Url(utf8(WORLD.ADMIN_TOKEN))}`;

function upgrade(path: string, headers: Readonly<Record<string, string>>): Promise<Response> {
  return request(path, { headers: { upgrade: "websocket", connection: "Upgrade", ...headers } });
}

interface Client {
  readonly events: LiveEvent[];
  send(value: unknown): void;
  /** Resolves with the first event that is wanted, from now or before. */
  next<T extends LiveEvent["type"]>(
    type: T,
    isWanted?: (event: Extract<LiveEvent, { type: T }>) => boolean,
  ): Promise<Extract<LiveEvent, { type: T }>>;
}

async function connect(key: string, query = ""): Promise<Client> {
  const { webSocket } = await upgrade(`/ws/sessions/${encodeURIComponent(key)}${query}`, BEARER);
  if (webSocket === null) throw new Error("no socket");
  const events: LiveEvent[] = [];
  webSocket.addEventListener("message", ({ data }) => void events.push(JSON.parse(String(data)) as LiveEvent));
  webSocket.accept();
  onTestFinished(() => webSocket.close(1000));
  return {
    events,
    send: (value) => webSocket.send(typeof value === "string" ? value : JSON.stringify(value)),
    next: (type, isWanted = () => true) =>
      until(() => {
        const found = events.find(
          (event) => event.type === type && isWanted(event as Extract<LiveEvent, { type: typeof type }>),
        );
        if (found === undefined) throw new Error(`no ${type} among ${JSON.stringify(events)}`);
        return found as Extract<LiveEvent, { type: typeof type }>;
      }),
  };
}

it.each([
  {},
  { authorization: "Bearer wrong" },
  { "sec-websocket-protocol": "talaria" },
  { "sec-websocket-protocol": "talaria, bearer.wrong" },
  { "sec-websocket-protocol": "talaria, bearer." },
  { "sec-websocket-protocol": "talaria, bearer.%%%" },
  { "sec-websocket-protocol": `talaria, bearer.${"A".repeat(5000)}` },
  { "sec-websocket-protocol": "talaria, bearer._w" },
  { "sec-websocket-protocol": ",,," },
])("answers 401 to a socket that shows %j", async (headers) => {
  const response = await upgrade("/ws/sessions/main%3Aweb%3Adm%3Akeyless", { ...headers });
  expect(response.status).toBe(401);
  expect(response.webSocket).toBeNull();
  expect(await isKnown("main:web:dm:keyless")).toBe(false);
});

it("takes no token from the query", async () => {
  const query = `?token=${WORLD.ADMIN_TOKEN}&authorization=${encodeURIComponent(BEARER.authorization)}`;
  expect((await upgrade(`/ws/sessions/main%3Aweb%3Adm%3Akeyless${query}`, {})).status).toBe(401);
});

it("takes the token as a subprotocol, and echoes only the one that is none", async () => {
  for (const offered of [`talaria, ${CARRIED}`, `${CARRIED},talaria`]) {
    const response = await upgrade("/ws/sessions/main%3Aweb%3Adm%3Aechoed", { "sec-websocket-protocol": offered });
    expect([response.status, response.headers.get("sec-websocket-protocol")]).toEqual([101, "talaria"]);
    response.webSocket?.accept();
    response.webSocket?.close(1000);
  }
});

it("names no subprotocol to a client that offered none", async () => {
  for (const headers of [BEARER, { ...BEARER, "sec-websocket-protocol": "chat" }]) {
    const response = await upgrade("/ws/sessions/main%3Aweb%3Adm%3Aechoed", headers);
    expect([response.status, response.headers.get("sec-websocket-protocol")]).toEqual([101, null]);
    response.webSocket?.accept();
    response.webSocket?.close(1000);
  }
});

it.each([
  "https://evil.example",
  "http://talaria.test.evil.example",
  "https://talaria.test",
  "http://talaria.test:81",
  "null",
])("answers 403 to a page of the origin %j", async (origin) => {
  const response = await upgrade("/ws/sessions/main%3Aweb%3Adm%3Aforeign", { ...BEARER, origin });
  expect(response.status).toBe(403);
  expect(await response.json<Problem>()).toMatchObject({ code: "forbidden" });
});

it("takes a socket of its own page", async () => {
  const response = await upgrade("/ws/sessions/main%3Aweb%3Adm%3Aown", { ...BEARER, origin: ORIGIN });
  expect(response.status).toBe(101);
  response.webSocket?.accept();
  response.webSocket?.close(1000);
});

it.each(["x", "%25", "%E0%A4%A", "main%3Aweb%3Adm%3A", "__proto__", `main%3Aweb%3Adm%3A${"x".repeat(2000)}`])(
  "answers 400 to a socket for the session %j",
  async (key) => {
    expect((await upgrade(`/ws/sessions/${key}`, BEARER)).status).toBe(400);
  },
);

it("answers 426 to a request that is no socket, and 404 to a path that is none", async () => {
  expect((await request("/ws/sessions/main%3Aweb%3Adm%3Aplain", { headers: BEARER })).status).toBe(426);
  expect((await upgrade("/ws", BEARER)).status).toBe(404);
  expect((await upgrade("/ws/sessions", BEARER)).status).toBe(404);
});

it("greets with the conversation, streams an answer, and shows what was said since to who comes back", async () => {
  const key = "main:web:dm:greeted";
  const first = await connect(key);
  expect(await first.next("hello")).toMatchObject({ session: { key, epoch: 1 }, messages: [] });
  first.send({ type: "send", id: "1", text: "hello" });
  const answer = await first.next("message", ({ message }) => message.role === "assistant");
  expect(answer.message.content).toBe("You said: hello");
  await first.next("turn", ({ state }) => state === "ended");
  const grown = first.events.flatMap((event) => (event.type === "delta" ? [event.text] : [])).join("");
  expect(grown).toBe("You said: hello");
  const { id: seen } = (await first.next("message", ({ message }) => message.role === "user")).message;
  const again = await (await connect(key, `?after=${seen}`)).next("hello");
  expect(again.messages.map(({ content }) => content)).toEqual(["You said: hello"]);
  const whole = await (await connect(key)).next("hello");
  expect(whole.messages.map(({ content }) => content)).toEqual(["hello", "You said: hello"]);
});

it("tells every socket of a session the same", async () => {
  const key = "main:web:dm:several";
  const [one, two] = [await connect(key), await connect(key)];
  one.send({ type: "send", id: "1", text: "for both" });
  for (const client of [one, two])
    await client.next("message", ({ message }) => message.content === "You said: for both");
});

it("takes a message once for each id", async () => {
  const key = "main:web:dm:socket-once";
  const client = await connect(key);
  for (let i = 0; i < 3; i++) client.send({ type: "send", id: "same", text: "once" });
  await client.next("turn", ({ state }) => state === "ended");
  expect(await wordsIn(key)).toEqual(["once"]);
});

it("stops the running turn", async () => {
  world.say = () => new Promise(() => undefined);
  const client = await connect("main:web:dm:stopped");
  client.send({ type: "send", id: "1", text: "think" });
  await until(() => expect(world.asked).toHaveLength(1));
  client.send({ type: "stop" });
  expect((await client.next("message", ({ message }) => message.role === "assistant")).message.content).toMatch(
    /Stopped/,
  );
});

const GARBAGE = [
  "",
  "null",
  "[]",
  "1",
  "{",
  "{}",
  '{"type":"send"}',
  '{"type":"send","id":"1"}',
  '{"type":"send","id":1,"text":"x"}',
  '{"type":"send","id":"","text":"x"}',
  '{"type":"send","id":"1","text":5}',
  `{"type":"send","id":"${"x".repeat(256)}","text":"x"}`,
  '{"type":"action","id":"1"}',
  '{"type":"__proto__"}',
  '{"type":"delete","id":"1"}',
  "[".repeat(100_000),
];

it("says what it cannot take, and goes on", async () => {
  const client = await connect("main:web:dm:garbage");
  for (const text of GARBAGE) client.send(text);
  client.send({ type: "action", id: "2", value: "q:99:0" });
  client.send({ type: "send", id: "3", text: "still there?" });
  await client.next("message", ({ message }) => message.content === "You said: still there?");
  expect(client.events.filter((event) => event.type === "error")).toHaveLength(GARBAGE.length);
});
