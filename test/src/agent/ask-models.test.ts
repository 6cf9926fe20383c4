import { expect, it } from "vitest";
import { type Attempt, type ModelRoute, type NextStep, askModels } from "#src/agent/ask-models";
import type { ModelEvent, ModelFailure, ModelMessage, ModelRequest } from "#src/domain/provider";

const DOWN: ModelFailure = { reason: "server_error", retryable: true, message: "down" };
const USER: ModelMessage = { role: "user", content: "hi" };

type Says = ModelFailure | string;

function world(script: Readonly<Record<string, readonly Says[]>>, steps: readonly NextStep<Attempt>[]) {
  const asked: { model: string; key: string; request: ModelRequest }[] = [];
  const keysTold: string[] = [];
  const failures: string[] = [];
  const texts: string[] = [];
  const left = [...steps];
  const keysLeft: number[] = [];
  const said = new Map(Object.entries(script).map(([name, says]) => [name, [...says]]));
  const routes: readonly ModelRoute[] = Object.keys(script).map((model) => ({
    provider: `p-${model}`,
    model,
    keys: () => ["k1", "k2"],
    async *stream(request, key): AsyncIterable<ModelEvent> {
      asked.push({ model, key, request });
      const says = said.get(model)?.shift() ?? DOWN;
      if (typeof says !== "string") return yield { type: "failed", failure: says };
      yield { type: "text", delta: says };
      yield { type: "finish", reason: "stop", toolCalls: [] };
    },
    onKey: (key, failure) => keysTold.push(`${key} ${failure?.reason ?? "fine"}`),
  }));
  const controller = new AbortController();
  const run = (
    request: Partial<ModelRequest> = {},
    compress: () => Promise<readonly ModelMessage[] | undefined> = async () => undefined,
  ) =>
    askModels<Attempt>(
      { messages: [USER], tools: [], ...request },
      {
        routes,
        first: { route: 0, adapted: [] },
        next: (_state, _failure, keys) => {
          keysLeft.push(keys);
          return left.shift() ?? { type: "give_up" };
        },
        compress,
        onText: (text) => texts.push(text),
        onFailure: async (failure, attempt) => void failures.push(`${attempt} ${failure.reason}`),
        signal: controller.signal,
      },
    );
  return { run, asked, keysTold, failures, texts, keysLeft, controller };
}

const again: Attempt = { route: 0, adapted: [] };

it("gives the first answer, and says whose it is", async () => {
  const { run, keysTold } = world({ a: ["hello"] }, []);
  expect(await run()).toMatchObject({
    type: "answer",
    answer: { text: "hello" },
    route: { provider: "p-a", model: "a" },
  });
  expect(keysTold).toEqual(["k1 fine"]);
});

it("asks again after a failure that may pass, and begins the shown text anew", async () => {
  const { run, texts, failures } = world({ a: [DOWN, "well"] }, [{ type: "retry", waitMs: 0, state: again }]);
  expect(await run()).toMatchObject({ answer: { text: "well" } });
  expect(texts).toEqual(["", "well"]);
  expect(failures).toEqual(["1 server_error"]);
});

it("takes another key when the failure is the key's", async () => {
  const limited: ModelFailure = { reason: "rate_limit", retryable: true, message: "slow" };
  const { run, asked, keysTold, keysLeft } = world({ a: [limited, "well"] }, [{ type: "rotate_key", state: again }]);
  await run();
  expect(asked.map(({ key }) => key)).toEqual(["k1", "k2"]);
  expect(keysTold).toEqual(["k1 rate_limit", "k2 fine"]);
  expect(keysLeft).toEqual([1]);
});

it("asks the next model, with its own keys, when this one will not", async () => {
  const { run, asked } = world({ a: [DOWN], b: ["from b"] }, [{ type: "fall_back", state: { route: 1, adapted: [] } }]);
  expect(await run()).toMatchObject({ answer: { text: "from b" }, route: { model: "b" } });
  expect(asked.map(({ model, key }) => `${model} ${key}`)).toEqual(["a k1", "b k1"]);
});

it("asks with a shorter history when the failure asks for that", async () => {
  const { run, asked } = world({ a: [DOWN, "ok"] }, [{ type: "compress", state: again }]);
  const short: readonly ModelMessage[] = [{ role: "user", content: "short" }];
  expect(await run({}, async () => short)).toMatchObject({ type: "answer" });
  expect(asked[1]?.request.messages).toEqual(short);
});

it("gives up when nothing can be made shorter", async () => {
  const { run } = world({ a: [DOWN, "ok"] }, [{ type: "compress", state: again }]);
  expect(await run()).toMatchObject({ type: "failed", failure: DOWN });
});

it("leaves out of the request what the model could not take", async () => {
  const adapted = ["drop_state", "shrink_images", "plain_schemas"];
  const { run, asked } = world({ a: [DOWN, "ok"] }, [{ type: "adapt", state: { route: 0, adapted } }]);
  await run({
    messages: [
      { role: "user", content: [{ type: "image", url: "data:," }] },
      { role: "assistant", content: "x", state: { provider: "p", model: "a", data: "{}" } },
    ],
    tools: [{ name: "t", description: "d", parameters: { properties: { at: { type: "string", format: "date" } } } }],
  });
  expect(asked[1]?.request).toMatchObject({
    messages: [
      { role: "user", content: [{ type: "text", text: expect.stringContaining("picture") as string }] },
      { role: "assistant", content: "x" },
    ],
    tools: [{ parameters: { properties: { at: { type: "string" } } } }],
  });
  expect(asked[1]?.request.messages[1]).not.toHaveProperty("state");
  expect(JSON.stringify(asked[1]?.request.tools)).not.toContain("format");
});

it("says what the last failure was when nothing is left to try", async () => {
  expect(await world({ a: [DOWN] }, []).run()).toMatchObject({ type: "failed", failure: DOWN, route: { model: "a" } });
});

it("ends with the reason of whoever ended it", async () => {
  const { run, controller } = world({ a: ["hello"] }, []);
  controller.abort("enough");
  await expect(run()).rejects.toBe("enough");
});

it("asks once more with the very same key, and does not call it failed for that", async () => {
  const limited: ModelFailure = { reason: "rate_limit", retryable: true, message: "slow" };
  const { run, asked, keysTold } = world({ a: [limited, "well"] }, [{ type: "retry", waitMs: 0, state: again }]);
  await run();
  expect(asked.map(({ key }) => key)).toEqual(["k1", "k1"]);
  expect(keysTold).toEqual(["k1 fine"]);
});

it("tells of a key that failed for good, also when nothing is left to try", async () => {
  const limited: ModelFailure = { reason: "rate_limit", retryable: true, message: "slow" };
  const { run, keysTold } = world({ a: [limited, limited] }, [{ type: "retry", waitMs: 0, state: again }]);
  expect(await run()).toMatchObject({ type: "failed" });
  expect(keysTold).toEqual(["k1 rate_limit"]);
});
