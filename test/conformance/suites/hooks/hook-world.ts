import type { HookResult } from "#src/domain/hook";
import type { HookCall, HookTransport } from "#src/hooks/transports/transport";
import type { HookModule } from "#src/hooks/transports/module";
import type { HookCommand, HookCommandResult } from "#src/domain/hook-command";
import type { ResolveHost } from "#src/hooks/http/resolve-public";
import { type Responses, type StubResponse, decodeValues } from "./case-file";
import type { VirtualClock } from "./virtual-clock";

/** One call that reached a hook. */
export interface ReachedCall {
  /** The case's id of the hook. */
  readonly id: string;
  readonly mode: HookCall["mode"];
  readonly event: string;
  readonly nativeEvent: string;
  readonly dialect: string;
  readonly sessionId: string;
  /** How often what is about to end was kept going before; 0 for events that are no ends. */
  readonly attempt: number;
  readonly payload: unknown;
  readonly request?: SentRequest;
  readonly startedAt: number;
  /** Calls in flight when it started, itself included: of all hooks, and of this one. */
  readonly inFlight: number;
  readonly inFlightOfHook: number;
}

export interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: string;
}

/** Everything outside of the system: the network, the sidecar, the modules and the model that hooks are answered by. */
export interface HookWorld {
  readonly calls: readonly ReachedCall[];
  /** Why the case failed for a reason of the world: a call that nothing answers. */
  readonly problems: readonly string[];
  /** How the last call to each hook ended. */
  readonly results: ReadonlyMap<string, HookResult>;
  /** Notes which hook is being called, so that its stub can be told from others. */
  readonly watch: (transport: HookTransport | undefined) => HookTransport | undefined;
  readonly fetch: typeof fetch;
  readonly resolve: ResolveHost;
  readonly exec: (request: HookCommand, signal: AbortSignal) => Promise<HookCommandResult>;
  readonly bundled: (name: string) => HookModule | undefined;
  readonly askModel: (prompt: string, model: string | undefined, signal: AbortSignal) => Promise<string>;
  /** Addresses that names resolve to from now on. */
  setAddresses(addresses: readonly string[]): void;
  /** Answers by other stubs while work is done; calls made meanwhile are forgotten. */
  during<T>(stubs: Responses | undefined, work: () => Promise<T>): Promise<T>;
}

export interface WorldOptions {
  readonly clock: VirtualClock;
  readonly responses: Responses;
  /** The case's id of a hook of the system. */
  readonly idOf: (hookId: string) => string | undefined;
  /** Ids whose content is not what was approved. */
  readonly changed: readonly string[];
  /** Stubs answer the same at every end of a turn, not only at the first. */
  readonly alwaysBlocks: boolean;
}

export function hookWorld({ clock, responses, idOf, changed, alwaysBlocks }: WorldOptions): HookWorld {
  let calls: ReachedCall[] = [];
  const problems: string[] = [];
  const flying = new Map<string, number>();
  const counts = new Map<string, number>();
  let stubs = responses;
  let addresses: readonly string[] = ["93.184.216.34"];
  let current: HookCall | undefined;

  function reach(call: HookCall, request?: SentRequest): { readonly stub: StubResponse; readonly end: () => void } {
    const id = idOf(call.hook.id) ?? call.hook.id;
    const stub = isAnsweredAgain(call, stubs[id]) ? stubs[id] : SILENT;
    if (stub === undefined) problems.push(`nothing answers a call to ${id}`);
    flying.set(id, (flying.get(id) ?? 0) + 1);
    calls.push({
      id,
      mode: call.mode,
      event: call.occurrence.event,
      nativeEvent: call.hook.nativeEvent,
      dialect: call.hook.dialect,
      sessionId: call.occurrence.common.session_id,
      attempt: attemptOf(call),
      payload: call.payload,
      ...(request === undefined ? {} : { request }),
      startedAt: clock.now(),
      inFlight: [...flying.values()].reduce((sum, each) => sum + each, 0),
      inFlightOfHook: flying.get(id) ?? 0,
    });
    return { stub: stub ?? {}, end: () => void flying.set(id, (flying.get(id) ?? 1) - 1) };
  }

  /** An end that a hook refused comes again; what it says then is only of interest where the case says so. */
  function isAnsweredAgain(call: HookCall, stub: StubResponse | undefined): boolean {
    return alwaysBlocks || stub?.module?.returns_by_call !== undefined || stub === undefined || attemptOf(call) === 0;
  }

  async function delayed<T>(ms: number | undefined, signal: AbortSignal, make: () => T): Promise<T> {
    if (ms !== undefined && ms > 0) await clock.sleep(ms);
    signal.throwIfAborted();
    return make();
  }

  function callOf(what: string): HookCall {
    if (current === undefined) throw new Error(`${what} without a call`);
    return current;
  }

  const byHook = new Map<string, HookCall>();
  const results = new Map<string, HookResult>();

  function keepResult(call: HookCall, result: HookResult): HookResult {
    results.set(idOf(call.hook.id) ?? call.hook.id, result);
    return result;
  }

  return {
    get calls() {
      return calls;
    },
    problems,
    results,
    watch: (transport) =>
      transport && {
        type: transport.type,
        call(call, target) {
          byHook.set(`${call.hook.id}\n${call.occurrence.id}`, call);
          current = call;
          try {
            const result = transport.call(call, target);
            if (!(result instanceof Promise)) return keepResult(call, result);
            return result.then((each) => keepResult(call, each));
          } finally {
            current = undefined;
          }
        },
      },
    async fetch(input, init) {
      const sent = await sentRequest(input, init);
      const hookId = decodeURIComponent(sent.headers.get("x-agent-hook-hook-id") ?? "");
      const call = byHook.get(`${hookId}\n${sent.headers.get("webhook-id") ?? ""}`);
      if (call === undefined) throw new Error(`a request to ${sent.url} that no hook made`);
      const { stub, end } = reach(call, sent);
      const signal = init?.signal ?? new AbortController().signal;
      try {
        return await answerHttp(stub, signal);
      } finally {
        end();
      }
    },
    resolve: async (_host, type) => {
      const isOfType = (address: string): boolean => address.includes(":") === (type === "AAAA");
      return { isFound: true, addresses: addresses.filter(isOfType), cnames: [], ttlSeconds: 0 };
    },
    async exec({ script }, signal) {
      const call = callOf("exec");
      if (changed.includes(idOf(call.hook.id) ?? "") && script !== undefined && script.sha256 !== CHANGED_SHA256) {
        return { exit_code: 126, stdout: "", stderr: "", error: "hash_mismatch", script_sha256: CHANGED_SHA256 };
      }
      const { stub, end } = reach(call);
      const exec = stub.exec;
      try {
        return await delayed(exec?.delay_ms ?? stub.delay_ms, signal, () => envelopeOf(exec));
      } finally {
        end();
      }
    },
    bundled() {
      const call = callOf("a module");
      const { stub, end } = reach(call);
      const count = counts.get(call.hook.id) ?? 0;
      counts.set(call.hook.id, count + 1);
      return moduleOf(stub, call.hook.nativeEvent, count, end);
    },
    async askModel(_prompt, _model, signal) {
      const { stub, end } = reach(callOf("a prompt"));
      try {
        return await delayed(stub.model?.delay_ms ?? stub.delay_ms, signal, () => JSON.stringify(stub.model?.json));
      } finally {
        end();
      }
    },
    setAddresses(next) {
      addresses = next;
    },
    async during(other, work) {
      const [usual, before] = [stubs, calls];
      stubs = { ...stubs, ...other };
      calls = [];
      try {
        return await work();
      } finally {
        stubs = usual;
        calls = before;
      }
    },
  };

  async function answerHttp(stub: StubResponse, signal: AbortSignal): Promise<Response> {
    const { http } = stub;
    // a command's answer over HTTP is an exec envelope
    if (http === undefined && stub.exec !== undefined) {
      return Response.json(envelopeOf(stub.exec), { headers: { "content-type": EXEC_TYPE } });
    }
    if (http?.timed_out === true) return clock.hang(signal);
    return delayed(http?.delay_ms ?? stub.delay_ms, signal, () => {
      if (http === undefined || http.status === null) throw new TypeError(http?.error ?? "connection refused");
      const isBodyless = http.status === 204 || http.status === 304;
      // bodies may be made by a value constructor
      const body = isBodyless ? null : ((decodeValues(http.body ?? "") as string) ?? "");
      return new Response(body, { status: http.status, headers: http.headers ?? {} });
    });
  }

  function moduleOf(stub: StubResponse, event: string, count: number, end: () => void): HookModule {
    const answer = (): unknown => {
      const { module } = stub;
      if (module?.throws !== undefined) {
        throw new Error(module.throws);
      }
      if (module?.returns_by_event !== undefined) return decodeValues(module.returns_by_event[event]);
      if (module?.returns_by_call !== undefined) return decodeValues(module.returns_by_call[count]);
      return decodeValues(module?.returns);
    };
    const delayMs = stub.module?.delay_ms ?? stub.delay_ms;
    const run = (): unknown => {
      // every other module call is over before the next begins, unless it says that it takes its time
      if (delayMs === undefined) {
        end();
        return answer();
      }
      return clock.sleep(delayMs).then(answer).finally(end);
    };
    return { [event]: run, handle: run, onHook: run };
  }
}

/** A hook that has no opinion, whatever it is. */
const SILENT: StubResponse = {
  exec: { exit_code: 0, stdout: "", stderr: "" },
  http: { status: 204 },
  module: { returns: null },
  model: { json: { ok: true } },
};

function attemptOf({ occurrence }: HookCall): number {
  const { attempt } = occurrence.data;
  return typeof attempt === "number" ? attempt : 0;
}

const EXEC_TYPE = "application/vnd.agent-hook.exec+json";

/** What a sidecar or a loader finds where something else was approved. */
export const CHANGED_SHA256 = "c".repeat(64);
export const APPROVED_SHA256 = "a".repeat(64);

function envelopeOf(exec: StubResponse["exec"]): HookCommandResult {
  const { exit_code = 0, stdout = "", stderr = "", timed_out, spawn_error } = exec ?? {};
  return {
    exit_code: timed_out === true ? 124 : exit_code,
    // long outputs may be made by a value constructor
    stdout: decodeValues(stdout) as string,
    stderr: decodeValues(stderr) as string,
    ...(timed_out === true ? { timed_out } : {}),
    ...(spawn_error === undefined ? {} : { error: spawn_error }),
  };
}

async function sentRequest(input: RequestInfo | URL, init: RequestInit | undefined): Promise<SentRequest> {
  const request = new Request(input, { ...init, signal: null });
  return { method: request.method, url: request.url, headers: request.headers, body: await request.text() };
}
