import { expect, it } from "vitest";
import { pairing } from "#src/commands/pairing";
import { commandContext, OWNER } from "#test/support/command-context";

/** An owner's context whose profile knows one code, and the codes that it was asked for. */
function withCode(known: string) {
  const asked: string[] = [];
  const port = {
    ...commandContext().profilePort,
    approvePairing: async (code: string) => {
      asked.push(code);
      return code === known ? { platform: "telegram", userId: "7002" } : undefined;
    },
  };
  return { context: commandContext({}, { user: OWNER, profilePort: port }), asked };
}

it("is for the owner alone", () => {
  expect(pairing.ownerOnly).toBe(true);
});

it("lets the person in who was given the code", async () => {
  expect(await pairing.run("approve ABCD2345", withCode("ABCD2345").context)).toEqual({
    reply: "✅ `telegram:7002` may talk to me now.",
  });
});

it("says why a code may be unknown", async () => {
  const { context } = withCode("ABCD2345");
  expect((await pairing.run("approve ABCD2346", context)).reply).toContain("I do not know that code here.");
});

it.each(["approve", "approve ABC", "approve ABCD23456", "approve ABCD!345"])(
  "spends no try on %j, which is no code",
  async (args) => {
    const { context, asked } = withCode("ABCD2345");
    expect((await pairing.run(args, context)).reply).toContain("eight letters and digits");
    expect(asked).toEqual([]);
  },
);

it.each(["", "ABCD2345", "revoke ABCD2345"])("says for %j how it is used", async (args) => {
  const { context, asked } = withCode("ABCD2345");
  expect((await pairing.run(args, context)).reply).toContain("`/pairing approve CODE`");
  expect(asked).toEqual([]);
});
