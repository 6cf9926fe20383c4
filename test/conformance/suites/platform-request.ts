/** Something that a platform sends, byte for byte, and what it must come to. */
export interface Sample {
  readonly id: string;
  readonly transport: string;
  readonly method?: string;
  readonly url?: string;
  readonly path?: string;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly raw_body?: string;
  readonly expected: ExpectedEvent | readonly ExpectedEvent[];
  readonly expected_response?: ExpectedResponse;
}

export interface ExpectedEvent {
  readonly event: string;
  readonly accept?: Readonly<Record<string, readonly unknown[]>>;
  readonly [field: string]: unknown;
}

export interface ExpectedResponse {
  readonly status?: number | readonly number[];
  readonly content_type?: string;
  readonly body?: string;
  readonly body_any?: readonly string[];
  readonly json?: unknown;
  readonly json_any?: readonly unknown[];
  readonly json_path?: Readonly<Record<string, readonly unknown[]>>;
  /** What stands at a path, or the type of what stands there. */
  readonly json_schema_hint?: Readonly<Record<string, unknown>>;
  /** Paths at which something stands. */
  readonly json_has?: readonly string[];
  readonly within_ms?: number;
}

/** A file of samples of one platform. */
export interface PlatformFile {
  readonly platform: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly meta: { readonly clock_unix: number };
  readonly samples: readonly Sample[];
  readonly negatives?: readonly Negative[];
}

/** How a sample is changed before it is sent. */
export interface Mutation {
  readonly sample?: string;
  readonly remove_headers?: readonly string[];
  readonly set_headers?: Readonly<Record<string, string>>;
  readonly second_headers?: Readonly<Record<string, string>>;
  readonly replace_raw_body?: string;
  readonly replace_query?: string;
  readonly replace_path?: string;
  readonly replace_method?: string;
  readonly replace_url?: string;
  readonly replace_path_secret?: string;
  readonly clock_offset_s?: number;
  readonly deliver_times?: number;
  /** Samples that come behind it. Not of the files: it is what their words mean. */
  readonly followed_by?: readonly string[];
  readonly expect_turns?: number;
}

/** Something that must be refused, or taken once. */
export interface Negative {
  readonly name?: string;
  readonly mutation: string;
  readonly expect?: string;
  readonly expect_status?: number | readonly number[];
  readonly expect_json?: Readonly<Record<string, unknown>>;
  readonly expect_json_has?: readonly string[];
  readonly apply?: Mutation;
}

/** Headers that prove who sent a request. */
const PROOF = /signature|token|secret|authorization|sign$/i;

export function expectedOf({ expected }: Sample): readonly ExpectedEvent[] {
  return Array.isArray(expected) ? expected : [expected as ExpectedEvent];
}

/** The sample as a mutation leaves it. */
export function mutate(sample: Sample, mutation: Mutation): Sample {
  const removed = new Set((mutation.remove_headers ?? []).map((name) => name.toLowerCase()));
  const set = mutation.set_headers ?? {};
  for (const name of Object.keys(set)) removed.add(name.toLowerCase());
  const kept = Object.entries(sample.headers ?? {}).filter(([name]) => !removed.has(name.toLowerCase()));
  const path = mutation.replace_path ?? withPathSecret(sample.path, mutation.replace_path_secret);
  const replaced = {
    method: mutation.replace_method ?? sample.method,
    url: mutation.replace_url ?? sample.url,
    path,
    query: mutation.replace_query ?? sample.query,
    raw_body: mutation.replace_raw_body ?? sample.raw_body,
  };
  const present = Object.fromEntries(Object.entries(replaced).filter(([, value]) => value !== undefined));
  return { ...sample, ...present, headers: { ...Object.fromEntries(kept), ...set } };
}

function withPathSecret(path: string | undefined, secret: string | undefined): string | undefined {
  return path === undefined || secret === undefined ? path : path.replace(/[^/]+$/, secret);
}

/** Seconds beyond every replay window that a platform has. */
const LONG_S = 86_400;

/** Ways to spoil a request, by the words for them; the first that is spoken of counts. */
const SPOILED: readonly { readonly words: RegExp; readonly spoil: (sample: Sample) => readonly Mutation[] }[] = [
  { words: /\b(?:old|older|stale|expired|past)\b/i, spoil: (sample) => atAnotherTime(sample, LONG_S) },
  { words: /\b(?:future|ahead)\b/i, spoil: (sample) => atAnotherTime(sample, -LONG_S) },
  { words: /\bbody\b|re-?seriali[sz]e/i, spoil: withOtherBody },
  { words: /flip|wrong|tamper|char/i, spoil: withFlippedProof },
  { words: /remove|missing|without|\bno\b/i, spoil: withoutProof },
  { words: /timestamp|clock|window|tolerance|skew/i, spoil: (sample) => atAnotherTime(sample, LONG_S) },
];

/** Samples that are requests to us, which alone can be spoiled. */
const REQUESTS: ReadonlySet<string> = new Set(["webhook", "http_api"]);

/** What a negative means that says in words alone how it is made; nothing when it cannot be told. */
export function unstatedMutations(
  { mutation, expect, expect_status }: Negative,
  samples: readonly Sample[],
): readonly Mutation[] {
  const named = samples.filter(({ id }) => mutation.includes(id));
  const chosen = named.length > 0 ? named : samples.filter(({ transport }) => REQUESTS.has(transport));
  const [first, ...others] = chosen.map(({ id }) => id);
  if (first === undefined) return [];
  const isOneTurn = /\b(?:one|no (?:second|other|new)) turn\b/i.test(expect ?? "");
  if (named.length > 1 && isOneTurn) return [{ sample: first, followed_by: others, expect_turns: 1 }];
  if (isOneTurn || /re-?deliver|twice|again/i.test(mutation))
    return [{ sample: first, deliver_times: 2, expect_turns: 1 }];
  const spoiled = SPOILED.find(({ words }) => words.test(mutation));
  return expect_status === undefined || spoiled === undefined ? [] : chosen.flatMap(spoiled.spoil);
}

function proofHeaders({ headers }: Sample): readonly [string, string][] {
  return Object.entries(headers ?? {}).filter(([name]) => PROOF.test(name));
}

/** A sample that carries no time is good at any time. */
function atAnotherTime(sample: Sample, seconds: number): readonly Mutation[] {
  const headers = Object.entries(sample.headers ?? {});
  const isTimed = headers.some(([name, value]) => /timestamp/i.test(name) || /\bt=\d/.test(value));
  return isTimed ? [{ sample: sample.id, clock_offset_s: seconds }] : [];
}

/** A token says nothing about the body; a signature does. */
function withOtherBody(sample: Sample): readonly Mutation[] {
  const isSigned = proofHeaders(sample).some(([name]) => /sign/i.test(name));
  return isSigned ? [{ sample: sample.id, replace_raw_body: `${sample.raw_body ?? ""} ` }] : [];
}

function withFlippedProof(sample: Sample): readonly Mutation[] {
  const flipped = proofHeaders(sample).map(([name, value]) => {
    // the last characters of base64 may hold no bits that count
    const at = Math.max(0, value.length - 6);
    return [name, value.slice(0, at) + (value[at] === "a" ? "b" : "a") + value.slice(at + 1)];
  });
  return flipped.length === 0
    ? []
    : [{ sample: sample.id, set_headers: Object.fromEntries(flipped) as Record<string, string> }];
}

function withoutProof(sample: Sample): readonly Mutation[] {
  const names = proofHeaders(sample).map(([name]) => name);
  return names.length === 0 ? [] : [{ sample: sample.id, remove_headers: names }];
}
