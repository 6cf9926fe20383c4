import { expect, it } from "vitest";
import { type AccessRules, decideAccess } from "#src/domain/access";

const NOBODY: AccessRules = {
  allowAllUsers: false,
  allowedUsers: [],
  platform: { allowAll: false, allowed: [] },
  approved: [],
  strangers: "pair",
};
const CHAT = { name: "telegram", access: "strangers" } as const;
const dm = { chatType: "dm", userId: "7" } as const;
const group = { chatType: "group", userId: "7" } as const;

it("offers a stranger a pairing in a direct message, and tells a group nothing", () => {
  expect(decideAccess(dm, CHAT, NOBODY)).toBe("pair");
  for (const chatType of ["group", "channel", "thread"] as const) {
    expect(decideAccess({ ...group, chatType }, CHAT, NOBODY)).toBe("deny");
  }
});

it("denies strangers everywhere when they are to be ignored", () => {
  expect(decideAccess(dm, CHAT, { ...NOBODY, strangers: "ignore" })).toBe("deny");
});

it.each<[string, Partial<AccessRules>]>([
  ["everyone is", { allowAllUsers: true }],
  ["everyone on the platform is", { platform: { allowAll: true, allowed: [] } }],
  ["they are on the platform's list", { platform: { allowAll: false, allowed: ["6", "7"] } }],
  ["they are on the list of all platforms", { allowedUsers: ["7"] }],
  ["they were approved", { approved: ["telegram:7"] }],
])("allows a person in a chat and in a group when %s", (_, over) => {
  const rules = { ...NOBODY, ...over };
  expect([decideAccess(dm, CHAT, rules), decideAccess(group, CHAT, rules)]).toEqual(["allow", "allow"]);
});

it.each<[string, Partial<AccessRules>]>([
  ["a part of whose id is allowed", { allowedUsers: ["77", "7 ", ""] }],
  ["who was approved elsewhere", { approved: ["slack:7", "telegram:77", "7"] }],
])("denies a person %s", (_, over) => {
  expect(decideAccess(group, CHAT, { ...NOBODY, ...over })).toBe("deny");
});

it("trusts senders whose platform signs for them", () => {
  expect(decideAccess(group, { name: "webhook", access: "signed" }, NOBODY)).toBe("allow");
});
