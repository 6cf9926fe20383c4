import { afterEach, expect, it, vi } from "vitest";
import { openSidecar } from "#src/workspace/sidecar/sidecar-client";
import { isFault } from "#src/workspace/sidecar/sidecar-error";

afterEach(() => {
  vi.useRealTimers();
});

type Answer = (request: Request) => Response | Promise<Response>;

/** A client whose sidecar answers so, and what it was asked. */
function clientOf(answer: Answer) {
  const asked: Request[] = [];
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const request = new Request(url, init);
    asked.push(request.clone());
    return answer(request);
  };
  const client = openSidecar({ url: "https://box.example/base", token: "the-token", fetch }, "workspace:main");
  return { client, asked };
}

const problem = (status: number, code: string, detail = "No.") =>
  new Response(JSON.stringify({ code, detail, status }), {
    status,
    headers: { "content-type": "application/problem+json" },
  });

const lines = (...all: readonly object[]) => new Response(all.map((one) => `${JSON.stringify(one)}\n`).join(""));

const RESULT = {
  exit_code: 0,
  stdout: "out",
  stderr: "",
  stdout_dropped_bytes: 0,
  stderr_dropped_bytes: 0,
  duration_ms: 5,
};

it("brings its token and the workspace's key, and nothing else of ours", async () => {
  const { client, asked } = clientOf(() => Response.json({ root: "/srv/work" }));
  expect(await client.root()).toBe("/srv/work");
  expect(asked[0]?.url).toBe("https://box.example/base/v1/session");
  expect(Object.fromEntries(asked[0]?.headers ?? [])).toEqual({
    authorization: "Bearer the-token",
    "x-session-key": "workspace:main",
  });
});

it("asks for a command by its key as lines, and hears what it prints", async () => {
  const { client, asked } = clientOf(() =>
    lines(
      { type: "stdout", text: "half" },
      { type: "alive" },
      { type: "stderr", text: "!" },
      { type: "result", result: RESULT },
    ),
  );
  const heard: string[] = [];
  const command = { argv: ["ls"], timeout_ms: 1000 };
  const result = await client.exec(command, { key: "run-1", onText: (text) => heard.push(text) });
  expect(result).toMatchObject({ exitCode: 0, stdout: "out", isTimedOut: false, leftBehind: false });
  expect(heard).toEqual(["half", "!"]);
  expect(asked[0]?.headers.get("idempotency-key")).toBe("run-1");
  expect(asked[0]?.headers.get("accept")).toBe("application/x-ndjson");
  expect(await asked[0]?.json()).toEqual(command);
});

it("reads lines wherever they are cut", async () => {
  const bytes = new TextEncoder().encode(
    `{"type":"stdout","text":"ü"}\n${JSON.stringify({ type: "result", result: RESULT })}`,
  );
  const { client } = clientOf(
    () =>
      new Response(
        new ReadableStream<Uint8Array>({
          start(controller) {
            for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
            controller.close();
          },
        }),
      ),
  );
  const heard: string[] = [];
  await client.exec({ argv: ["ls"] }, { onText: (text) => heard.push(text) });
  expect(heard).toEqual(["ü"]);
});

it("does not ask again for a command without a key", async () => {
  const { client, asked } = clientOf(() => lines({ type: "alive" }));
  await expect(client.exec({ argv: ["ls"] }, {})).rejects.toMatchObject({ fault: "lost", code: "unconfirmed" });
  expect(asked).toHaveLength(1);
});

it("takes silence for the end of the sidecar", async () => {
  vi.useFakeTimers();
  const { client } = clientOf(() => new Response(new ReadableStream({ start() {} })));
  const running = client.exec({ argv: ["ls"] }, {});
  const ended = expect(running).rejects.toMatchObject({ fault: "lost" });
  await vi.advanceTimersByTimeAsync(41_000);
  await ended;
});

it.each([
  [401, "unauthorized", "not_configured"],
  [404, "file_not_found", "not_found"],
  [403, "path_outside", "forbidden"],
  [409, "outcome_unknown", "unconfirmed"],
  [413, "body_too_large", "too_large"],
  [429, "too_many", "rate_limited"],
  [500, "internal", "unconfirmed"],
  [501, "unavailable", "not_configured"],
  [503, "stopping", "unavailable"],
  [507, "disk_quota", "too_large"],
  [418, "something_new", "refused"],
])("tells a refusal of %i %s as %s", async (status, code, expected) => {
  const { client } = clientOf(() => problem(status, code));
  await expect(client.files.list(".", { isRecursive: true, hashes: false })).rejects.toMatchObject({ code: expected });
});

it("repeats neither the token nor an endless answer in its sentences", async () => {
  const { client } = clientOf(() => problem(422, "text_not_found", "x".repeat(10_000)));
  const error: unknown = await client.root().catch((thrown: unknown) => thrown);
  expect(isFault(error, "text_not_found")).toBe(true);
  expect((error as Error).message.length).toBeLessThan(600);
  expect((error as Error).message).not.toContain("the-token");
});

it.each([
  ["no JSON", () => new Response("<html>")],
  ["no object", () => Response.json([])],
  ["a list that is none", () => Response.json({ entries: {}, is_cut: false })],
  ["a field of another type", () => Response.json({ entries: [{ path: 1 }], is_cut: false })],
  ["an unknown kind", () => Response.json({ entries: [{ path: "a", type: "door" }], is_cut: false })],
])("refuses an answer that is %s", async (_what, answer) => {
  const { client } = clientOf(answer);
  const listed = client.files.list(".", { isRecursive: true, hashes: false });
  await expect(listed).rejects.toMatchObject({ fault: "protocol", code: "refused" });
});

it("refuses another version of the protocol", async () => {
  const { client } = clientOf(() => Response.json({ protocol: "v2", limits: {}, capabilities: {} }));
  await expect(client.health()).rejects.toThrow("it speaks v2");
});

it("takes what is not there for nothing", async () => {
  const { client } = clientOf(() => problem(404, "file_not_found"));
  expect(await client.files.stat("a")).toBeUndefined();
  expect(await client.files.read("a")).toBeUndefined();
  await client.files.remove("a");
});

it("writes a file only over the one that it knows", async () => {
  const view = { path: "a b", type: "file", size: 1, mode: 0o100644, modified_at: 5, sha256: "abc" };
  const { client, asked } = clientOf(() => Response.json(view, { status: 201 }));
  const written = await client.files.write("a b", Uint8Array.of(1), { mode: 0o100755, expected: "abc" });
  expect(written).toEqual({ path: "a b", kind: "file", size: 1, mode: 0o644, modifiedAt: 5, sha256: "abc" });
  expect(asked[0]?.url).toContain("path=a+b&parents=true&mode=755");
  expect(asked[0]?.headers.get("if-match")).toBe('"abc"');
  await client.files.write("new", Uint8Array.of(1), { mode: 0o644, expected: null });
  expect(asked[1]?.headers.get("if-none-match")).toBe("*");
});

it("stops a request when its signal fires", async () => {
  const { client } = clientOf((request) => {
    const { promise, reject } = Promise.withResolvers<Response>();
    request.signal.addEventListener("abort", () => reject(request.signal.reason as Error));
    return promise;
  });
  const stopper = new AbortController();
  const running = client.exec({ argv: ["sleep"] }, { signal: stopper.signal });
  stopper.abort(new Error("stopped"));
  await expect(running).rejects.toThrow("stopped");
});
