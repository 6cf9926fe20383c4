import type { HttpHookResult } from "#src/hooks/http/http-transport";
import { newSharedSecret } from "#src/hooks/http/signing-key";
import { type CallOptions, callHook } from "../../support/http-hook-call.ts";

/** The secret that a hook's requests are signed with, as Talaria makes one. */
export const SECRET = newSharedSecret((count) => crypto.getRandomValues(new Uint8Array(count)));

/** Calls a receiver with our own transport, over a real connection, about a command. */
export function callReceiver(url: string, command: string, options: CallOptions = {}): Promise<HttpHookResult> {
  const payload = { type: "tool.pre", data: { tool: { name: "terminal" }, input: { command } } };
  return callHook({
    target: { url },
    allowLocal: [new URL(url).host],
    ...options,
    call: { payload, ...options.call },
    ports: {
      fetch: (input, init) => fetch(input, init),
      now: () => Date.now(),
      after(ms, callback) {
        const timer = setTimeout(callback, ms);
        return () => clearTimeout(timer);
      },
      secretsOf: () => [SECRET],
      ...options.ports,
    },
  });
}

/** What every receiver of the examples answers. */
export const DENIED = { decision: "deny", reason: "rm -rf is not allowed here." };
