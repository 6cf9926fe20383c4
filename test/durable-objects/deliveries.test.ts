import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type World, lastWords, openWorld, operator } from "../support/world";
import { type SessionDriver, openSession } from "./session-driver";
import { until } from "../support/until";

const LONG = "This is the beginning of a long answer that a person can already read";

let world: World;
beforeEach(() => {
  world = openWorld();
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Refuses the first sends to a chat. */
function refuse(chat: number, ...refusals: (() => Response)[]): void {
  world.answer = (call, body) =>
    call === "telegram sendMessage" && String(body["chat_id"]) === String(chat) ? refusals.shift()?.() : undefined;
}

function slowDown(seconds: number): () => Response {
  return () =>
    Response.json(
      { ok: false, error_code: 429, description: "Too Many Requests", parameters: { retry_after: seconds } },
      { status: 429 },
    );
}

/** Resolves when the platform has asked to wait with the first answer. */
async function heldBack(session: SessionDriver): Promise<void> {
  await until(async () =>
    expect(String((await session.sql<{ data: string }>("SELECT data FROM outbox"))[0]?.data)).toContain("429"),
  );
}

const unavailable = (): Response => new Response("bad", { status: 503 });

it("waits as long as the platform asks and then delivers, in order", async () => {
  const session = openSession(world, 73_001);
  refuse(73_001, slowDown(1));
  await session.say("one");
  await heldBack(session);
  await session.say("two");
  expect(await session.shown(2)).toEqual(["You said: one", "You said: two"]);
});

it("tries again when the platform is down or the connection breaks", async () => {
  const session = openSession(world, 73_002);
  refuse(73_002, unavailable);
  await session.say("one");
  expect(await session.shown(1)).toEqual(["You said: one"]);
});

it("keeps what a platform refuses for good, shows it to the operator and sends it again when told", async () => {
  const session = openSession(world, 73_003);
  refuse(73_003, () =>
    Response.json(
      { ok: false, error_code: 403, description: "Forbidden: bot was blocked by the user" },
      { status: 403 },
    ),
  );
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  await session.say("one");
  const path = `/api/deliveries?session=${encodeURIComponent(session.key)}`;
  const dead = await until(async () => {
    const { deliveries } = await (
      await operator(path)
    ).json<{ deliveries: { id: string; state: string; error?: string; text: string }[] }>();
    expect(deliveries).toMatchObject([{ state: "dead", text: "You said: one" }]);
    return deliveries[0];
  });
  expect(dead?.error).toContain("blocked");
  // the operator finds it without knowing the session
  await session.wake();
  const all = await (await operator("/api/deliveries")).json<{ deliveries: { session: string }[] }>();
  expect(all.deliveries.map((delivery) => delivery.session)).toContain(session.key);
  const again = await operator(`/api/deliveries/${encodeURIComponent(dead?.id ?? "")}/replay`, { method: "POST" });
  expect(again.status).toBe(202);
  expect(await session.shown(1)).toEqual(["You said: one"]);
});

it("does not show a growing answer before an earlier one that the platform still holds back", async () => {
  const session = openSession(world, 73_004);
  refuse(73_004, slowDown(8));
  await session.say("one");
  await heldBack(session);
  world.say = () => ({ text: LONG, hold: new Promise((resolve) => setTimeout(resolve, 600)) });
  await session.say("two");
  await until(async () => expect(await session.sql("SELECT id FROM turns")).toEqual([]));
  expect(await session.shown(2)).toEqual(["You said: one", LONG]);
}, 20_000);

it("marks nothing as sent again that was never tried", async () => {
  const session = openSession(world, 73_009);
  refuse(73_009, slowDown(8));
  await session.say("one");
  await heldBack(session);
  await session.say("two");
  await until(async () => expect(await session.sql("SELECT id FROM turns")).toEqual([]));
  await session.sql("UPDATE outbox SET data = json_set(data, '$.nextAt', 1)");
  await session.crash();
  expect(await session.shown(2)).toEqual(["You said: one", "You said: two"]);
});

it("marks nothing as sent again that the platform had refused", async () => {
  const session = openSession(world, 73_010);
  refuse(73_010, slowDown(1));
  world.say = (asked) => ({
    text: LONG,
    hold: world.asked.length === 1 ? new Promise(() => undefined) : Promise.resolve(asked),
  });
  await session.say("one");
  await until(() => expect(world.calls.filter((call) => call === "telegram sendMessage")).toHaveLength(1));
  await session.crash();
  expect(await session.shown(1)).toEqual([LONG]);
});

it("sends a long answer in parts, in order, and marks nothing as doubled", async () => {
  const session = openSession(world, 73_005);
  const text = Array.from({ length: 220 }, (_, line) => `Line ${line} says a few words of its own.`).join("\n");
  world.say = () => ({ text });
  await session.say("tell me everything");
  await until(() => expect(world.textsOf(73_005).join("\n")).toContain("Line 219"));
  await session.settled();
  const parts = world.textsOf(73_005);
  expect(parts.length).toBeGreaterThan(1);
  expect(parts.map((part) => part.replace(/ \(\d+\/\d+\)$/, "")).join("\n")).toBe(text);
});

it("lets a long answer grow, and shows its end in parts", async () => {
  const session = openSession(world, 73_006);
  const text = Array.from({ length: 220 }, (_, line) => `Line ${line} says a few words of its own.`).join("\n");
  world.say = () => ({ text, hold: new Promise((resolve) => setTimeout(resolve, 700)) });
  await session.say("tell me everything");
  await until(() => expect(world.textsOf(73_006).join("\n")).toContain("Line 219"));
  await session.settled();
  expect(
    world
      .textsOf(73_006)
      .map((part) => part.replace(/ \(\d+\/\d+\)$/, ""))
      .join("\n"),
  ).toBe(text);
});

it("sends a file that the answer names, and says so when it is not there", async () => {
  const session = openSession(world, 73_007);
  world.answer = (call) =>
    call === "telegram sendDocument" ? Response.json({ ok: true, result: { message_id: 99 } }) : undefined;
  world.say = (asked) =>
    asked.messages.at(-1)?.role === "tool"
      ? { text: "Here it is.\nMEDIA:/workspace/note-73007.txt" }
      : { calls: [{ name: "write_file", arguments: { path: "/workspace/note-73007.txt", content: "hi" } }] };
  await session.say("make a note");
  await session.settled();
  expect(world.textsOf(73_007)).toEqual(["Here it is."]);
  expect(world.calls).toContain("telegram sendDocument");
  world.say = () => ({ text: "Again.\nMEDIA:/workspace/nothing-here.txt" });
  await session.say("and another");
  expect((await session.shown(3)).slice(1)).toEqual([
    "Again.",
    "(The file /workspace/nothing-here.txt is not there any more.)",
  ]);
});

it("delivers an answer that was ready while an earlier one was held back", async () => {
  const session = openSession(world, 73_008);
  refuse(73_008, slowDown(3));
  await session.say("one");
  await heldBack(session);
  world.say = (asked) => ({ text: `${LONG} ${lastWords(asked)}` });
  await session.say("two");
  await session.say("three");
  await until(() => expect(world.textsOf(73_008)[0]).toBe("You said: one"));
  await session.settled();
}, 20_000);
