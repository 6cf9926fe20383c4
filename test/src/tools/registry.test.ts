import { expect, it } from "vitest";
import { tools } from "#src/tools/registry";

it("has each name once, in the form that providers take", () => {
  const names = tools.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(/^[a-z][a-z0-9_]{0,63}$/);
});

it.each(tools.map((tool) => [tool.name, tool] as const))("gives %s a closed schema without references", (_, tool) => {
  expect(tool.parameters).toMatchObject({ type: "object", additionalProperties: false });
  expect(JSON.stringify(tool.parameters)).not.toMatch(/\$ref|\$schema|\$defs/);
});

it.each(tools.map((tool) => [tool.name, tool] as const))(
  "describes every field of %s or lets its name say it",
  (_, tool) => {
    const properties = tool.parameters["properties"] as Record<string, { description?: string; enum?: unknown }>;
    for (const [name, field] of Object.entries(properties)) {
      expect(field.description ?? field.enum, `${tool.name}.${name}`).toBeDefined();
    }
  },
);

it.each(tools.map((tool) => [tool.name, tool] as const))("refuses a field that %s does not have", (_, tool) => {
  expect(() => tool.parse({ no_such_field: 1 })).toThrow(expect.objectContaining({ code: "bad_request" }));
});
