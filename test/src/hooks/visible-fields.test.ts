import { expect, it } from "vitest";
import { digestNow } from "#src/hooks/short-digest";
import { visibleTo } from "#src/hooks/visible-fields";
import { aHook, httpTarget, occurrenceOf } from "../../support/hook-fixtures";

const occurrence = occurrenceOf("model.pre", {
  system: "S",
  messages: [1, 2, 3],
  history: [4, 5, 6],
  result_text: "abcdef",
  result: { a: 1 },
});

it("keeps the conversation from native hooks that are called over HTTP, until they ask for it", () => {
  const quiet = visibleTo(aHook({ target: httpTarget() }), occurrence).data;
  expect(quiet["messages"]).toBeUndefined();
  expect(quiet["history"]).toBeUndefined();
  const asked = visibleTo(aHook({ target: httpTarget(), fields: { history: "full" } }), occurrence).data;
  expect(asked["history"]).toEqual([4, 5, 6]);
});

it("hands hooks of other systems and modules all of it", () => {
  expect(visibleTo(aHook(), occurrence)).toBe(occurrence);
  expect(visibleTo(aHook({ dialect: "hermes", target: httpTarget() }), occurrence)).toBe(occurrence);
});

it("cuts to a tail, a head or a hash, and leaves the system prompt out", () => {
  const { data } = visibleTo(aHook({ fields: { history: "tail:2", result: "head:3", system: false } }), occurrence);
  expect(data["messages"]).toEqual([2, 3]);
  expect(data["result_text"]).toBe("abc");
  expect("system" in data).toBe(false);
  const hashed = visibleTo(aHook({ fields: { result: "hash" } }), occurrence).data;
  expect(hashed["result_text"]).toBe(`sha256:${digestNow("abcdef")}`);
  expect(hashed["result"]).toBe(`sha256:${digestNow('{"a":1}')}`);
});

it("shows nothing of a conversation whose tail is 0, and all of it for a setting that means nothing", () => {
  expect(visibleTo(aHook({ fields: { history: "tail:0" } }), occurrence).data["history"]).toBeUndefined();
  expect(visibleTo(aHook({ fields: { result: "some" } }), occurrence).data["result_text"]).toBe("abcdef");
});
