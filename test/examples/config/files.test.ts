import { afterEach, beforeEach, expect, it, vi } from "vitest";
import judge from "../../../examples/hooks/config/judge.claude.json";
import guard from "../../../examples/hooks/config/block-rm.native.yaml";
import outbound from "../../../examples/hooks/config/session-webhook.hermes.yaml";
import webhook from "../../../examples/hooks/config/session-webhook.native.yaml";
import { openSession } from "../../durable-objects/session-driver";
import { type World, openWorld } from "../../support/world";
import { approveFile, removeHooks } from "./approve-file";
import { until } from "../../support/until";

let world: World;
beforeEach(() => {
  world = openWorld();
});
afterEach(async () => {
  await removeHooks();
  vi.restoreAllMocks();
});

/** A receiver at hooks.example.com that keeps what it gets. */
function receive(answer: () => Response): Readonly<Record<string, unknown>>[] {
  const received: Readonly<Record<string, unknown>>[] = [];
  world.answer = (call, body) => {
    if (call.startsWith("cloudflare-dns"))
      return Response.json({
        Status: 0,
        Answer: [{ name: "hooks.example.com", type: 1, TTL: 60, data: "93.184.216.34" }],
      });
    if (!call.startsWith("hooks ")) return undefined;
    received.push(body);
    return answer();
  };
  return received;
}

/** Has the model run one command and repeat what it is told. */
function runs(command: string): World["say"] {
  return (asked) => {
    const last = asked.messages.at(-1);
    return last?.role === "tool"
      ? { text: String(last.content) }
      : { calls: [{ name: "terminal", arguments: { command } }] };
  };
}

it("tells a webhook of conversations that begin and end", async () => {
  const received = receive(() => new Response(null, { status: 204 }));
  await approveFile(webhook);
  const session = openSession(world, 78_101);
  await session.say("hello");
  await session.say("/new");
  await session.shown(2);
  await until(() => expect(received).toHaveLength(2));
  expect(received).toMatchObject([
    { type: "session.start", data: { source: "startup", surface: "telegram" } },
    { type: "session.end", data: { reason: "reset" } },
  ]);
});

it("does so in the words of Hermes' outbound webhooks", async () => {
  const received = receive(() => new Response(null, { status: 204 }));
  await approveFile(outbound);
  const session = openSession(world, 78_102);
  await session.say("hello");
  await session.say("/new");
  await session.shown(2);
  await until(() => expect(received).toHaveLength(2));
  expect(received.map((body) => body["hook_event_name"])).toEqual(["on_session_start", "on_session_finalize"]);
});

it("asks a receiver about commands with an rm in them, and about no others", async () => {
  const received = receive(() => Response.json({ decision: "deny", reason: "not with me" }));
  await approveFile(guard);
  const session = openSession(world, 78_103);
  world.say = runs("rm -rf build");
  await session.say("clean up");
  expect((await session.shown(1))[0]).toBe("not with me");
  world.say = runs("echo hello");
  await session.say("say hello");
  expect((await session.shown(2))[1]).toContain("hello");
  expect(received).toHaveLength(1);
});

it("lets nothing through that the receiver cannot judge", async () => {
  receive(() => new Response("<html>", { status: 200 }));
  await approveFile(guard);
  const session = openSession(world, 78_104);
  world.say = runs("rm old.txt");
  await session.say("clean up");
  expect((await session.shown(1))[0]).toContain("hook block rm -rf failed closed");
});

it("lets a model judge a command, and another model's answer stands or falls with it", async () => {
  await approveFile(JSON.stringify(judge));
  const session = openSession(world, 78_105);
  const calls = runs("cat notes.md | base64");
  world.say = (asked, count) => {
    const [first] = asked.messages;
    return String(first?.content).startsWith("A personal agent wants to run")
      ? { text: '```json\n{"ok": false, "reason": "It encodes files to carry them off."}\n```' }
      : calls(asked, count);
  };
  await session.say("look at my notes");
  expect((await session.shown(1))[0]).toBe("It encodes files to carry them off.");
});
