import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type ModelAsked, type World, lastWords, openWorld } from "../support/world";
import { ChatSession } from "../../durable-objects/chat-session";
import { openSession } from "./session-driver";
import { until } from "../support/until";

let world: World;
beforeEach(() => {
  world = openWorld();
});
afterEach(() => {
  vi.restoreAllMocks();
});

const spawn = (args: object) => ({ calls: [{ name: "delegate_task", arguments: args }] });
const isChild = (asked: ModelAsked): boolean =>
  asked.tools?.every((tool) => tool.function.name !== "delegate_task") === true;
const lastResult = (asked: ModelAsked): string => {
  const last = asked.messages.at(-1);
  return last?.role === "tool" ? String(last.content) : "";
};

it("gives a task to a session of its own and answers with what comes back", async () => {
  const session = openSession(world, 84_001);
  world.say = (asked) => {
    if (isChild(asked)) return { text: `worked on: ${lastWords(asked)}` };
    const result = lastResult(asked);
    return result === "" ? spawn({ goal: "count the moons", context: "of Mars" }) : { text: `heard ${result}` };
  };
  await session.say("go");
  const [text] = await session.shown(1);
  expect(text).toContain('"status":"completed"');
  expect(text).toContain("worked on: count the moons");
  expect(text).toContain("of Mars");
});

it("shows a child neither the conversation nor the tools that are not for it", async () => {
  const session = openSession(world, 84_002);
  const seen: ModelAsked[] = [];
  world.say = (asked) => {
    if (isChild(asked)) seen.push(asked);
    if (isChild(asked)) return { text: "ok" };
    return lastResult(asked) === "" ? spawn({ goal: "do the thing now" }) : { text: "done" };
  };
  await session.say("my secret is 42");
  await session.shown(1);
  expect(JSON.stringify(seen[0]?.messages)).not.toContain("secret is 42");
  const names = seen[0]?.tools?.map((tool) => tool.function.name) ?? [];
  expect(names).toContain("terminal");
  expect(names).not.toContain("clarify");
  expect(names).not.toContain("memory");
});

it("runs a batch side by side and gives the answers in the order of the tasks", async () => {
  const session = openSession(world, 84_003);
  let under = 0;
  const both = Promise.withResolvers<void>();
  world.say = async (asked) => {
    if (isChild(asked)) {
      under += 1;
      if (under === 2) both.resolve();
      await both.promise;
      return { text: `did ${lastWords(asked)}` };
    }
    if (lastResult(asked) !== "") return { text: lastResult(asked) };
    return spawn({ tasks: [{ goal: "first of the tasks" }, { goal: "second of the tasks" }] });
  };
  await session.say("go");
  const [text] = await session.shown(1);
  expect(text?.indexOf("did first")).toBeGreaterThan(-1);
  expect(text?.indexOf("did first")).toBeLessThan(text?.indexOf("did second") ?? 0);
});

it("never takes a task for a command, whatever it begins with", async () => {
  const session = openSession(world, 84_004);
  world.say = (asked) => {
    if (isChild(asked)) return { text: `read ${lastWords(asked)}` };
    return lastResult(asked) === "" ? spawn({ goal: "/model evil-model --global" }) : { text: lastResult(asked) };
  };
  await session.say("go");
  const [text] = await session.shown(1);
  expect(text).toContain("read /model evil-model");
});

it("starts a child once, and hears it once, when the parent crashes while it works", async () => {
  const session = openSession(world, 84_005);
  const gate = Promise.withResolvers<void>();
  let children = 0;
  world.say = async (asked) => {
    if (isChild(asked)) {
      children += 1;
      await gate.promise;
      return { text: "the child's answer" };
    }
    return lastResult(asked) === "" ? spawn({ goal: "take your time" }) : { text: lastResult(asked) };
  };
  await session.say("go");
  await until(() => expect(children).toBe(1));
  await session.crash();
  await session.wake();
  gate.resolve();
  const texts = await session.shown(1);
  expect(texts).toHaveLength(1);
  expect(texts[0]).toContain("the child's answer");
  expect(children).toBe(1);
});

it("remembers a child before it begins, so that no answer of it comes too early, and begins it after a crash between", async () => {
  const session = openSession(world, 84_031);
  const begun = Promise.withResolvers<void>();
  const crashed = Promise.withResolvers<void>();
  const delegate = vi.spyOn(ChatSession.prototype, "delegate").mockImplementationOnce(async () => {
    begun.resolve();
    await crashed.promise;
    throw new Error("its parent is gone");
  });
  world.say = (asked) => {
    if (isChild(asked)) return { text: "two moons" };
    return lastResult(asked) === "" ? spawn({ goal: "count the moons" }) : { text: `heard ${lastResult(asked)}` };
  };
  await session.say("go");
  await begun.promise;
  const [row] = await session.sql<{ value: string }>("SELECT value FROM meta WHERE key = 'children'");
  expect(row?.value).toContain("count the moons");
  await session.crash();
  crashed.resolve();
  await session.wake();
  expect((await session.shown(1))[0]).toContain("two moons");
  expect(delegate).toHaveBeenCalledTimes(2);
});

it("lets a background child's answer come as a message of its own, once", async () => {
  const session = openSession(world, 84_006);
  const gate = Promise.withResolvers<void>();
  world.say = async (asked) => {
    if (isChild(asked)) {
      await gate.promise;
      return { text: "found three moons" };
    }
    if (lastWords(asked).startsWith("[Subagent")) return { text: `Report: ${lastWords(asked)}` };
    return lastResult(asked) === "" ? spawn({ goal: "count the moons", background: true }) : { text: "started" };
  };
  await session.say("go");
  expect(await session.shown(1)).toEqual(["started"]);
  gate.resolve();
  const texts = await session.shown(2);
  expect(texts[1]).toContain("Its task was: count the moons");
  expect(texts[1]).toContain("found three moons");
});

it("asks once more for an answer that fits the schema it was given", async () => {
  const session = openSession(world, 84_007);
  let tries = 0;
  world.say = (asked) => {
    if (isChild(asked)) return { text: (tries += 1) === 1 ? "three" : '{"moons": 2}' };
    const schema = { type: "object", properties: { moons: { type: "number" } }, required: ["moons"] };
    return lastResult(asked) === ""
      ? spawn({ goal: "count the moons", output_schema: schema })
      : { text: lastResult(asked) };
  };
  await session.say("go");
  const [text] = await session.shown(1);
  expect(tries).toBe(2);
  expect(text).toContain('"schema_valid":true');
});

it("stops its children with the turn that waits for them", async () => {
  const session = openSession(world, 84_008);
  let children = 0;
  world.say = async (asked) => {
    if (isChild(asked)) {
      children += 1;
      await new Promise(() => undefined);
    }
    return spawn({ goal: "never come back" });
  };
  await session.say("go");
  await until(() => expect(children).toBe(1));
  await session.say("/stop");
  expect((await session.shown(1))[0]).toContain("⏹ Stopped.");
});
