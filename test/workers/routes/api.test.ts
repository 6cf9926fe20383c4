import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type Problem, admit, isKnown, operate, postTelegramBody, request, wordsIn } from "../../support/doors";
import { type World, openWorld, postTelegram, privateMessage } from "../../support/world";
import { until } from "../../support/until";

let world: World;
beforeEach(() => {
  world = openWorld();
});
afterEach(() => {
  vi.restoreAllMocks();
});

interface Row {
  readonly id: string;
  readonly role: string;
  readonly content: string;
  readonly turn_id: string;
  readonly created_at: string;
}

function sessionPath(key: string, rest = ""): string {
  return `/api/sessions/${encodeURIComponent(key)}${rest}`;
}

async function read<T>(response: Promise<Response>): Promise<T> {
  return (await response).json<T>();
}

/** The transcript, once its newest turn has ended. */
async function settled(key: string, query = ""): Promise<readonly Row[]> {
  await until(async () => {
    const { running } = await read<{ running: boolean }>(operate("GET", sessionPath(key)));
    expect(running).toBe(false);
  });
  return (await read<{ messages: Row[] }>(operate("GET", sessionPath(key, `/messages${query}`)))).messages;
}

/** The session tells the profile of itself once it rests. */
async function told(key: string): Promise<void> {
  await until(async () => {
    await runInDurableObject(env.SESSIONS.getByName(key), (session) => session.alarm());
    const { sessions } = await read<{ sessions: { key: string }[] }>(operate("GET", "/api/sessions?limit=1000"));
    expect(sessions.map((session) => session.key)).toContain(key);
  });
}

function send(key: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  return operate("POST", sessionPath(key, "/messages"), body, headers);
}

const ROUTES: readonly (readonly [string, string])[] = [
  ["GET", "/api/sessions"],
  ["GET", "/api/sessions/main%3Aweb%3Adm%3Ax"],
  ["POST", "/api/sessions/main%3Aweb%3Adm%3Ax/messages"],
  ["GET", "/api/deliveries"],
  ["POST", "/api/deliveries/x/replay"],
  ["GET", "/api/pairing"],
  ["POST", "/api/pairing"],
  ["DELETE", "/api/pairing/telegram%3A1"],
  ["GET", "/api/config"],
  ["PATCH", "/api/config"],
  ["GET", "/api/platforms"],
  ["GET", "/api/usage"],
  ["GET", "/api/nothing-of-the-kind"],
  ["OPTIONS", "/api/sessions"],
];

it.each(ROUTES)("answers 401 to %s %s without the operator's token", async (method, path) => {
  for (const headers of [
    {},
    { authorization: "Bearer wrong" },
    { authorization: "Basic d29ybGQ6" },
    { authorization: "Bearer" },
  ]) {
    const response = await request(path, { method, headers });
    expect(response.status).toBe(401);
    expect(response.headers.get("content-type")).toBe("application/problem+json");
    expect(await response.json()).toMatchObject({ type: "about:blank", status: 401, code: "signature_invalid" });
  }
});

it("takes no token from the query", async () => {
  expect((await request("/api/sessions?token=world-admin-token&access_token=world-admin-token")).status).toBe(401);
});

it("answers 404 with a problem to a path that is none, and to a method that a path does not take", async () => {
  for (const [method, path] of [
    ["GET", "/api/nothing"],
    ["GET", "/api"],
    ["DELETE", "/api/config"],
    ["PUT", "/api/sessions"],
  ]) {
    const response = await operate(method ?? "", path ?? "");
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ title: "not found", status: 404, code: "not_found" });
  }
});

const NOT_A_BODY = ["", "null", "[]", "1", '"text"', "{", '{"a":'.repeat(65) + "1" + "}".repeat(65)];

it.each(NOT_A_BODY)("answers 400 to the body %j, wherever one is read", async (body) => {
  for (const [method, path] of [
    ["POST", sessionPath("main:web:dm:bodies", "/messages")],
    ["POST", "/api/pairing"],
    ["PATCH", "/api/config"],
  ]) {
    const response = await operate(method ?? "", path ?? "", body === "" ? undefined : body);
    expect([path, response.status]).toEqual([path, 400]);
    expect((await response.json<Problem>()).detail).toMatch(/body/);
  }
  expect(await isKnown("main:web:dm:bodies")).toBe(false);
});

it("answers 413 to a body over a megabyte", async () => {
  expect((await send("main:web:dm:large", { text: "x".repeat(1_100_000) })).status).toBe(413);
  expect((await send("main:web:dm:large", { text: "x".repeat(500_001) })).status).toBe(413);
});

it.each([
  [{}, "text"],
  [{ text: 5 }, "text"],
  [{ text: "  " }, "text"],
  [{ text: null }, "text"],
  [{ text: "a", id: 5 }, "id"],
  [{ text: "a", id: "" }, "id"],
  [{ text: "a", id: "x".repeat(256) }, "id"],
])("names what is wrong with the message %j", async (body, field) => {
  const response = await send("main:web:dm:fields", body);
  expect(response.status).toBe(400);
  expect((await response.json<Problem>()).detail).toMatch(new RegExp(`^${field}:`));
  expect(await isKnown("main:web:dm:fields")).toBe(false);
});

it.each([
  "nonsense",
  "main:web:dm",
  "main:web:dm:",
  "main:web:x:y",
  "%",
  "%E0%A4%A",
  "main%3Aweb%3Adm%3A%ZZ",
  "main:web:dm:a/b",
  "main:web:dm:ä",
  "__proto__",
  ":::",
  "main:web:dm:%ED%A0%80",
])("answers 400 or 404 to the session key %j", async (key) => {
  for (const path of [`/api/sessions/${key}`, `/api/sessions/${key}/messages`, `/api/media/${key}/x`]) {
    expect([400, 404]).toContain((await operate("GET", path)).status);
  }
  expect([400, 404]).toContain((await operate("POST", `/api/sessions/${key}/messages`, { text: "hi" })).status);
  expect((await operate("GET", `/api/deliveries?session=${key}`)).status).toBe(400);
  expect([400, 404]).toContain((await operate("POST", `/api/deliveries/${key}%231/replay`)).status);
});

it("answers 400 to a session key that is too long to name an object", async () => {
  const key = `main:web:dm:${"x".repeat(2000)}`;
  expect((await send(key, { text: "hi" })).status).toBe(400);
});

it("takes a chat whose name needs encoding twice", async () => {
  const key = `main:web:dm:${encodeURIComponent("a/b c:d#ä%")}`;
  expect((await send(key, { text: "hi" })).status).toBe(202);
  expect(await wordsIn(key)).toEqual(["hi"]);
});

it("answers for a session that does not exist, and makes none", async () => {
  const key = "main:web:dm:never";
  expect((await operate("GET", sessionPath(key))).status).toBe(404);
  expect(await read(operate("GET", sessionPath(key, "/messages")))).toEqual({ messages: [] });
  expect((await operate("GET", `/api/media/${encodeURIComponent(key)}/x.png`)).status).toBe(404);
  expect(await read(operate("GET", `/api/deliveries?session=${encodeURIComponent(key)}`))).toEqual({ deliveries: [] });
  expect((await operate("POST", `/api/deliveries/${encodeURIComponent(`${key}#1`)}/replay`)).status).toBe(404);
});

it.each(["%25", "x", "__proto__", "a.%25zz", "..%2F..", "x".repeat(3000)])(
  "answers 404 to the file %j",
  async (media) => {
    const key = "main:web:dm:media";
    await send(key, { text: "hi" });
    expect((await operate("GET", `/api/media/${encodeURIComponent(key)}/${media}`)).status).toBe(404);
  },
);

it("runs the operator's words once for each id", async () => {
  const key = "main:web:dm:once";
  const first = await read<{ status: string; turnId: number }>(send(key, { text: "hello", id: "m1" }));
  expect(first.status).toBe("accepted");
  expect(await read(send(key, { text: "hello", id: "m1" }))).toMatchObject({ status: "duplicate" });
  expect(await read(send(key, { text: "hello" }, { "idempotency-key": "m1" }))).toMatchObject({ status: "duplicate" });
  const rows = await settled(key);
  expect(rows.map(({ role, content }) => [role, content])).toEqual([
    ["user", "hello"],
    ["assistant", "You said: hello"],
  ]);
  expect(rows.map((row) => row.turn_id)).toEqual([String(first.turnId), String(first.turnId)]);
  expect(new Date(rows[0]?.created_at ?? "").toISOString()).toBe(rows[0]?.created_at);
});

it("shows a session's summary and lists it, newest first", async () => {
  const key = "main:web:dm:listed";
  await send(key, { text: "list me" });
  await settled(key);
  expect(await read(operate("GET", sessionPath(key)))).toMatchObject({ key, running: false, epoch: 1 });
  await told(key);
  const { sessions } = await read<{ sessions: { key: string; updated_at: string }[] }>(operate("GET", "/api/sessions"));
  expect(sessions.find((session) => session.key === key)).toMatchObject({ platform: "web", messages: 2 });
  const times = sessions.map((session) => session.updated_at);
  expect(times).toEqual([...times].sort().reverse());
});

it("pages through sessions", async () => {
  for (const name of ["page-a", "page-b"]) {
    await send(`main:web:dm:${name}`, { text: "hi" });
    await settled(`main:web:dm:${name}`);
    await told(`main:web:dm:${name}`);
  }
  const first = await read<{ sessions: { key: string }[]; next: number }>(operate("GET", "/api/sessions?limit=1"));
  expect(first.sessions).toHaveLength(1);
  const second = await read<{ sessions: { key: string }[] }>(
    operate("GET", `/api/sessions?limit=1&before=${first.next}`),
  );
  expect(second.sessions[0]?.key).not.toBe(first.sessions[0]?.key);
});

it("pages through a transcript, forwards and backwards", async () => {
  const key = "main:web:dm:paged";
  for (const words of ["one", "two", "three"]) {
    await send(key, { text: words });
    await settled(key);
  }
  const all = await settled(key);
  const contents = (rows: readonly Row[]): string[] => rows.map((row) => row.content);
  expect(contents(all)).toEqual(["one", "You said: one", "two", "You said: two", "three", "You said: three"]);
  expect(contents(await settled(key, `?after=${all[1]?.id}&limit=2`))).toEqual(["two", "You said: two"]);
  expect(contents(await settled(key, `?before=${all[4]?.id}&limit=2`))).toEqual(["two", "You said: two"]);
  expect(contents(await settled(key, "?limit=1"))).toHaveLength(1);
});

it.each(["limit=0", "limit=-1", "limit=1.5", "limit=x", "limit=", "limit=1e999", "limit=NaN"])(
  "answers 400 to ?%s",
  async (query) => {
    for (const path of ["/api/sessions", sessionPath("main:web:dm:paged", "/messages")]) {
      const response = await operate("GET", `${path}?${query}`);
      expect(response.status).toBe(400);
      expect((await response.json<Problem>()).detail).toMatch(/^limit:/);
    }
  },
);

it("names a page mark that is none", async () => {
  for (const query of ["before=x", "before="]) {
    const response = await operate("GET", `/api/sessions?${query}`);
    expect(response.status).toBe(400);
    expect((await response.json<Problem>()).detail).toMatch(/^before:/);
  }
  for (const query of ["after=x", "before=__proto__", "after=-1", "after=99999999999999999999"])
    expect((await operate("GET", `${sessionPath("main:web:dm:paged", "/messages")}?${query}`)).status).toBeLessThan(
      500,
    );
});

/** The code that a stranger was given. */
async function codeOf(chat: number): Promise<string> {
  await until(() => expect(world.textsOf(chat)).toHaveLength(1));
  return /`?([A-Z0-9]{4}-?[A-Z0-9]{4})`?/.exec(world.textsOf(chat)[0] ?? "")?.[1] ?? "";
}

it("lets a stranger in when their code is approved, and keeps them out once they are revoked, both at once", async () => {
  const chat = 9401;
  await postTelegram(privateMessage(chat, 1, "let me in"));
  const code = await codeOf(chat);
  const { pending } = await read<{ pending: { platform: string; userId: string }[] }>(operate("GET", "/api/pairing"));
  expect(pending).toContainEqual(expect.objectContaining({ platform: "telegram", userId: "9401" }));
  const approved = await operate("POST", "/api/pairing", { platform: "telegram", code });
  expect([approved.status, await approved.json()]).toEqual([
    200,
    { approved: { platform: "telegram", userId: "9401" } },
  ]);
  await postTelegram(privateMessage(chat, 2, "now?"));
  await until(() => expect(world.textsOf(chat).at(-1)).toBe("You said: now?"));
  expect((await operate("DELETE", "/api/pairing/telegram%3A9401")).status).toBe(200);
  await postTelegram(privateMessage(chat, 3, "still?"));
  await until(() => expect(world.textsOf(chat).at(-1)).toMatch(/do not know you/));
  expect(await wordsIn("main:telegram:dm:9401")).toEqual(["now?"]);
  expect((await operate("DELETE", "/api/pairing/telegram%3A9401")).status).toBe(404);
});

it("approves by the longer path too", async () => {
  await postTelegram(privateMessage(9402, 1, "let me in"));
  const code = await codeOf(9402);
  const response = await operate("POST", "/api/pairing/approve", { platform: "telegram", code, owner: true });
  expect(response.status).toBe(200);
  const { approved } = await read<{ approved: { id: string; owner: boolean }[] }>(operate("GET", "/api/pairing"));
  expect(approved).toContainEqual(expect.objectContaining({ id: "telegram:9402", owner: true }));
});

it.each([
  [{}, 400],
  [{ platform: "slack" }, 400],
  [{ platform: "slack", code: 5 }, 400],
  [{ platform: "slack", code: "AAAA2222", owner: "yes" }, 400],
  [{ platform: "nonsense", code: "AAAA2222" }, 400],
  [{ platform: "__proto__", code: "AAAA2222" }, 400],
  [{ platform: "slack", code: "\ud800" }, 404],
  [{ platform: "slack", code: "ÄÖ" }, 404],
  [{ platform: "slack", code: "x".repeat(100_000) }, 404],
  [{ platform: "slack", code: "AAAA2222" }, 404],
])("refuses the approval %j", async (body, status) => {
  expect((await operate("POST", "/api/pairing", body)).status).toBe(status);
});

it.each(["telegram%3A1", "x", "%25", "__proto__", "x".repeat(3000)])(
  "answers 404 to the revocation of %j, who is nobody",
  async (person) => {
    expect((await operate("DELETE", `/api/pairing/${person}`)).status).toBe(404);
  },
);

it("sets a setting at run time, shows it, and unsets it with null", async () => {
  const before = await read<{ version: number; config: { agent: { max_turns: number } } }>(
    operate("GET", "/api/config"),
  );
  const set = await operate("PATCH", "/api/config", { "agent.max_turns": 7 });
  expect(set.status).toBe(200);
  const shown = await read<{ config: object; runtime: object; version: number }>(operate("GET", "/api/config"));
  expect(shown).toMatchObject({ config: { agent: { max_turns: 7 } }, runtime: { "agent.max_turns": 7 } });
  expect(shown.version).toBeGreaterThan(before.version);
  await operate("PATCH", "/api/config", { "agent.max_turns": null });
  const after = await read<{ config: { agent: { max_turns: number } }; runtime: object }>(
    operate("GET", "/api/config"),
  );
  expect(after.config.agent.max_turns).toBe(before.config.agent.max_turns);
  expect(after.runtime).not.toHaveProperty(["agent.max_turns"]);
});

it.each([
  ['{"agent.max_turns":"many"}', "agent.max_turns"],
  ['{"agent.max_turns":-1}', "agent.max_turns"],
  ['{"no.such.setting":1}', "no.such.setting"],
  ['{"__proto__":{"x":1}}', "__proto__"],
  ['{"constructor.prototype.x":1}', "constructor.prototype.x"],
  ['{"":1}', ""],
])("names the setting that %s gets wrong, and changes nothing", async (body, setting) => {
  const before = await read(operate("GET", "/api/config"));
  const response = await operate("PATCH", "/api/config", body);
  expect(response.status).toBe(400);
  expect((await response.json<Problem>()).detail).toContain(`${setting}:`);
  expect(await read(operate("GET", "/api/config"))).toEqual(before);
});

it("shows settings without a secret", async () => {
  for (const path of ["/api/config", "/api/platforms", "/health"]) {
    const text = await (await operate("GET", path)).text();
    expect(text).not.toMatch(/world-(?:key|token|secret|admin|signing|generic)/);
  }
});

it("tells what each platform needs and which are on", async () => {
  const { platforms } = await read<{ platforms: { name: string; on: boolean; settings: object[] }[] }>(
    operate("GET", "/api/platforms"),
  );
  expect(platforms).toContainEqual(
    expect.objectContaining({ name: "telegram", on: true, webhook: "/webhooks/telegram" }),
  );
  expect(platforms.find(({ name }) => name === "slack")?.settings).toContainEqual(
    expect.objectContaining({ env: "SLACK_SIGNING_SECRET", required: true, secret: true }),
  );
});

it("sums up tokens by day, model and platform", async () => {
  const key = "main:web:dm:counted";
  await send(key, { text: "count me" });
  await settled(key);
  await told(key);
  const { usage } = await read<{ usage: object[] }>(operate("GET", "/api/usage"));
  expect(usage).toContainEqual(
    expect.objectContaining({ model: expect.stringContaining("scripted"), platform: "web" }),
  );
});

it("shows a delivery that was given up, and hands it over when it is replayed", async () => {
  const chat = 9403;
  const key = `main:telegram:dm:${chat}`;
  await admit(`telegram:${chat}`);
  const telegram = vi.mocked(fetch).getMockImplementation();
  let isBlocked = true;
  vi.mocked(fetch).mockImplementation(async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    if (isBlocked && /\/(?:sendMessage|editMessageText)$/.test(url))
      return Response.json(
        { ok: false, error_code: 403, description: "Forbidden: bot was blocked by the user" },
        { status: 403 },
      );
    return telegram?.(input, init) ?? new Response(null, { status: 500 });
  });
  await postTelegramBody(JSON.stringify({ update_id: 1, ...privateMessage(chat, 1, "anyone there?") }));
  const path = `/api/deliveries?session=${encodeURIComponent(key)}`;
  const dead = await until(async () => {
    const { deliveries } = await read<{ deliveries: { id: string; state: string; error: string }[] }>(
      operate("GET", path),
    );
    expect(deliveries).toMatchObject([{ state: "dead", session: key, platform: "telegram" }]);
    return deliveries[0];
  });
  expect(dead?.error).toContain("403");
  await told(key);
  const everywhere = await read<{ deliveries: { id: string }[] }>(operate("GET", "/api/deliveries"));
  expect(everywhere.deliveries.map(({ id }) => id)).toContain(dead?.id);
  isBlocked = false;
  expect((await operate("POST", `/api/deliveries/${encodeURIComponent(dead?.id ?? "")}/replay`)).status).toBe(202);
  await until(() => expect(world.textsOf(chat).join()).toContain("You said: anyone there?"));
  await until(async () => expect(await read(operate("GET", path))).toEqual({ deliveries: [] }));
  expect((await operate("POST", `/api/deliveries/${encodeURIComponent(dead?.id ?? "")}/replay`)).status).toBe(404);
});

it.each([
  "x",
  "%23",
  "main:web:dm:x",
  "main:web:dm:x%23",
  "main:web:dm:x%23abc",
  "main:web:dm:x%23-1",
  "main:web:dm:x%231e999",
  "main:web:dm:x%231.5",
])("answers 400 or 404 to the replay of %j, which is no delivery", async (id) => {
  expect([400, 404]).toContain((await operate("POST", `/api/deliveries/${id}/replay`)).status);
});

it("takes settings in their sections, as it shows them, and with dots", async () => {
  const changes = { agent: { max_turns: 9, interruptions: 5 }, "compaction.threshold": 0.6, approvals: {} };
  expect(await read(operate("PATCH", "/api/config", changes))).toMatchObject({
    runtime: { "agent.max_turns": 9, "agent.interruptions": 5, "compaction.threshold": 0.6 },
  });
  const unset = { agent: { max_turns: null, interruptions: null }, compaction: { threshold: null } };
  const after = await read<{ runtime: object }>(operate("PATCH", "/api/config", unset));
  expect(after.runtime).not.toHaveProperty(["agent.max_turns"]);
});

it.each([
  [{ agent: { max_turns: "abc" } }, "agent.max_turns: expected a whole number"],
  [{ agent: { max_turn: 5 } }, "agent.max_turn: there is no such setting"],
  [{ agent: null }, "agent: is a section"],
  [{ agent: [1] }, "agent: is a section"],
])("names the setting that is wrong in %j", async (changes, told) => {
  const response = await operate("PATCH", "/api/config", changes);
  expect(response.status).toBe(400);
  expect((await response.json<{ detail: string }>()).detail).toContain(told);
});

it("answers 400 to words for a platform that does not exist, and keeps none of them", async () => {
  const response = await send("main:telegrm:dm:7001", { text: "hi" });
  expect(response.status).toBe(400);
  expect((await response.json<{ detail: string }>()).detail).toBe("key: there is no platform telegrm here.");
  expect(await isKnown("main:telegrm:dm:7001")).toBe(false);
});
