import { expect, it } from "vitest";
import { HOOK_EVENTS, type HookEventName, type HookEventSpec, NO_OPINION } from "#src/domain/hook-event";

const events = Object.entries(HOOK_EVENTS) as readonly (readonly [HookEventName, HookEventSpec])[];

it("says of every moment when it fires, in a sentence of its own", () => {
  expect(events.every(([, { when }]) => when.length > 10)).toBe(true);
  expect(new Set(events.map(([, { when }]) => when)).size).toBe(events.length);
});

it("lets only gates add context beside what they are for, and only transforms mind what is empty", () => {
  for (const [name, spec] of events) {
    if (spec.injects === true) expect(spec.kind, name).toBe("gate");
    if (spec.nonEmpty === true) expect(spec.kind, name).toBe("transform");
  }
});

it("has the moments of a turn that every system knows", () => {
  const kinds = Object.fromEntries(events.map(([name, { kind }]) => [name, kind]));
  expect(kinds).toMatchObject({
    "message.received": "claim",
    "prompt.submit": "gate",
    "turn.context": "inject",
    "tool.pre": "gate",
    "tool.result": "transform",
    stop: "keep-going",
    "turn.end": "observe",
  });
});

it("has no opinion by itself", () => {
  expect(NO_OPINION).toEqual({ outcome: "none", notes: [] });
});
