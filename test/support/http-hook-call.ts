import type { Hook } from "#src/domain/hook";
import { type HttpHookPorts, type HttpHookResult, type HttpTarget, callHttpHook } from "#src/hooks/http/http-transport";
import { hookUrlPolicy } from "#src/hooks/http/judge-url";
import type { HookCall } from "#src/hooks/transports/transport";

/** What a test says of one call; the rest is plain. */
export interface CallOptions {
  readonly target?: Partial<HttpTarget>;
  readonly hook?: Partial<Pick<Hook, "dialect" | "nativeEvent">>;
  readonly call?: Partial<Pick<HookCall, "mode" | "attempt" | "timeoutMs" | "depth" | "payload" | "body">>;
  readonly ports?: Partial<HttpHookPorts>;
  /** `host:port` pairs that count as local. */
  readonly allowLocal?: readonly string[];
}

const CALLED_AT = 1_800_000_000_000;

/** Ports of a world in which every name is public, no time passes and every random byte is 7. */
export function quietPorts(rest: Partial<HttpHookPorts> = {}, allowLocal: readonly string[] = []): HttpHookPorts {
  return {
    fetch: () => Promise.reject(new TypeError("nothing answers")),
    resolvePublic: async () => ({ class: "public", addresses: ["93.184.216.34"] }),
    now: () => CALLED_AT,
    after: () => () => undefined,
    random: (bytes) => new Uint8Array(bytes).fill(7),
    version: "1.2.3",
    policyOf: (dialect) => hookUrlPolicy(dialect, { isLocal: allowLocal.length > 0, allowLocal }),
    secretsOf: () => [],
    readSecret: () => undefined,
    scopeOf: () => "approval-1",
    ...rest,
  };
}

/** Calls a hook on `tool.pre`. */
export async function callHook(options: CallOptions = {}): Promise<HttpHookResult> {
  const target: HttpTarget = {
    type: "http",
    url: "https://hooks.example.com/h",
    headers: {},
    allowedSecrets: [],
    signature: [],
    blockStatuses: [],
    ...options.target,
  };
  const ports = quietPorts(options.ports, options.allowLocal);
  const payload = options.call?.payload ?? { type: "tool.pre", data: {} };
  const timeoutMs = options.call?.timeoutMs ?? 10_000;
  const call: HookCall = {
    hook: hookOf(target, options.hook),
    occurrence: {
      event: "tool.pre",
      id: "evt_1",
      seq: 1,
      at: CALLED_AT,
      common: { session_id: "s", session_key: "k", agent_id: "main", surface: "web" },
      data: {},
    },
    payload,
    body: () => JSON.stringify(payload),
    mode: "decision",
    attempt: 1,
    depth: 0,
    timeoutMs,
    deadlineAt: ports.now() + timeoutMs,
    signal: () => new AbortController().signal,
    ...options.call,
  };
  return callHttpHook(call, target, ports);
}

function hookOf(target: HttpTarget, rest: CallOptions["hook"]): Hook {
  return {
    id: "h1",
    name: "guard",
    dialect: "native",
    source: "config.yaml",
    rank: "config",
    nativeEvent: "tool.pre",
    events: ["tool.pre"],
    target,
    timeoutMs: 10_000,
    onError: "allow",
    onTimeout: "allow",
    observe: false,
    priority: 0,
    ...rest,
  };
}
