import { expect, it } from "vitest";
import { formatSessionKey, parseSessionKey } from "#src/domain/session-key";

it("names a direct message by profile, platform and chat", () => {
  expect(formatSessionKey({ profile: "main", platform: "telegram", chatType: "dm", chatId: "7001" })).toBe(
    "main:telegram:dm:7001",
  );
});

it("keeps every part apart, whatever characters it holds", () => {
  const scope = {
    profile: "a:b",
    platform: "web@x",
    account: "one two",
    chatType: "thread",
    chatId: "c:d@e",
    threadId: "t=1",
    userId: "u=2",
  } as const;
  expect(parseSessionKey(formatSessionKey(scope))).toEqual(scope);
});

it.each([
  "",
  "main",
  "main:telegram:dm",
  "main:telegram:room:1",
  "main:telegram:dm:1:x=2",
  "main:a@b@c:dm:1",
  "main:telegram:dm:%",
])("refuses %j, which is no session key", (key) => {
  expect(parseSessionKey(key)).toBeUndefined();
});
