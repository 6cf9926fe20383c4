import * as fc from "fast-check";
import { expect, it } from "vitest";
import { runTurn } from "#src/agent/run-turn";
import type { Message, ToolCall } from "#src/domain/message";
import { GatewayError } from "#src/domain/errors";
import type { AnyTool } from "#src/domain/tool";
import { type MemoryJournal, memoryJournal } from "../../support/memory-journal";
import { TURN, fakeTool, scriptedTurn, textsOf } from "../../support/scripted-turn";

const TOOLS = ["read", "look", "put", "send", "post", "clarify", "missing"] as const;

/** What happens in one run of a turn, over however many lives it takes. */
interface Story {
  /** The calls of each model answer before the last one, by tool. */
  readonly steps: readonly (readonly (typeof TOOLS)[number][])[];
  /** For each life but the last: the point at which it ends. */
  readonly crashes: readonly number[];
  /** Points, over all lives, at which a person writes. */
  readonly writes: readonly number[];
}

const stories: fc.Arbitrary<Story> = fc.record({
  steps: fc.array(fc.array(fc.constantFrom(...TOOLS), { minLength: 1, maxLength: 5 }), { maxLength: 4 }),
  crashes: fc.array(fc.nat({ max: 25 }), { maxLength: 5 }),
  writes: fc.uniqueArray(fc.nat({ max: 30 }), { maxLength: 2 }),
});

/** The world over all lives of the turn: what was done to it stays done. */
interface Outside {
  readonly journal: MemoryJournal;
  readonly ran: Map<string, number>;
  readonly written: string[];
  lastRead: readonly string[];
}

const CRASH = new GatewayError("aborted", "The process ended here.");

async function tell(story: Story): Promise<Outside> {
  let passed = 0;
  let left = Number.POSITIVE_INFINITY;
  /** A place where the process may end: from there on nothing of this life happens. */
  function point(name?: string): void {
    if (left-- <= 0) throw CRASH;
    // nobody writes in the middle of a transaction
    if (name !== undefined && name !== "after step" && name !== "after results") return;
    if (!story.writes.includes(passed++) || outside.journal.ends.length > 0) return;
    outside.written.push(`words ${passed}`);
    outside.journal.write(`words ${passed}`);
  }
  const outside: Outside = { journal: memoryJournal({ point }), ran: new Map(), written: [], lastRead: [] };
  for (let life = 0; outside.journal.ends.length === 0; life++) {
    left = story.crashes[life] ?? Number.POSITIVE_INFINITY;
    await live(story, outside, life > 0, point).catch((error: unknown) => expect(error).toBe(CRASH));
  }
  return outside;
}

function live({ steps }: Story, outside: Outside, interrupted: boolean, point: () => void): Promise<unknown> {
  const { journal } = outside;
  const turn = scriptedTurn({ say: () => ({}), tools: toolsOf(outside, point), journal });
  const { ports } = turn;
  return runTurn(TURN, interrupted, {
    ...ports,
    async callModel(write) {
      const messages = write();
      point();
      await Promise.resolve();
      outside.lastRead = textsOf(messages);
      point();
      const said = journal.all().filter((row) => row.toolCalls !== undefined).length;
      const names = steps[said];
      const toolCalls = (names ?? []).map((name, n): ToolCall => ({ id: `${said}.${n}`, name, arguments: "{}" }));
      return { type: "answer", answer: { text: names === undefined ? "the end" : "", toolCalls, finish: "stop" } };
    },
    tools: {
      ...ports.tools,
      ask: (call, question) => {
        const asked = ports.tools.ask(call, question);
        asked.catch(() => undefined); // it dies with its life
        point();
        // a person answers; the words are kept before the turn hears of them
        if (journal.waiting()?.answer === undefined) journal.answer(`chose ${call.id}`);
        turn.control.wake();
        point();
        return asked;
      },
    },
  });
}

function toolsOf({ ran }: Outside, point: () => void): readonly AnyTool[] {
  const tool = (name: string, over: Partial<AnyTool>): AnyTool =>
    fakeTool(
      name,
      async (_args, { callKey }) => {
        point();
        ran.set(`${name} ${callKey}`, (ran.get(`${name} ${callKey}`) ?? 0) + 1);
        await Promise.resolve();
        point();
        return { content: `${name} ran` };
      },
      over,
    );
  return [
    tool("read", { parallel: "always" }),
    tool("look", {}),
    tool("put", { effect: "idempotent" }),
    tool("send", { effect: "unsafe" }),
    tool("post", { effect: "unsafe", parallel: "always" }),
    fakeTool("clarify", async () => ({ ask: { text: "Which?", choices: [] } })),
  ];
}

it("ends once, runs nothing unsafe twice and leaves no call alone, wherever it is cut off", async () => {
  await fc.assert(
    fc.asyncProperty(stories, async (story) => {
      const { journal, ran, written, lastRead } = await tell(story);
      expect(journal.ends).toMatchObject([{ end: "answered", message: { content: "the end" } }]);
      expect(journal.all().at(-1)).toMatchObject({ role: "assistant", content: "the end" });
      expect([...ran].filter(([key, times]) => /^(?:send|post) /.test(key) && times > 1)).toEqual([]);
      expect(faultsOf(journal.all())).toEqual([]);
      expect(journal.all().filter((row) => row.toolCalls !== undefined)).toHaveLength(story.steps.length);
      const questions = journal.questions.map(({ callId }) => callId);
      expect(new Set(questions).size).toBe(questions.length);
      expect(written.filter((words) => !lastRead.includes(words))).toEqual([]);
    }),
    { seed: 20261121, numRuns: 1500 },
  );
});

it("runs each tool once, in the model's order, when nothing cuts it off", async () => {
  await fc.assert(
    fc.asyncProperty(stories, async ({ steps }) => {
      const { ran } = await tell({ steps, crashes: [], writes: [] });
      const expected = steps.flatMap((names, step) =>
        names.flatMap((name, n) => (name === "clarify" || name === "missing" ? [] : [`${name} ${step}.${n}`])),
      );
      expect([...ran]).toEqual(expected.map((key) => [key, 1]));
    }),
    { seed: 4, numRuns: 200 },
  );
});

/** Calls that do not have exactly one result, in a row between them and the next answer. */
function faultsOf(rows: readonly Message[]): readonly string[] {
  return rows.flatMap((row, at) => {
    if (row.toolCalls === undefined) return [];
    const next = rows.findIndex((one, index) => index > at && one.role === "assistant");
    const results = rows.slice(at, next).flatMap((one) => (one.toolResults ?? []).map(({ callId }) => callId));
    const calls = row.toolCalls.map(({ id }) => id);
    return results.join() === calls.join() ? [] : [`${calls.join()} got ${results.join()}`];
  });
}
