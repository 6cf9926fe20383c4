import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { openSandbox } from "../../durable-objects/sandbox-client";
import { operate } from "../support/doors";
import { type ShownHook, addHooksByApi, approveByApi, clearHooks, hooksByApi } from "../support/hooks-world";
import { type World, openWorld } from "../support/world";
import { configure, openSession } from "./session-driver";

// Modules of hooks that were not deployed with the Worker, in real isolates of the runtime's Worker Loader.

let world: World;
beforeEach(async () => {
  world = openWorld();
  await clearHooks();
});
afterEach(async () => {
  await clearHooks();
  vi.restoreAllMocks();
});

/** Keeps a source, and answers how hooks name it. */
async function keep(source: string, name = "own"): Promise<string> {
  const response = await operate("POST", "/api/hooks/modules", source, { "content-type": "text/javascript" });
  expect(response.status).toBe(201);
  return `${name}@sha256:${(await response.json<{ sha256: string }>()).sha256}`;
}

/** An approved hook of a module with this source. */
async function approved(source: string, more: object = {}): Promise<ShownHook> {
  const hooks = await addHooksByApi([{ event: "tool.pre", type: "module", module: await keep(source), ...more }]);
  await approveByApi(hooks);
  const [hook] = hooks;
  if (hook === undefined) throw new Error("no hook");
  return hook;
}

interface Tried {
  readonly result: { readonly exit: number; readonly stderr?: string; readonly code?: string };
  readonly decision?: Readonly<Record<string, unknown>>;
}

async function tried(id: string, payload: object = {}): Promise<string> {
  const response = await operate("POST", `/api/hooks/${id}/test`, { event: "tool.pre", tool: "terminal", payload });
  expect(response.status).toBe(200);
  return JSON.stringify(await response.json<Tried>());
}

const GUARD = `export function onHook(event) {
  return event.data.input.command.startsWith("rm") ? { decision: "deny", reason: "not with me" } : undefined;
}`;

it("runs a module that came at run time once a person approved it by its hash, and not before", async () => {
  const session = openSession(world, 89_001);
  world.say = (asked) => {
    const last = asked.messages.at(-1);
    return last?.role === "tool"
      ? { text: String(last.content) }
      : { calls: [{ name: "terminal", arguments: { command: "rm -f nothing; echo went on" } }] };
  };
  const hooks = await addHooksByApi([{ event: "tool.pre", type: "module", module: await keep(GUARD) }]);
  expect(hooks[0]?.status).toBe("not_approved");
  await session.say("go");
  expect((await session.shown(1))[0]).toContain("went on");
  await approveByApi(hooks);
  await session.say("again");
  expect((await session.shown(2))[1]).toContain("not with me");
});

it("lets a changed source wait for approval, beside the old one that goes on", async () => {
  const old = await approved(GUARD);
  const [changed] = await addHooksByApi([
    { event: "tool.pre", type: "module", module: await keep(`${GUARD}\n// changed`), id: "changed" },
  ]);
  expect((await hooksByApi()).map(({ id, status }) => [id, status])).toEqual([
    [old.id, "active"],
    [changed?.id, "changed_since_approval"],
  ]);
  expect(changed?.digest).not.toBe(old.digest);
});

it.each([
  [
    "a function named as the event, in a default export",
    `export default { "tool.pre": () => ({ decision: "deny", reason: "R" }) }`,
  ],
  [
    "onHook, in a default export",
    `export default { async onHook(event, { event: name }) { return { decision: "deny", reason: "R" + name } } }`,
  ],
] as const)("calls %s", async (_what, source) => {
  const { id } = await approved(source);
  expect(await tried(id)).toContain('"reason":"R');
});

it.each([
  ["throws", "export const onHook = () => { throw new Error('it broke') }", "it broke"],
  ["cannot be read as JavaScript", "export const onHook = (", "SyntaxError"],
  ["has no function for the event", "export const other = 1", "no function for tool.pre"],
  ["answers what has no end", "export const onHook = () => { const a = {}; a.a = a; return a }", "circular"],
  ["answers more than is read", "export const onHook = () => ({ reason: 'x'.repeat(70000) })", "larger than 65536"],
  ["wants the network", "export const onHook = async () => { await fetch('https://example.com/'); }", "not permitted"],
  [
    "wants what the Worker has",
    "export const onHook = () => { if (globalThis.process?.env.ADMIN_TOKEN === undefined) throw new Error('nothing here') }",
    "nothing here",
  ],
] as const)("makes a failure of a module that %s", async (_what, source, why) => {
  const { id } = await approved(source);
  expect((await tried(id)).toLowerCase()).toContain(why.toLowerCase());
});

it("leaves a module that does not answer to its time limit", async () => {
  const { id } = await approved("export const onHook = () => new Promise((resolve) => setTimeout(resolve, 60_000))", {
    timeout: 1,
  });
  expect(await tried(id)).toContain("hook.timeout");
});

it("reaches the network through the guard of hooks alone, where the operator granted it", async () => {
  const source = `export const onHook = async ({ data }) => {
    const response = await fetch(data.input.url);
    return { decision: "deny", reason: await response.text() };
  }`;
  const { id, target } = await approved(source);
  const calls: string[] = [];
  world.answer = (call) => {
    calls.push(call);
    if (call.startsWith("cloudflare-dns"))
      return Response.json({
        Status: 0,
        Answer: [{ name: "receiver.watch.dev", type: 1, TTL: 60, data: "93.184.216.34" }],
      });
    return call.startsWith("receiver") ? new Response("from outside") : undefined;
  };
  const sha256 = /[0-9a-f]{64}/.exec(await keep(source))?.[0] ?? "";
  expect(target).toContain("own");
  const url = "https://receiver.watch.dev/x";
  expect(await tried(id, { input: { url } })).toContain("not permitted");
  await configure({ "hook_policy.module_network": [`sha256:${sha256}`] });
  try {
    expect(await tried(id, { input: { url } })).toContain("from outside");
    expect(await tried(id, { input: { url: "https://169.254.169.254/latest" } })).toContain("not for hooks");
    expect(calls.filter((call) => call.includes("169.254"))).toEqual([]);
    const { modules } = await (await operate("GET", "/api/hooks/modules")).json<{ modules: object[] }>();
    expect(modules).toContainEqual(expect.objectContaining({ sha256, network: true }));
  } finally {
    await configure({ "hook_policy.module_network": null });
  }
});

it("says that a hook is unavailable whose source nobody has kept", async () => {
  const [hook] = await addHooksByApi([{ event: "tool.pre", type: "module", module: `own@sha256:${"0".repeat(64)}` }]);
  await approveByApi(hook === undefined ? [] : [hook]);
  expect((await hooksByApi())[0]?.status).toBe("unavailable");
});

it("shows what is kept, and forgets it when no hook names it", async () => {
  const source = "export const onHook = () => undefined; // kept";
  const module = await keep(source);
  expect(await keep(source)).toBe(module);
  const sha256 = module.split(":")[1];
  const [hook] = await addHooksByApi([{ event: "tool.pre", type: "module", module }]);
  const list = await (await operate("GET", "/api/hooks/modules")).json<{ modules: { sha256: string }[] }>();
  expect(list.modules.find((one) => one.sha256 === sha256)).toMatchObject({
    bytes: source.length,
    used_by: [hook?.id],
    network: false,
  });
  const shown = await operate("GET", `/api/hooks/modules/sha256:${sha256}`);
  expect(shown.headers.get("content-type")).toContain("text/plain");
  expect(await shown.text()).toBe(source);
  const refused = await operate("DELETE", `/api/hooks/modules/${sha256}`);
  expect(refused.status).toBe(409);
  expect((await operate("DELETE", `/api/hooks/${hook?.id}`)).status).toBe(200);
  expect((await operate("DELETE", `/api/hooks/modules/${sha256}`)).status).toBe(200);
  expect((await operate("GET", `/api/hooks/modules/${sha256}`)).status).toBe(404);
});

it.each([
  ["", 400],
  [`// ${"x".repeat(262_144)}`, 413],
])("refuses a source that is none", async (source, status) => {
  expect((await operate("POST", "/api/hooks/modules", source)).status).toBe(status);
});

it("imports what an agent wrote into the workspace at the owner's word, and lets it wait for approval", async () => {
  await configure({ "access.owners": ["telegram:7001"] });
  try {
    const files = openSandbox(env, "main");
    const write = (path: string, text: string) => files.writeFile(path, new TextEncoder().encode(text), path);
    await write("/workspace/hooks/logger/HOOK.yaml", "name: logger\nevents: [agent:start]\n");
    await write("/workspace/hooks/logger/handler.js", "export function handle(type, context) {}");
    const session = openSession(world, 89_002);
    await session.say("/hooks import hooks/logger");
    const [reply = ""] = await session.shown(1);
    expect(reply).toContain("wait for you to approve");
    const line = /\/hooks approve agent:start module logger sha256:[0-9a-f]{64}/.exec(reply)?.[0] ?? "";
    expect(line).not.toBe("");
    expect((await hooksByApi())[0]).toMatchObject({ event: "agent:start", status: "not_approved" });
    await session.say(line);
    expect((await session.shown(2))[1]).toContain("Approved");
    expect((await hooksByApi())[0]).toMatchObject({ status: "active" });
    await session.say("/hooks import nothing/here");
    expect((await session.shown(3))[2]).toContain("There is no file /workspace/nothing/here/HOOK.yaml");
    await write("/workspace/hooks/python/HOOK.yaml", "name: python\nevents: [agent:start]\n");
    await write("/workspace/hooks/python/handler.py", "def handle(event_type, context): pass");
    await session.say("/hooks import hooks/python");
    expect((await session.shown(4))[3]).toContain("has no handler.js");
  } finally {
    await configure({ "access.owners": null });
  }
});

it("imports hooks of a YAML file with their numbers and switches, and says what it cannot read", async () => {
  await configure({ "access.owners": ["telegram:7001"] });
  try {
    const files = openSandbox(env, "main");
    const write = (path: string, text: string) => files.writeFile(path, new TextEncoder().encode(text), path);
    const entry =
      "id: watcher\n    event: tool.pre\n    url: https://hooks.example.com/\n    observe: true\n    timeout: 7";
    await write("/workspace/hooks/watch.yaml", `hooks:\n  - ${entry}\n`);
    const session = openSession(world, 89_003);
    await session.say("/hooks import hooks/watch.yaml");
    expect((await session.shown(1))[0]).toContain("wait for you to approve");
    const watcher = (await hooksByApi()).find((one) => one.id === "watcher");
    expect(watcher).toMatchObject({ timeoutSeconds: 7, status: "not_approved" });
    await operate("DELETE", "/api/hooks/watcher");
    await write("/workspace/hooks/broken.yaml", "hooks: [\n  - }");
    await session.say("/hooks import hooks/broken.yaml");
    expect((await session.shown(2))[1]).toContain("holds no hooks that can be read");
  } finally {
    await configure({ "access.owners": null });
  }
});
