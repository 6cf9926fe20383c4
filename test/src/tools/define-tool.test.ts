import { expect, it } from "vitest";
import * as z from "zod";
import { GatewayError } from "#src/domain/errors";
import { defineTool } from "#src/tools/define-tool";
import { toolContext } from "../../support/tool-context";

const Size = z.strictObject({ width: z.number() });
const sample = defineTool({
  name: "sample",
  toolset: "test",
  description: "A sample.",
  schema: z.object({ path: z.string(), count: z.int().default(3), from: Size.optional(), to: Size.optional() }),
  effect: "safe",
  parallel: "never",
  execute: async ({ path, count }) => {
    if (path === "gone") throw new GatewayError("not_found", "It is gone.");
    if (path === "bug") throw new TypeError("a mistake");
    return { content: path.repeat(count) };
  },
});

it("shows the model a closed object without references, and what may be left out", () => {
  const size = {
    type: "object",
    properties: { width: { type: "number" } },
    required: ["width"],
    additionalProperties: false,
  };
  expect(sample.parameters).toEqual({
    type: "object",
    properties: { path: { type: "string" }, count: { type: "integer", default: 3 }, from: size, to: size },
    required: ["path"],
    additionalProperties: false,
  });
});

it("makes the schema once", () => {
  expect(sample.parameters).toBe(sample.parameters);
});

it("fills in defaults", () => {
  expect(sample.parse({ path: "a" })).toEqual({ path: "a", count: 3 });
});

it("turns what the outside refused into a result for the model", async () => {
  const outcome = await sample.execute({ path: "gone", count: 1 }, toolContext());
  expect(outcome).toEqual({ content: "It is gone.", isError: true });
});

it("lets a mistake of our own through", async () => {
  await expect(sample.execute({ path: "bug", count: 1 }, toolContext())).rejects.toThrow(TypeError);
});
