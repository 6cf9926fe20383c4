import { describe, expect, it } from "vitest";
import type { ModelEvent, ModelRequest } from "#src/domain/provider";
import { providers } from "#src/providers/registry";

const REQUEST: ModelRequest = { model: "m", messages: [{ role: "user", content: "hello" }], tools: [] };

it("names every provider once", () => {
  expect(new Set(providers.map((provider) => provider.name)).size).toBe(providers.length);
});

describe.each(providers)("$name", (provider) => {
  async function ask(signal: AbortSignal): Promise<ModelEvent[]> {
    const found: ModelEvent[] = [];
    const broken = () => Promise.reject(new Error("broken"));
    const context = { fetch: broken, signal, requestTimeoutMs: 1000, stallTimeoutMs: 1000 };
    for await (const event of provider.stream(REQUEST, { apiKey: "k", ai: { run: broken } }, context))
      found.push(event);
    return found;
  }

  it("ends with exactly one finish or failed, and never throws", async () => {
    const found = await ask(new AbortController().signal);
    const endings = found.filter((event) => event.type === "finish" || event.type === "failed");
    expect(endings).toEqual([found.at(-1)]);
  });

  it("calls an abort an abort", async () => {
    const found = await ask(AbortSignal.abort());
    expect(found).toEqual([
      { type: "failed", failure: expect.objectContaining({ reason: "aborted", retryable: false }) },
    ]);
  });
});
