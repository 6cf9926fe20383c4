import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type World, openWorld, operator } from "../support/world";
import { configure, openSession } from "./session-driver";
import { until } from "../support/until";

let world: World;
beforeEach(() => {
  world = openWorld();
  world.say = (asked) => {
    const last = asked.messages.at(-1);
    if (last?.role === "tool") return { text: `told: ${String(last.content)}` };
    return { calls: [{ name: "terminal", arguments: { command: "mkdir -p x && rm -rf x && echo gone" } }] };
  };
});
afterEach(async () => {
  vi.restoreAllMocks();
});

async function prompt(chat: number): Promise<string> {
  await until(() => expect(world.textsOf(chat)).toHaveLength(1));
  return world.textsOf(chat)[0] ?? "";
}

it("asks before a dangerous command, shows it, and runs it once it is allowed", async () => {
  const session = openSession(world, 86_001);
  await session.say("clean up");
  expect(await prompt(86_001)).toContain("rm -rf x");
  expect(await prompt(86_001)).toContain("1. Allow once");
  await session.say("1");
  const texts = await session.shown(2);
  expect(texts[1]).toContain("gone");
});

it("runs nothing that is denied, and tells the model so", async () => {
  const session = openSession(world, 86_002);
  await session.say("clean up");
  await prompt(86_002);
  await session.say("/deny");
  const texts = await session.shown(2);
  expect(texts[1]).toContain("the person denied it");
  expect(texts[1]).not.toContain("gone\\n");
});

it.each(["yes", "use the bin"])("runs nothing that is denied for the reason %j, and hands that on", async (reason) => {
  const session = openSession(world, reason === "yes" ? 86_060 : 86_061);
  await session.say("clean up");
  await prompt(session.chat);
  await session.say(`/deny ${reason}`);
  const text = (await session.shown(2))[1];
  expect(text).toContain(`the person denied it`);
  expect(text).toContain(`They said: ${reason}`);
  expect(text).not.toContain("gone\\n");
});

it("takes other words as a no, and hands them to the model", async () => {
  const session = openSession(world, 86_003);
  await session.say("clean up");
  await prompt(86_003);
  await session.say("use the bin instead");
  expect((await session.shown(2))[1]).toContain("use the bin instead");
});

it("does not ask again in a conversation where that kind was allowed", async () => {
  const session = openSession(world, 86_004);
  await session.say("clean up");
  await prompt(86_004);
  await session.say("/approve session");
  await session.shown(2);
  await session.say("again");
  expect(await session.shown(3)).toHaveLength(3);
});

it("keeps the question through a crash, and runs the command once", async () => {
  const session = openSession(world, 86_005);
  await session.say("clean up");
  await prompt(86_005);
  await session.crash();
  await session.wake();
  await session.say("/approve");
  const texts = await session.shown(2);
  expect(texts[1]).toContain("gone");
  expect(texts.filter((text) => text.includes("May I run this?"))).toHaveLength(1);
});

it("never runs what is on the floor, whoever allows it", async () => {
  world.say = (asked) => {
    const last = asked.messages.at(-1);
    if (last?.role === "tool") return { text: `told: ${String(last.content)}` };
    return { calls: [{ name: "terminal", arguments: { command: "rm -rf / --no-preserve-root" } }] };
  };
  const session = openSession(world, 86_006);
  await session.say("wipe it");
  const texts = await session.shown(1);
  expect(texts[0]).toContain("never run here");
});

it("asks before it changes a file that tells agents what to do", async () => {
  world.say = (asked) => {
    const last = asked.messages.at(-1);
    if (last?.role === "tool") return { text: `told: ${String(last.content)}` };
    return { calls: [{ name: "write_file", arguments: { path: "AGENTS.md", content: "obey me" } }] };
  };
  const session = openSession(world, 86_007);
  await session.say("note that");
  expect(await prompt(86_007)).toContain("AGENTS.md");
  await session.say("/deny");
  await session.shown(2);
});

it("refuses without a question where nobody can be asked", async () => {
  const session = openSession(world, 86_008);
  world.say = (asked) => {
    const isChild = asked.tools?.every((tool) => tool.function.name !== "delegate_task") === true;
    const last = asked.messages.at(-1);
    if (last?.role === "tool") return { text: `told: ${String(last.content)}` };
    return isChild
      ? { calls: [{ name: "terminal", arguments: { command: "rm -rf x" } }] }
      : { calls: [{ name: "delegate_task", arguments: { goal: "clean up x" } }] };
  };
  await session.say("go");
  expect((await session.shown(1))[0]).toContain("nobody to ask");
});

it("counts silence as a no", async () => {
  await configure({ "approvals.timeout_seconds": 10 });
  const session = openSession(world, 86_009);
  await session.say("clean up");
  await prompt(86_009);
  const [row] = await session.sql<{ id: number; data: string }>("SELECT id, data FROM turns");
  const late = JSON.parse(row?.data ?? "{}") as { waiting: object };
  await session.sql(
    "UPDATE turns SET data = ? WHERE id = ?",
    JSON.stringify({ ...late, waiting: { ...late.waiting, expiresAt: 1 } }),
    row?.id ?? 0,
  );
  await session.crash();
  await session.wake();
  expect((await session.shown(2))[1]).toContain("nobody answered in time");
  await configure({ "approvals.timeout_seconds": null });
});

it("lets always hold for the whole profile, also in other conversations", async () => {
  // a profile of its own, without owners: there everyone who may talk may say so
  const profile = "always";
  const session = openSession(world, 86_010, profile);
  await session.say("clean up");
  await prompt(86_010);
  await session.say("/approve always");
  await session.shown(2);
  const other = openSession(world, 86_011, profile);
  await other.say("clean up");
  expect((await other.shown(1))[0]).toContain("gone");
  expect(await env.PROFILES.getByName(profile).allowedAlways()).not.toEqual([]);
});

async function listed(): Promise<{ pending: { id: string; session: string; text: string }[]; allowed: string[] }> {
  return (await operator("/api/approvals")).json();
}

function answer(body: object): Promise<Response> {
  return operator("/api/approvals", { method: "POST", body: JSON.stringify(body) });
}

it("lists what it asks leave for, and takes the operator's answer to it once", async () => {
  const session = openSession(world, 86_050);
  await session.say("clean up");
  await prompt(86_050);
  const asked = (await listed()).pending.find((one) => one.session === session.key);
  expect(asked?.text).toContain("rm -rf x");
  const { id } = asked ?? { id: "" };
  expect((await answer({ session: session.key, id: "other", choice: "once" })).status).toBe(404);
  expect((await answer({ session: session.key, id, choice: "perhaps" })).status).toBe(400);
  expect((await answer({ session: session.key, id, choice: "once" })).status).toBe(202);
  expect((await session.shown(2))[1]).toContain("gone");
  await until(async () => expect((await listed()).pending.map((one) => one.session)).not.toContain(session.key));
  expect((await answer({ session: session.key, id, choice: "once" })).status).toBe(404);
});

it("still lists a question that a crash came over", async () => {
  const session = openSession(world, 86_051);
  await session.say("clean up");
  await prompt(86_051);
  await session.crash();
  await session.wake();
  await until(async () => expect((await listed()).pending.map((one) => one.session)).toContain(session.key));
  await session.say("/deny");
  await session.shown(2);
});

it("takes what was allowed for good off the list again", async () => {
  await configure({ "access.owners": ["telegram:7001"] });
  try {
    const session = openSession(world, 86_052);
    await session.say("clean up");
    await prompt(86_052);
    await session.say("/approve always");
    await session.shown(2);
    const [kind = ""] = (await listed()).allowed;
    expect(kind).not.toBe("");
    expect((await operator(`/api/approvals/${kind}`, { method: "DELETE" })).status).toBe(200);
    expect((await operator(`/api/approvals/${kind}`, { method: "DELETE" })).status).toBe(404);
    await session.say("clean up");
    await until(() => expect(world.textsOf(86_052)[2]).toContain("May I run this?"));
    await session.say("/deny");
    await session.shown(4);
  } finally {
    await configure({ "access.owners": null });
  }
});
