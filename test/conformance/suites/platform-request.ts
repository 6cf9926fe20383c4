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
  readonly expect_turns?: number;
}

/** Something that must be refused, or taken once. */
export interface Negative {
  readonly name?: string;
  readonly mutation: string;
  readonly expect?: string;
  readonly expect_status?: number | readonly number[];
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

/** What a negative means that says in words alone how it is made; nothing when it cannot be told. */
export function unstatedMutations(
  { mutation, expect_status }: Negative,
  samples: readonly Sample[],
): readonly Mutation[] {
  const named = samples.filter(({ id }) => mutation.includes(id));
  const chosen = named.length > 0 ? named : samples.filter(({ transport }) => transport === "webhook");
  const first = chosen.slice(0, 1).map(({ id }) => ({ sample: id }));
  if (/re-?deliver|twice|again/i.test(mutation))
    return first.map((one) => ({ ...one, deliver_times: 2, expect_turns: 1 }));
  if (expect_status === undefined) return [];
  if (/flip|wrong|tamper|char/i.test(mutation)) return chosen.flatMap((sample) => withFlippedProof(sample));
  if (/remove|missing|without/i.test(mutation)) return chosen.flatMap((sample) => withoutProof(sample));
  return [];
}

function proofHeaders({ headers }: Sample): readonly [string, string][] {
  return Object.entries(headers ?? {}).filter(([name]) => PROOF.test(name));
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
