import { expect, it } from "vitest";
import { whoami } from "#src/commands/whoami";
import { commandContext, OWNER } from "#test/support/command-context";

it("tells a person's id as settings want it", () => {
  expect(whoami.run("", commandContext())).toEqual({
    reply: "You are `telegram:7001` (`Ada`). You may talk to me; you are not an owner. Profile: `main`.",
  });
});

it("tells an owner so", () => {
  expect(whoami.run("", commandContext({}, { user: OWNER }))).toEqual({
    reply: "You are `telegram:1`. You are an owner. Profile: `main`.",
  });
});
