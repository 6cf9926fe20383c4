import type { InboundEvent, WebhookRequest } from "#src/domain/platform";
import { type CaseFile, type Result, type Suite, resultOf } from "../result";
import { type Problem, compareEvent, compareResponse } from "./platform-compare";
import { type Door, type Outcome, openDoor } from "./platform-door";
import {
  type Mutation,
  type Negative,
  type PlatformFile,
  type Sample,
  expectedOf,
  mutate,
  unstatedMutations,
} from "./platform-request";

/** What a platform sends, through its real adapter or our real API, with the file's settings and clock. */
export const platform: Suite = {
  suite: "platform",
  async run(file: CaseFile): Promise<readonly Result[]> {
    // the format is that of the suite's own files
    const cases = file as unknown as PlatformFile;
    const door = await openDoor(cases);
    const samples = cases.samples.map((sample) => runSample(sample, cases, door));
    const negatives = (cases.negatives ?? []).map((negative) => runNegative(negative, cases, door));
    return Promise.all([...samples, ...negatives]);
  },
};

async function runSample(sample: Sample, file: PlatformFile, door: Door | undefined): Promise<Result> {
  if (door?.transport !== sample.transport) return failed(sample.id, "a door for it", obstacle(sample, file, door));
  const outcome = await deliver(sample, file, door);
  if (outcome.received === undefined) return failed(sample.id, "the sample accepted", outcome.problem);
  return resultOf(sample.id, [
    ...compareResponse(sample.expected_response ?? {}, outcome),
    ...compareEvents(sample, outcome.received.events, file.platform),
  ]);
}

/** What is only answered: nothing happened that a session would hear of. */
const UNHEARD: ReadonlySet<string | undefined> = new Set(["handshake", "ignored"]);

function compareEvents(sample: Sample, events: readonly InboundEvent[], platformName: string): readonly Problem[] {
  const expected = expectedOf(sample);
  const known = events.map(({ kind }) => kind);
  const [first] = expected;
  if (expected.length === 1 && UNHEARD.has(first?.event) && events.length === 0) return [];
  if (expected.length === 1 && first?.event === "handshake")
    return known.every((kind) => kind === "ignored") ? [] : [{ expected: "no event", got: known }];
  if (expected.length !== events.length) return [{ expected: `${expected.length} events`, got: known }];
  return expected.flatMap((one, index) => compareEvent(one, events[index], platformName));
}

async function runNegative(negative: Negative, file: PlatformFile, door: Door | undefined): Promise<Result> {
  const id = `${file.platform}/negative: ${negative.name ?? negative.mutation}`;
  const mutations = negative.apply === undefined ? unstatedMutations(negative, file.samples) : [negative.apply];
  if (mutations.length === 0) return failed(id, "something that can be applied", negative.mutation);
  const problems: Problem[] = [];
  for (const apply of mutations) {
    const sent = deliveriesOf(apply, file.samples);
    const blocked = sent.find(({ transport }) => transport !== door?.transport);
    if (blocked !== undefined || door === undefined)
      return failed(id, "a door for it", blocked && obstacle(blocked, file, door));
    const outcomes: Outcome[] = [];
    for (const sample of sent) outcomes.push(await deliver(sample, file, door, apply.clock_offset_s));
    problems.push(...problemsWith(negative, apply, outcomes));
  }
  return resultOf(id, problems);
}

/** The requests of a negative, one after the other. */
function deliveriesOf(apply: Mutation, samples: readonly Sample[]): readonly Sample[] {
  const first = samples.find(({ id }) => id === apply.sample) ?? samples[0];
  if (first === undefined) return [];
  const again = Array.from({ length: (apply.deliver_times ?? 1) - 1 }, () =>
    mutate(first, { ...apply, set_headers: { ...apply.set_headers, ...apply.second_headers } }),
  );
  return [mutate(first, apply), ...again, ...samples.filter(({ id }) => apply.followed_by?.includes(id))];
}

function problemsWith(negative: Negative, apply: Mutation, outcomes: readonly Outcome[]): readonly Problem[] {
  const isRepeated = outcomes.length > 1;
  const wanted = [negative.expect_status ?? (isRepeated ? [200, 202] : [])].flat();
  const statuses = outcomes.map(({ status }) => status);
  const wrong = statuses.find((status) => (wanted.length === 0 ? status >= 500 : !wanted.includes(status)));
  const turns = countTurns(outcomes.flatMap(({ received }) => received?.events ?? []));
  const expectedTurns = apply.expect_turns ?? (isRepeated ? 1 : undefined);
  const answer = { json_schema_hint: negative.expect_json ?? {}, json_has: negative.expect_json_has ?? [] };
  return [
    ...(wrong === undefined
      ? []
      : [{ expected: { status: wanted }, got: outcomes.map(({ problem, status }) => problem ?? status) }]),
    ...(expectedTurns === undefined || turns === expectedTurns
      ? []
      : [{ expected: `${expectedTurns} turns`, got: turns }]),
    ...outcomes.flatMap((outcome) => compareResponse(answer, outcome)),
  ];
}

/** Events that a session would take: one whose dedupe keys it has not seen. */
function countTurns(events: readonly InboundEvent[]): number {
  const seen = new Set<string>();
  return events.filter(({ kind, dedupeKeys, chatId }) => {
    const keys = dedupeKeys.map((key) => `${chatId} ${key}`);
    const isNew = keys.every((key) => !seen.has(key));
    for (const key of keys) seen.add(key);
    return isNew && kind !== "ignored";
  }).length;
}

/** Why a sample cannot be run at all. */
function obstacle(sample: Sample, file: PlatformFile, door: Door | undefined): string {
  return door === undefined ? `no adapter "${file.platform}"` : `no transport "${sample.transport}"`;
}

function failed(id: string, expected: string, got: string | undefined): Result {
  return { id, passed: false, expected, got: got ?? "nothing" };
}

async function deliver(sample: Sample, file: PlatformFile, door: Door, clockOffset = 0): Promise<Outcome> {
  const startedAt = performance.now();
  const outcome = await door.deliver(requestOf(sample, file), (file.meta.clock_unix + clockOffset) * 1000);
  return { ...outcome, ms: performance.now() - startedAt };
}

function requestOf(sample: Sample, file: PlatformFile): WebhookRequest {
  const url = new URL(sample.url ?? `https://talaria.example${sample.path ?? `/webhooks/${file.platform}`}`);
  if (sample.query !== undefined) url.search = sample.query;
  const body = new TextEncoder().encode(sample.raw_body ?? "");
  return { method: sample.method ?? "POST", url, headers: new Headers(sample.headers), body };
}
