import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { codeOf, json, operate } from "../../support/doors";
import { RECEIVER, addHooksByApi, answerHooks, approveByApi, clearHooks } from "../../support/hooks-world";
import { type World, openWorld } from "../../support/world";

let world: World;

beforeEach(async () => {
  world = openWorld();
  await clearHooks();
});
afterEach(async () => {
  await clearHooks();
  vi.restoreAllMocks();
});

const GUARD = { event: "tool.pre", type: "http", url: RECEIVER, id: "guard" };

it("tries a hook through the dispatcher, and shows what it was sent, what it said and what that means", async () => {
  const bodies: unknown[] = [];
  answerHooks(world, (body) => {
    bodies.push(body);
    return Response.json({ decision: "deny", reason: "not that" });
  });
  const added = await addHooksByApi([GUARD]);
  // one that nobody approved is not called, not even for a test
  expect(await codeOf(await operate("POST", "/api/hooks/guard/test", {}))).toEqual([409, "hook_not_active"]);
  expect(bodies).toEqual([]);
  await approveByApi(added);
  const trial = await json<object>(
    operate("POST", "/api/hooks/guard/test", { tool: "terminal", payload: { input: { command: "rm -rf /" } } }),
  );
  expect(trial).toMatchObject({
    hook: "guard",
    event: "tool.pre",
    matched: true,
    request: { type: "tool.pre", data: { input: { command: "rm -rf /" } } },
    response: { exit: 0, via: "http", status: 200 },
    decision: { decision: "deny", reason: "not that" },
  });
  expect(bodies).toHaveLength(1);
  for (const body of [{ payload: 5 }, { event: "worktree.create" }, { tool: "" }])
    expect(await codeOf(await operate("POST", "/api/hooks/guard/test", body))).toEqual([400, "bad_request"]);
});

it("tries an event on all of its hooks, tells what each of them said and what that comes to", async () => {
  const bodies: unknown[] = [];
  answerHooks(world, (body) => {
    bodies.push(body);
    return Response.json({ decision: "deny", reason: "not that" });
  });
  const other = { ...GUARD, matcher: { tool: "write_file" }, id: "elsewhere" };
  await approveByApi(
    await addHooksByApi([{ ...GUARD, id: "tried" }, other, { ...GUARD, event: "turn.end", id: "watches" }]),
  );
  await addHooksByApi([{ ...GUARD, url: `${RECEIVER}/other`, priority: -1, id: "waits" }]);
  const trial = await json<object>(
    operate("POST", "/api/hooks/test", {
      event: "tool.pre",
      tool: "terminal",
      payload: { input: { command: "rm -rf /" } },
    }),
  );
  expect(trial).toMatchObject({
    event: "tool.pre",
    hooks: [
      { hook: "tried", called: true, request: { data: { input: { command: "rm -rf /" } } }, response: { status: 200 } },
      { hook: "elsewhere", status: "active", called: false },
      { hook: "waits", status: "not_approved", called: false },
    ],
    settlement: { outcome: "deny", reason: "not that" },
  });
  expect(bodies).toHaveLength(1);
  // those who only watch are called too, and have no say
  expect(await json(operate("POST", "/api/hooks/test", { event: "turn.end" }))).toMatchObject({
    hooks: [{ hook: "watches", called: true }],
    settlement: { outcome: "none" },
  });
  const { runs } = await json<{ runs: readonly { hook: string }[] }>(operate("GET", "/api/hooks/log"));
  expect(runs.filter(({ hook }) => ["tried", "elsewhere", "watches", "waits"].includes(hook))).toEqual([]);
  for (const body of [{}, { event: "worktree.create" }, { event: "no.such" }, { event: "tool.pre", payload: 5 }])
    expect(await codeOf(await operate("POST", "/api/hooks/test", body))).toEqual([400, "bad_request"]);
});

it("examines every hook by calling it, and tells where it leads", async () => {
  answerHooks(world, () => new Response("<html>no</html>", { headers: { "content-type": "text/html" } }));
  await approveByApi(await addHooksByApi([GUARD]));
  const report = await json<{ healthy: boolean; hooks: readonly Record<string, unknown>[] }>(
    operate("GET", "/api/hooks/doctor"),
  );
  expect(report.healthy).toBe(false);
  expect(report.hooks).toMatchObject([{ id: "guard", status: "active", address: "public (93.184.216.34)" }]);
  expect(JSON.stringify(report.hooks[0]?.["flags"])).toContain("hook.invalid_json");
  expect(await json<object>(operate("GET", "/api/hooks/doctor?id=guard"))).toMatchObject({ hooks: [{ id: "guard" }] });
});
