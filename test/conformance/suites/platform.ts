import { GatewayError } from "#src/domain/errors";
import type { InboundEvent, PlatformAdapter, PlatformIo, Received, WebhookRequest } from "#src/domain/platform";
import { platforms } from "#src/platforms/registry";
import { type CaseFile, type Result, type Suite, resultOf, show } from "../result";
import { type Negative, type Sample, expectedOf, mutate, unstatedMutations } from "./platform-request";
import { type Problem, compareEvent, compareResponse } from "./platform-compare";

/** Status that the Worker answers with for each code that an adapter may throw while it receives. */
const STATUS: Readonly<Partial<Record<GatewayError["code"], number>>> = {
  bad_request: 400,
  signature_invalid: 401,
  forbidden: 403,
  not_found: 404,
  too_large: 413,
  rate_limited: 429,
  not_configured: 503,
  unavailable: 503,
};

interface PlatformFile {
  readonly platform: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly meta: { readonly clock_unix: number };
  readonly samples: readonly Sample[];
  readonly negatives?: readonly Negative[];
}

/** What a platform sends, through the real adapter with the file's settings and clock. */
export const platform: Suite = {
  suite: "platform",
  async run(file: CaseFile): Promise<readonly Result[]> {
    // the format is that of the suite's own files
    const cases = file as unknown as PlatformFile;
    const adapter = platforms.find(({ name }) => name === cases.platform);
    const samples = cases.samples.map((sample) => runSample(sample, cases, adapter));
    const negatives = (cases.negatives ?? []).map((negative) => runNegative(negative, cases, adapter));
    return Promise.all([...samples, ...negatives]);
  },
};

async function runSample(sample: Sample, file: PlatformFile, adapter: PlatformAdapter | undefined): Promise<Result> {
  const cannot = obstacle(sample, file, adapter);
  if (adapter === undefined || cannot !== undefined) return failed(sample.id, "an adapter that reads it", cannot);
  const outcome = await deliver(requestOf(sample, file), file, adapter);
  if (outcome.received === undefined) return failed(sample.id, "the sample accepted", outcome.problem);
  const { events } = outcome.received;
  return resultOf(sample.id, [...compareResponse(sample, outcome), ...compareEvents(sample, events, adapter)]);
}

function compareEvents(sample: Sample, events: readonly InboundEvent[], adapter: PlatformAdapter): readonly Problem[] {
  const expected = expectedOf(sample);
  const known = events.map(({ kind }) => kind);
  // a handshake is an answer, not something that happened
  if (expected.length === 1 && expected[0]?.event === "handshake") {
    return known.every((kind) => kind === "ignored") ? [] : [{ expected: "no event", got: known }];
  }
  if (expected.length !== events.length) return [{ expected: `${expected.length} events`, got: known }];
  return expected.flatMap((one, index) => compareEvent(one, events[index], adapter.name));
}

async function runNegative(
  negative: Negative,
  file: PlatformFile,
  adapter: PlatformAdapter | undefined,
): Promise<Result> {
  const id = `${file.platform}/negative: ${negative.name ?? negative.mutation}`;
  const mutations = negative.apply === undefined ? unstatedMutations(negative, file.samples) : [negative.apply];
  if (mutations.length === 0) return failed(id, "something that can be applied", negative.mutation);
  const problems: Problem[] = [];
  for (const apply of mutations) {
    const sample = file.samples.find((one) => one.id === apply.sample) ?? file.samples[0];
    const cannot = sample === undefined ? `no sample ${apply.sample}` : obstacle(sample, file, adapter);
    if (sample === undefined || adapter === undefined || cannot !== undefined) {
      return failed(id, "an adapter that reads it", cannot);
    }
    problems.push(...(await applyNegative({ negative, apply, sample, file, adapter })));
  }
  return resultOf(id, problems);
}

interface Application {
  readonly negative: Negative;
  readonly apply: NonNullable<Negative["apply"]>;
  readonly sample: Sample;
  readonly file: PlatformFile;
  readonly adapter: PlatformAdapter;
}

async function applyNegative({ negative, apply, sample, file, adapter }: Application): Promise<readonly Problem[]> {
  const times = apply.deliver_times ?? 1;
  const outcomes: Outcome[] = [];
  for (let time = 0; time < times; time++) {
    const headers = time === 0 ? {} : apply.second_headers;
    const mutated = mutate(sample, { ...apply, set_headers: { ...apply.set_headers, ...headers } });
    const clock = file.meta.clock_unix + (apply.clock_offset_s ?? 0);
    outcomes.push(await deliver(requestOf(mutated, file), { ...file, meta: { clock_unix: clock } }, adapter));
  }
  const wanted = [negative.expect_status ?? (times > 1 ? [200, 202] : [])].flat();
  const statuses = outcomes.map(({ status }) => status);
  const wrong = statuses.find((status) => (wanted.length === 0 ? status >= 500 : !wanted.includes(status)));
  const turns = countTurns(outcomes.flatMap(({ received }) => received?.events ?? []));
  const expectedTurns = apply.expect_turns ?? (times > 1 ? 1 : undefined);
  return [
    ...(wrong === undefined
      ? []
      : [{ expected: { status: wanted }, got: outcomes.map(({ problem, status }) => problem ?? status) }]),
    ...(expectedTurns === undefined || turns === expectedTurns
      ? []
      : [{ expected: `${expectedTurns} turns`, got: turns }]),
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

/** Why a sample cannot be run at all; undefined when it can. */
function obstacle(sample: Sample, file: PlatformFile, adapter: PlatformAdapter | undefined): string | undefined {
  if (adapter === undefined) return `no adapter "${file.platform}"`;
  return sample.transport === "webhook" ? undefined : `no transport "${sample.transport}" in the adapter`;
}

function failed(id: string, expected: string, got: string | undefined): Result {
  return { id, passed: false, expected, got: got ?? "nothing" };
}

interface Outcome {
  readonly status: number;
  readonly received?: Received;
  readonly problem?: string;
}

async function deliver(request: WebhookRequest, file: PlatformFile, adapter: PlatformAdapter): Promise<Outcome> {
  if (request.body.length > adapter.limits.bodyBytes) return { status: 413, problem: "413 too large" };
  const io: PlatformIo = {
    fetch: () => Promise.reject(new TypeError("there is no network here")),
    now: () => file.meta.clock_unix * 1000,
  };
  try {
    const received = await adapter.receive(request, { settings: settingsOf(file.config, adapter) }, io);
    return { status: received.response?.status ?? 200, received };
  } catch (error) {
    const status = error instanceof GatewayError ? (STATUS[error.code] ?? 500) : 500;
    return { status, problem: `${status} ${show(error instanceof Error ? error.message : error)}` };
  }
}

/** The file's config by the names of the adapter's settings; what it does not know is left out. */
function settingsOf(config: PlatformFile["config"], adapter: PlatformAdapter): Record<string, string> {
  const known = adapter.settings.flatMap(({ key }) => {
    const value = config[key];
    if (Array.isArray(value)) return [[key, value.join(",")]];
    return typeof value === "string" || typeof value === "number" ? [[key, String(value)]] : [];
  });
  return Object.fromEntries(known) as Record<string, string>;
}

function requestOf(sample: Sample, file: PlatformFile): WebhookRequest {
  const url = new URL(sample.url ?? `https://talaria.example${sample.path ?? `/webhooks/${file.platform}`}`);
  if (sample.query !== undefined) url.search = sample.query;
  const body = new TextEncoder().encode(sample.raw_body ?? "");
  return { method: sample.method ?? "POST", url, headers: new Headers(sample.headers), body };
}
