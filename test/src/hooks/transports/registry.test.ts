import { expect, it } from "vitest";
import { hookTransports } from "#src/hooks/transports/registry";

const module = { bundled: () => undefined };

it("knows how to reach what there are ports for, and nothing else", () => {
  const transportOf = hookTransports({ module, command: { exec: async () => "unavailable", pinOf: () => undefined } });
  expect(transportOf("module")?.type).toBe("module");
  expect(transportOf("command")?.type).toBe("command");
  expect(transportOf("http")).toBeUndefined();
  expect(transportOf("prompt")).toBeUndefined();
});
