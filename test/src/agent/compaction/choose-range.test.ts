import * as fc from "fast-check";
import { beforeEach, expect, it } from "vitest";
import { chooseRange } from "#src/agent/compaction/choose-range";
import { COMPACTION_DEFAULTS, compactionLimits } from "#src/agent/compaction/compaction-limits";
import { shownTokens } from "#src/agent/compaction/shown-tokens";
import type { Message } from "#src/domain/message";
import { answers, calls, newConversation, results, says } from "../../../support/compaction-rows";

const LIMITS = { ...compactionLimits(COMPACTION_DEFAULTS, { name: "m", contextTokens: 10_000 }), tailTokens: 400 };

beforeEach(newConversation);

const choose = (rows: readonly Message[], over: Partial<Parameters<typeof chooseRange>[0]> = {}) =>
  chooseRange({ rows, limits: LIMITS, tokensOf: shownTokens, ...over });

const ids = (rows: readonly Message[] | undefined): number[] => (rows ?? []).map(({ id }) => id);

/** Messages of 20 tokens each. */
const talk = (count: number): Message[] =>
  Array.from({ length: count }, (_, n) => (n % 2 === 0 ? says("x".repeat(64)) : answers("y".repeat(64))));

it("keeps the first three and the last twenty messages", () => {
  const range = choose(talk(100));
  expect(ids(range?.head)).toEqual([1, 2, 3]);
  expect(ids(range?.tail)).toHaveLength(20);
  expect(ids(range?.middle)).toHaveLength(77);
});

it("keeps more messages at the end while they are small", () => {
  expect(choose(talk(100), { limits: { ...LIMITS, tailTokens: 1000 } })?.tail).toHaveLength(50);
});

it("keeps fewer messages at the end when they are large, but never fewer than eight", () => {
  expect(choose(talk(100), { limits: { ...LIMITS, tailTokens: 200 } })?.tail).toHaveLength(15);
  expect(choose(talk(100), { limits: { ...LIMITS, tailTokens: 20 } })?.tail).toHaveLength(8);
});

it("lets no beginning stay that would fill the room by itself", () => {
  const rows = [says("x".repeat(8000)), ...talk(100)];
  expect(choose(rows)?.head).toEqual([]);
  expect(choose([says("short"), answers("x".repeat(8000)), ...talk(100)])?.head).toHaveLength(1);
});

it("parts no call from its results", () => {
  const many = Array.from({ length: 12 }, (_, n) => `c${n}`);
  const group = [calls(many), ...many.map((id) => results([id], "x".repeat(200)))];
  const rows = [...talk(40), ...group, ...talk(4)];
  const range = choose(rows);
  expect(range?.tail[0]).toBe(group[0]);
});

it("cuts behind an answer with very many calls when it reaches back to the beginning", () => {
  const many = Array.from({ length: 40 }, (_, n) => `c${n}`);
  const rows = [...talk(3), calls(many), ...many.map((id) => results([id], "x".repeat(200))), ...talk(6)];
  const range = choose(rows);
  expect(ids(range?.middle)).toEqual(Array.from({ length: 41 }, (_, n) => n + 4));
  expect(range?.tail).toHaveLength(6);
});

it("takes an answer whose calls are still open for the end", () => {
  const open = calls(["open"]);
  const range = choose([...talk(60), open]);
  expect(range?.tail.at(-1)).toBe(open);
});

it("has nothing to summarise in a short conversation", () => {
  expect(choose(talk(20))).toBeUndefined();
  expect(choose([])).toBeUndefined();
});

it("goes on behind an earlier summary, and keeps the beginning that it kept", () => {
  const earlier = { fromId: 4, toId: 50, shownIds: [], body: "", kept: [], by: "model" as const };
  const range = choose(talk(120), { earlier });
  expect(ids(range?.head)).toEqual([1, 2, 3]);
  expect(ids(range?.middle)).toEqual(Array.from({ length: 50 }, (_, n) => n + 51));
});

it("moves the cut back to the person's latest words when they are near", () => {
  const work = Array.from({ length: 12 }, (_, n) => [calls([`c${n}`]), results([`c${n}`], "x".repeat(16))]).flat();
  const words = says("do it");
  const range = choose([...talk(40), words, ...work], { limits: { ...LIMITS, protectLast: 8, tailTokens: 200 } });
  expect(range?.tail[0]).toBe(words);
  expect(range?.shown).toEqual([]);
});

it("shows the person's latest words beside the summary when they are far back", () => {
  const work = Array.from({ length: 80 }, (_, n) => [calls([`c${n}`]), results([`c${n}`], "x".repeat(64))]).flat();
  const words = says("do it");
  const range = choose([...talk(10), words, ...work]);
  expect(range?.shown).toEqual([words]);
  const earlier = {
    fromId: 4,
    toId: range?.middle.at(-1)?.id ?? 0,
    shownIds: [words.id],
    body: "",
    kept: [],
    by: "model" as const,
  };
  const more = Array.from({ length: 80 }, (_, n) => [calls([`d${n}`]), results([`d${n}`], "x".repeat(64))]).flat();
  expect(choose([...talk(0), words, ...work, ...more], { earlier })?.shown).toEqual([words]);
});

it("keeps as many turns as a person asks for", () => {
  expect(choose(talk(30), { keepTurns: 2 })?.tail).toHaveLength(2);
  expect(choose(talk(6), { keepTurns: 10 })).toBeUndefined();
});

it("makes three whole parts of any conversation, in order", () => {
  const piece = fc.oneof(
    fc.integer({ min: 1, max: 400 }).map((chars) => () => [says("x".repeat(chars))]),
    fc.integer({ min: 1, max: 400 }).map((chars) => () => [answers("x".repeat(chars))]),
    fc.array(fc.integer({ min: 1, max: 800 }), { minLength: 1, maxLength: 6 }).map((sizes) => () => {
      const names = sizes.map((_, n) => `k${n}-${Math.random()}`);
      return [calls(names), ...names.map((name, n) => results([name], "x".repeat(sizes[n] ?? 1)))];
    }),
    fc.constant(() => [calls([`lost-${Math.random()}`])]),
    fc.constant(() => [says("by the way", { kind: "steer" })]),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), fc.integer({ min: 20, max: 2000 }), (pieces, tailTokens) => {
      newConversation();
      const rows = pieces.flatMap((make) => make());
      const range = choose(rows, { limits: { ...LIMITS, tailTokens } });
      if (range === undefined) return;
      const { head, middle, tail } = range;
      expect([...head, ...middle, ...tail]).toEqual(rows);
      expect(middle.length).toBeGreaterThan(0);
      expect(tail.length).toBeGreaterThan(0);
      for (const part of [head, middle, tail]) {
        const asked = new Set(part.flatMap((row) => (row.toolCalls ?? []).map(({ id }) => id)));
        const given = part.flatMap((row) => (row.toolResults ?? []).map(({ callId }) => callId));
        expect(given.filter((id) => !asked.has(id))).toEqual([]);
      }
    }),
    { seed: 7, numRuns: 300 },
  );
});
