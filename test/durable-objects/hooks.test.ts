import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Plugin, PluginContext } from "#src/domain/plugin";
import { environmentFor } from "../../durable-objects/environment";
import { plugins } from "../../plugins/registry";
import { type World, lastWords, openWorld, operator } from "../support/world";
import { gate, openSession } from "./session-driver";
import { until } from "../support/until";

let world: World;
const registered = plugins as Plugin[];

beforeEach(() => {
  world = openWorld();
});
afterEach(() => {
  registered.length = 0;
  environmentFor.forget("main", Number.POSITIVE_INFINITY);
  vi.restoreAllMocks();
});

/** Deploys a plugin for one test. */
function deploy(register: (context: PluginContext) => void): void {
  registered.push({ name: "probe", register });
  environmentFor.forget("main", Number.POSITIVE_INFINITY);
}

it("blocks a command by a plugin's gate, and the model reads why", async () => {
  deploy((ctx) =>
    ctx.registerHook("pre_tool_call", (event) =>
      JSON.stringify(event["args"]).includes("rm -rf") ? { action: "block", message: "not with me" } : undefined,
    ),
  );
  const session = openSession(world, 85_001);
  world.say = (asked) => {
    const last = asked.messages.at(-1);
    return last?.role === "tool"
      ? { text: `told: ${String(last.content)}` }
      : { calls: [{ name: "terminal", arguments: { command: "rm -rf build" } }] };
  };
  await session.say("clean up");
  expect(await session.shown(1)).toEqual(["told: not with me"]);
});

it("fires the moments of a turn in the order of the catalogue", async () => {
  const seen: string[] = [];
  const names = [
    "message.received",
    "session.start",
    "prompt.submit",
    "turn.start",
    "turn.context",
    "model.pre",
    "model.post",
    "tool.pre",
    "tool.output",
    "tool.post",
    "tool.result",
    "tool.batch",
    "turn.step",
    "stop",
    "completion.claim",
    "response.transform",
    "turn.complete",
    "outbound.message",
    "outbound.sent",
    "turn.end",
  ];
  deploy((ctx) => {
    for (const name of names) ctx.registerHook(name, () => void seen.push(name));
  });
  const session = openSession(world, 85_702);
  world.say = (asked) =>
    asked.messages.at(-1)?.role === "tool"
      ? { text: "done" }
      : { calls: [{ name: "terminal", arguments: { command: "echo hi" } }] };
  await session.say("go");
  await session.shown(1);
  await until(() => expect(seen).toContain("outbound.sent"));
  expect(seen.filter((name) => !name.startsWith("outbound"))).toEqual([
    "message.received",
    "session.start",
    "prompt.submit",
    "turn.start",
    "turn.context",
    "model.pre",
    "model.post",
    "tool.pre",
    "tool.output",
    "tool.post",
    "tool.result",
    "tool.batch",
    "turn.step",
    "model.pre",
    "model.post",
    "stop",
    "completion.claim",
    "response.transform",
    "turn.complete",
    "turn.end",
  ]);
  expect(seen.indexOf("outbound.message")).toBeLessThan(seen.indexOf("outbound.sent"));
});

it("drops a message before access, and rewrites another", async () => {
  deploy((ctx) =>
    ctx.registerHook("pre_gateway_dispatch", (event) => {
      const { text = "" } = event["event"] as { readonly text?: string };
      if (text.includes("spam")) return { action: "skip", reason: "spam" };
      return text.includes("typo") ? { action: "rewrite", text: "fixed" } : { action: "allow" };
    }),
  );
  const session = openSession(world, 85_003);
  await session.say("this is spam");
  await session.say("a typo");
  expect(await session.shown(1)).toEqual(["You said: fixed"]);
  expect(world.asked).toHaveLength(1);
});

it("takes in a message whose gate was cut off by a crash, once", async () => {
  const opened = gate();
  let calls = 0;
  deploy((ctx) =>
    ctx.registerHook("message.received", async () => {
      calls += 1;
      if (calls === 1) await opened.opened;
    }),
  );
  const session = openSession(world, 85_004);
  await session.say("hello");
  await until(() => expect(calls).toBe(1));
  await session.crash();
  await session.wake();
  expect(await session.shown(1)).toEqual(["You said: hello"]);
  expect(calls).toBe(2);
  opened.open();
});

it("keeps an answer from the chat that a hook holds back, and lets the next one through", async () => {
  deploy((ctx) =>
    ctx.registerHook("outbound.message", (event) => {
      const text = JSON.stringify(event);
      if (text.includes("secret")) return { decision: "deny", reason: "no secrets" };
      return text.includes("colour") ? { text: "color" } : undefined;
    }),
  );
  const session = openSession(world, 85_005);
  world.say = (asked) => ({ text: lastWords(asked).includes("first") ? "the secret is out" : "colour" });
  await session.say("first");
  await session.say("second");
  expect(await session.shown(1).catch(() => world.textsOf(85_005))).toEqual(["color"]);
});

it("keeps back what a hook holds back, also when it is sent again by hand", async () => {
  let asked = 0;
  deploy((ctx) =>
    ctx.registerHook("outbound.message", () => {
      asked += 1;
      return { decision: "deny", reason: "not today" };
    }),
  );
  const session = openSession(world, 85_010);
  await session.say("hello");
  const path = `/api/deliveries?session=${encodeURIComponent(session.key)}`;
  const id = await until(async () => {
    const { deliveries } = await (await operator(path)).json<{ deliveries: { id: string; state: string }[] }>();
    expect(deliveries).toMatchObject([{ state: "dead" }]);
    return deliveries[0]?.id ?? "";
  });
  await operator(`/api/deliveries/${encodeURIComponent(id)}/replay`, { method: "POST" });
  await until(() => expect(asked).toBe(2));
  expect(world.textsOf(85_010)).toEqual([]);
});

it("takes a note to the owner past the hooks, also before the session has looked at anything", async () => {
  const asked: string[] = [];
  deploy((ctx) =>
    ctx.registerHook("outbound.message", (event) => {
      asked.push((event as { data: { text: string } }).data.text);
      return { text: "changed" };
    }),
  );
  const session = openSession(world, 85_011);
  await runInDurableObject(env.SESSIONS.getByName(session.key), (instance) => instance.noteToOwner("a note"));
  expect(await session.shown(1)).toEqual(["changed"]);
  expect(asked).toEqual(["a note"]);
});

it("shows what a hook says of a message beside it, once, and does not ask about that", async () => {
  const asked: string[] = [];
  deploy((ctx) =>
    ctx.registerHook("outbound.message", (event) => {
      asked.push((event as { data: { text: string } }).data.text);
      return { notes: ["a note of the hook"] };
    }),
  );
  const session = openSession(world, 85_012);
  await session.say("hello");
  expect(await session.shown(2)).toEqual(["You said: hello", "a note of the hook"]);
  expect(asked).toEqual(["You said: hello"]);
  expect((await session.transcript()).filter(({ kind }) => kind === "note")).toMatchObject([
    { content: "a note of the hook" },
  ]);
});

it("shows what hooks say of a subagent's beginning and end", async () => {
  const seen: unknown[] = [];
  deploy((ctx) => {
    ctx.registerHook("subagent.start", (event) => {
      seen.push((event as { data: unknown }).data);
      return { notes: ["it begins"] };
    });
    ctx.registerHook("subagent.stop", () => ({ notes: ["it is over"] }));
  });
  const session = openSession(world, 85_013);
  world.say = (asked) => {
    if (asked.tools?.every((tool) => tool.function.name !== "delegate_task") === true) return { text: "seven" };
    return asked.messages.at(-1)?.role === "tool"
      ? { text: "over" }
      : { calls: [{ name: "delegate_task", arguments: { goal: "count the moons" } }] };
  };
  await session.say("go");
  expect(await session.shown(3)).toEqual(["it begins", "it is over", "over"]);
  expect(seen).toMatchObject([{ parent_session_id: session.key, child_role: "leaf", child_goal: "count the moons" }]);
});

it("keeps a subagent going no more often than the cap, whatever a hook says", async () => {
  const seen: unknown[] = [];
  deploy((ctx) =>
    ctx.registerHook("subagent.stop", (event) => {
      seen.push(event);
      return { keepGoing: { message: "not good enough" } };
    }),
  );
  const session = openSession(world, 85_008);
  let answers = 0;
  world.say = (asked) => {
    if (asked.tools?.every((tool) => tool.function.name !== "delegate_task") === true) {
      answers += 1;
      return { text: `answer ${answers}` };
    }
    return asked.messages.at(-1)?.role === "tool"
      ? { text: "over" }
      : { calls: [{ name: "delegate_task", arguments: { goal: "count the moons" } }] };
  };
  await session.say("go");
  expect(await session.shown(2)).toEqual([expect.stringContaining("was not satisfied after 3 tries"), "over"]);
  expect(answers).toBe(4);
  expect(seen.map((event) => (event as { data: { attempt: number } }).data.attempt)).toEqual([0, 1, 2, 3]);
});

it("lets no hook wake a subagent that was stopped with its turn", async () => {
  let asked = 0;
  deploy((ctx) =>
    ctx.registerHook("subagent.stop", () => {
      asked += 1;
      return { keepGoing: { message: "go on" } };
    }),
  );
  const session = openSession(world, 85_009);
  let tries = 0;
  world.say = async ({ tools }) => {
    if (tools?.every((tool) => tool.function.name !== "delegate_task") !== true)
      return { calls: [{ name: "delegate_task", arguments: { goal: "never come back" } }] };
    tries += 1;
    return new Promise(() => undefined);
  };
  await session.say("go");
  await until(() => expect(tries).toBe(1));
  await session.say("/stop");
  expect((await session.shown(1))[0]).toContain("⏹ Stopped.");
  await until(() => expect(asked).toBe(1));
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect([asked, tries]).toEqual([1, 1]);
});

it("shows nothing of an answer that a hook may still change", async () => {
  deploy((ctx) => ctx.registerHook("response.transform", () => ({ text: "the changed answer" })));
  const session = openSession(world, 85_006);
  world.say = () => ({ text: "the first answer, which nobody may see, long enough to be shown while it grows" });
  await session.say("go");
  expect(await session.shown(1)).toEqual(["the changed answer"]);
  expect(JSON.stringify(await session.transcript())).not.toContain("nobody may see");
});

it("writes what observers are owed with what they observe, and delivers it after a crash", async () => {
  const session = openSession(world, 85_007);
  const open = gate();
  const received: unknown[] = [];
  let isUp = false;
  const response = await env.PROFILES.getByName("main").changeHooks(
    {
      sources: [
        {
          id: "t",
          addedAt: 0,
          native: [{ event: "turn.end", type: "http", url: "https://hooks.watch.dev/in", name: "watcher" }],
        },
      ],
    },
    [],
  );
  expect(response).toBe(true);
  environmentFor.forget("main", Number.POSITIVE_INFINITY);
  world.answer = (call, body) => {
    if (call.startsWith("cloudflare-dns")) return Response.json(publicDns(call));
    if (!call.startsWith("hooks")) return undefined;
    if (!isUp) return new Response("down", { status: 503 });
    received.push(body);
    return new Response(null, { status: 204 });
  };
  await approveAll();
  await session.say("hello");
  await session.shown(1);
  await until(async () => expect(await owed(session.key)).toBe(1));
  const failing = async (): Promise<string[]> =>
    runInDurableObject(env.PROFILES.getByName("main"), (profile) => Object.keys(profile.hooks().failing));
  await until(async () => expect(await failing()).toHaveLength(1));
  await session.crash();
  isUp = true;
  await runInDurableObject(env.SESSIONS.getByName(session.key), (_instance, state) => {
    const [row] = state.storage.sql.exec<{ id: number; data: string }>("SELECT id, data FROM observers").toArray();
    const due = JSON.stringify({ ...(JSON.parse(row?.data ?? "{}") as object), nextAt: 0 });
    state.storage.sql.exec("UPDATE observers SET data = ? WHERE id = ?", due, row?.id ?? 0);
  });
  await session.crash();
  await session.wake();
  await until(() => expect(received.length).toBeGreaterThan(0));
  expect(received[0]).toMatchObject({ type: "turn.end", data: { completed: true } });
  await until(async () => expect(await owed(session.key)).toBe(0));
  await until(async () => expect(await failing()).toEqual([]));
  await env.PROFILES.getByName("main").changeHooks({ sources: [], approvals: [] }, []);
  open.open();
});

function publicDns(_call: string): object {
  return { Status: 0, Answer: [{ name: "hooks.watch.dev", type: 1, TTL: 60, data: "93.184.216.34" }] };
}

/** Approves every hook as the owner would: exactly as it stands. */
async function approveAll(): Promise<void> {
  const { hooksSetup } = await environmentFor(env, "main");
  if (hooksSetup === undefined) throw new TypeError("there are no hooks");
  const approvals = hooksSetup.inventory.known.map(({ hook, identity }) => ({
    scope: "main",
    dialect: hook.dialect,
    event: hook.nativeEvent,
    target: identity.target,
    digest: identity.digest,
    approvedBy: { principal: "owner", surface: "test", method: "ui" },
    approvedAt: 0,
  }));
  await env.PROFILES.getByName("main").changeHooks({ approvals }, []);
  environmentFor.forget("main", Number.POSITIVE_INFINITY);
}

async function owed(key: string): Promise<number> {
  return runInDurableObject(
    env.SESSIONS.getByName(key),
    (_instance, state) => state.storage.sql.exec<{ n: number }>("SELECT count(*) AS n FROM observers").one().n,
  );
}
