import { build } from "esbuild";
import { Miniflare, convertV4MiniflareOptions } from "miniflare";
import type { HttpHookResult } from "#src/hooks/http/http-transport";
import type { CallOptions } from "./http-hook-call.ts";

/** What a test says of a call that crosses into another runtime. */
export type WiredOptions = Pick<CallOptions, "target" | "hook"> & { readonly call?: { readonly timeoutMs?: number } };

/** A runtime that calls a receiver on loopback with its own `fetch`, clock and timers. */
export interface HookRuntime {
  call(host: string, options?: WiredOptions): Promise<HttpHookResult>;
  close(): Promise<void>;
}

/** The call as both runtimes make it: in the one as a module, in the other as a Worker. */
const WORKER = `
import { callHook } from "./http-hook-call.ts";

export async function call(host, { target, ...options } = {}) {
  return callHook({
    ...options,
    allowLocal: [host],
    target: { url: "http://" + host + "/h", ...target },
    ports: {
      fetch: (url, init) => fetch(url, init),
      now: () => Date.now(),
      after(ms, callback) {
        const timer = setTimeout(callback, ms);
        return () => clearTimeout(timer);
      },
    },
  });
}

export default {
  async fetch(request) {
    const { host, options } = await request.json();
    return Response.json(await call(host, options));
  },
};
`;

/** Calls hooks from this process. */
export async function openNode(): Promise<HookRuntime> {
  const module: unknown = await import(`data:text/javascript;base64,${Buffer.from(await bundle()).toString("base64")}`);
  // what WORKER exports
  const { call } = module as Pick<HookRuntime, "call">;
  return { call, close: async () => undefined };
}

/** Calls hooks from a Worker. */
export async function openWorkerd(): Promise<HookRuntime> {
  const script = await bundle();
  const compatibilityDate = "2026-10-15";
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({ cf: false, modules: true, script, compatibilityDate, name: "hooks" }),
  );
  return {
    async call(host, options = {}) {
      const init = { method: "POST", body: JSON.stringify({ host, options }) };
      const response = await miniflare.dispatchFetch("http://worker.example/", init);
      // what WORKER answers
      return (await response.json()) as HttpHookResult;
    },
    close: async () => miniflare.dispose(),
  };
}

async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: WORKER, resolveDir: import.meta.dirname },
    bundle: true,
    format: "esm",
    platform: "browser",
    target: "es2024",
    write: false,
    logLevel: "warning",
  });
  return outputFiles[0]?.text ?? "";
}
