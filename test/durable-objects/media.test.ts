import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Attachment } from "#src/domain/message";
import { type World, openWorld } from "../support/world";
import { configure, openSession } from "./session-driver";
import { until } from "../support/until";

const LONG = "This is the beginning of a long answer that a person can already read";

let world: World;
beforeEach(() => {
  world = openWorld();
  // Telegram's files: every one is a small picture, but the large one
  world.answer = (call, body) => {
    if (call === "telegram getFile") {
      const size = body["file_id"] === "large" ? 900_000_000 : 4;
      return Response.json({
        ok: true,
        result: { file_id: body["file_id"], file_path: `photos/${String(body["file_id"])}.jpg`, file_size: size },
      });
    }
    return call.endsWith(".jpg")
      ? new Response(new Uint8Array([255, 216, 255, 217]), { headers: { "content-type": "image/jpeg" } })
      : undefined;
  };
});
afterEach(async () => {
  await configure({ "display.busy_input_mode": null });
  vi.restoreAllMocks();
});

function photo(id: string): { readonly attachments: readonly Attachment[] } {
  return { attachments: [{ kind: "image", id, mime: "image/jpeg" }] };
}

/** How many pictures the model was shown by its latest request. */
function picturesSeen(): number {
  const contents = (world.asked.at(-1)?.messages ?? []).map((message) => message.content);
  return contents
    .flat()
    .filter((part) => typeof part === "object" && part !== null && "type" in part && part.type === "image_url").length;
}

it("shows a photo to a model that can see", async () => {
  const session = openSession(world, 74_001);
  await session.say("/model gpt-4o");
  await session.shown(1);
  world.say = () => ({ text: "nice" });
  await session.say("look", photo("one"));
  await session.shown(2);
  expect(picturesSeen()).toBe(1);
});

it("tells a model that cannot see where the photo is", async () => {
  const session = openSession(world, 74_002);
  world.say = () => ({ text: "nice" });
  await session.say("look", photo("one"));
  await session.shown(1);
  expect(picturesSeen()).toBe(0);
  expect(JSON.stringify(world.asked.at(-1)?.messages.at(-1))).toContain("/workspace/uploads/");
});

it("tells the model in one sentence why a file is not there", async () => {
  const session = openSession(world, 74_003);
  world.say = () => ({ text: "sorry" });
  await session.say("look", photo("large"));
  expect(await session.shown(1)).toEqual(["sorry"]);
  expect(JSON.stringify(world.asked.at(-1)?.messages.at(-1))).toMatch(/large|bytes|MB|MiB/);
});

it("answers an album once, with all its pictures", async () => {
  const session = openSession(world, 74_004);
  await session.say("/model gpt-4o");
  await session.shown(1);
  world.say = () => ({ text: "nice" });
  await session.say("our trip", { ...photo("a"), mediaGroupId: "album" });
  await session.say("", { ...photo("b"), mediaGroupId: "album" });
  await session.say("", { ...photo("c"), mediaGroupId: "album" });
  expect(await session.shown(2)).toHaveLength(2);
  expect(world.asked).toHaveLength(1);
  expect(picturesSeen()).toBe(3);
});

it("answers the pieces of a message that its client cut up once", async () => {
  const session = openSession(world, 74_005);
  world.say = () => ({ text: "read" });
  const started = Date.now();
  await session.say("x".repeat(4096), { nearSplitLimit: true });
  await session.say("and the end");
  expect(await session.shown(1)).toEqual(["read"]);
  expect(world.asked).toHaveLength(1);
  expect(Date.now() - started).toBeLessThan(1500);
});

it("shows the model a photo that comes while it is answering", async () => {
  const session = openSession(world, 74_006);
  await session.say("/model gpt-4o");
  await session.shown(1);
  let count = 0;
  world.say = () => (++count === 1 ? { text: LONG, hold: new Promise(() => undefined) } : { text: "now I see it" });
  await session.say("what is this?");
  await until(() => expect(world.textsOf(74_006)).toContain(LONG));
  await session.say("this", photo("late"));
  await until(() => expect(world.textsOf(74_006).at(-1)).toContain("now I see it"));
  await session.settled();
  expect(picturesSeen()).toBe(1);
});

it("shows the model a photo that comes before the first answer was begun", async () => {
  const session = openSession(world, 74_007);
  await session.say("/model gpt-4o");
  await session.shown(1);
  let count = 0;
  world.say = async () => {
    count += 1;
    if (count === 1) await new Promise(() => undefined);
    return { text: "now I see it" };
  };
  await session.say("what is this?");
  await until(() => expect(world.asked).toHaveLength(1));
  await session.say("this", photo("late"));
  await session.shown(2);
  expect(picturesSeen()).toBe(1);
});

it("shows the model a photo that answers its question", async () => {
  const session = openSession(world, 74_008);
  await session.say("/model gpt-4o");
  await session.shown(1);
  world.say = (asked) =>
    asked.messages.some((message) => message.role === "tool")
      ? { text: "thanks" }
      : { calls: [{ name: "clarify", arguments: { question: "Send me a photo of it?" } }] };
  await session.say("what is this?");
  await until(() => expect(world.textsOf(74_008)).toHaveLength(2));
  await session.say("", photo("answer"));
  await session.shown(3);
  expect(picturesSeen()).toBe(1);
});
