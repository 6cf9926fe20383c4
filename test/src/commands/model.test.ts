import { expect, it } from "vitest";
import { model } from "#src/commands/model";
import { commandContext, OWNER } from "#test/support/command-context";

/** An owner's context, and the names that were set for all. */
function asOwner(): { context: ReturnType<typeof commandContext>; set: string[] } {
  const set: string[] = [];
  const base = commandContext({}, { user: OWNER });
  const setModel = async (name: string): Promise<void> => void set.push(name);
  return { context: { ...base, profilePort: { ...base.profilePort, setModel } }, set };
}

it("shows the model and the choices", async () => {
  const { reply } = await model.run("", commandContext({}, { models: ["gpt-5", "gpt-5-mini"] }));
  expect(reply).toContain("**Model:** `demo` (demo)\n**Choices:** `gpt-5`, `gpt-5-mini`\n");
});

it("changes the model of this conversation", async () => {
  expect(await model.run("anthropic/claude-4.5:beta", commandContext())).toEqual({
    reply: "This conversation now uses `anthropic/claude-4.5:beta`.",
    effects: [{ type: "set_model", model: "anthropic/claude-4.5:beta" }],
  });
});

it("goes back to the usual model", async () => {
  expect((await model.run("default", commandContext())).effects).toEqual([{ type: "set_model", model: undefined }]);
});

it("doubts a name that is not among the choices, and takes it", async () => {
  const result = await model.run("gtp-5", commandContext({}, { models: ["gpt-5"] }));
  expect(result.reply).toContain("It is not among the choices; did you mean `gpt-5`?");
  expect(result.effects).toEqual([{ type: "set_model", model: "gtp-5" }]);
});

it.each(["gpt-5 --global", "--global gpt-5", "gpt-5 —global"])(
  "changes the model for all when the owner says %j",
  async (args) => {
    const { context, set } = asOwner();
    const result = await model.run(args, context);
    expect(set).toEqual(["gpt-5"]);
    expect(result).toEqual({
      reply: "All conversations now use `gpt-5`.",
      effects: [{ type: "set_model", model: undefined }],
    });
  },
);

it("unsets the model of all by an empty name", async () => {
  const { context, set } = asOwner();
  await model.run("default --global", context);
  expect(set).toEqual([""]);
});

it("lets nobody but the owner change the model for all", async () => {
  const result = await model.run("gpt-5 --global", commandContext());
  expect(result.reply).toContain("Only the owner");
  expect(result).not.toHaveProperty("effects");
});

it.each(["gpt 5", "../../etc", "`x`", "<b>", "x".repeat(201)])("refuses %j, which is no name", async (args) => {
  const result = await model.run(args, commandContext());
  expect(result.reply).toContain("is not the name of a model");
  expect(result).not.toHaveProperty("effects");
});

it("asks whether a near flag was meant", async () => {
  expect((await model.run("gpt-5 --globl", commandContext())).reply).toBe(
    "I do not know `--globl`. Did you mean `--global`?",
  );
});

it("takes the vendor by a flag of its own", async () => {
  const result = await model.run("gpt-5 --provider openrouter", commandContext());
  expect(result.effects).toEqual([{ type: "set_model", model: "openrouter:gpt-5" }]);
});

it.each(["--provider openrouter", "gpt-5 --provider", "gpt-5 --provider --global", "--global"])(
  "asks for what is missing in %j",
  async (args) => {
    const result = await model.run(args, asOwner().context);
    expect(result.reply).toContain("/model NAME");
    expect(result).not.toHaveProperty("effects");
  },
);

it.each(["", " --global"])("changes nothing for a model that cannot be asked here%s", async (flag) => {
  const { context, set } = asOwner();
  const modelProblem = (): string => "To ask OpenAI, set OPENAI_API_KEY.";
  expect(await model.run(`gpt-5${flag}`, { ...context, modelProblem })).toEqual({
    reply: "`gpt-5` cannot be used here. To ask OpenAI, set OPENAI_API_KEY.",
  });
  expect(set).toEqual([]);
});
