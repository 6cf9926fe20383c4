import { expect, it } from "vitest";
import { settleClaim } from "#src/hooks/settle-claim";
import { scriptedFiring } from "../../support/firing";
import { occurrenceOf } from "../../support/hook-fixtures";

const message = occurrenceOf("message.received", { text: "hello" });
const permission = occurrenceOf("tool.permission", {});

it("takes the first who claims a message, and asks nobody after", async () => {
  const { firing, askedIds } = scriptedFiring(
    { a: undefined, b: { text: "new" }, c: { skip: {} } },
    { occurrence: message },
  );
  expect((await settleClaim(firing)).settlement).toEqual({ outcome: "none", text: "new", by: "b", notes: [] });
  expect(askedIds()).toEqual(["a", "b"]);
});

it("lets an explicit yes stand before a later no", async () => {
  const { firing } = scriptedFiring(
    { a: { decision: "allow" }, b: { skip: { reason: "spam" } } },
    { occurrence: message },
  );
  expect((await settleClaim(firing)).settlement).toMatchObject({ outcome: "allow", by: "a" });
});

it("drops a message with the reason", async () => {
  const { firing } = scriptedFiring({ a: { skip: { reason: "spam" } } }, { occurrence: message });
  expect((await settleClaim(firing)).settlement).toMatchObject({ skip: { reason: "spam" }, reason: "spam" });
  const guard = scriptedFiring({ a: { decision: "deny", reason: "failed closed" } }, { occurrence: message });
  expect((await settleClaim(guard.firing)).settlement).toMatchObject({
    outcome: "deny",
    skip: { reason: "failed closed" },
  });
});

it("answers a permission with the first yes or no", async () => {
  const { firing } = scriptedFiring(
    { a: undefined, b: { permission: { behavior: "allow" } } },
    { occurrence: permission },
  );
  expect((await settleClaim(firing)).settlement).toMatchObject({ outcome: "allow", permission: { behavior: "allow" } });
});

it("does not let a permission pass with an input that the tool does not take", async () => {
  const { firing } = scriptedFiring(
    { a: { permission: { behavior: "allow", input: { command: 1 } } } },
    { occurrence: permission, validate: () => "command must be a text" },
  );
  expect((await settleClaim(firing)).settlement.permission).toEqual({
    behavior: "deny",
    message: "Hook modified parameters are invalid: command must be a text",
  });
});

it("refuses a permission whose guard failed, and leaves a question to the person", async () => {
  const denied = scriptedFiring({ a: { decision: "deny", reason: "failed closed" } }, { occurrence: permission });
  expect((await settleClaim(denied.firing)).settlement.permission).toEqual({
    behavior: "deny",
    message: "failed closed",
  });
  const asked = scriptedFiring({ a: { decision: "ask" } }, { occurrence: permission });
  expect((await settleClaim(asked.firing)).settlement).toEqual({ outcome: "none", notes: [] });
});
