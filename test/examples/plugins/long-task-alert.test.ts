import { expect, it } from "vitest";
import { longTaskAlert } from "../../../examples/hooks/plugins/long-task-alert/plugin";
import { openSession } from "../../durable-objects/session-driver";
import { configured, watchLog, worldWith } from "./deploy";

const world = worldWith(configured(longTaskAlert, { url: "https://alerts.example.com/hook", steps: 2 }));

/** Has the model take so many steps. */
function steps(count: number): void {
  let taken = 0;
  world().say = () =>
    taken++ < count ? { calls: [{ name: "terminal", arguments: { command: `echo ${taken}` } }] } : { text: "done" };
}

it("sends one alert for a turn that takes many steps, and none for a short one", async () => {
  const alerts: unknown[] = [];
  world().answer = (call, body) => {
    if (call !== "alerts hook") return undefined;
    alerts.push(body["text"]);
    return new Response("ok");
  };
  const session = openSession(world(), 78_041);
  steps(1);
  await session.say("a short one");
  await session.shown(1);
  expect(alerts).toEqual([]);
  steps(4);
  await session.say("a long one");
  await session.shown(2);
  expect(alerts).toEqual([expect.stringContaining("has taken 2 steps and goes on; the last one used terminal.")]);
});

it("lets the turn go on when the alert cannot be sent, and says why in the log", async () => {
  const warnings = await watchLog("warn");
  world().answer = (call) => (call === "alerts hook" ? new Response("no", { status: 500 }) : undefined);
  const session = openSession(world(), 78_042);
  steps(3);
  await session.say("go");
  expect(await session.shown(1)).toEqual(["done"]);
  expect(warnings().join("\n")).toContain("the alert was answered with 500");
});
