import type { HookResult, HookTarget } from "#src/domain/hook";
import { plainValue } from "./plain-value";
import { type HookCall, type HookTransport, failedResult } from "./transport";

type ModuleTarget = Extract<HookTarget, { type: "module" }>;

/** What a hook module is told beside the event. */
export interface HookModuleContext {
  /** The event's name in the dialect that the hook was written in. */
  readonly event: string;
  readonly timeoutMs: number;
  /** Epoch milliseconds. */
  readonly deadlineAt: number;
}

/**
 * A module of hooks: a function for each event, named as its dialect names the event and called with what the event
 * carries; `handle(event_type, context)` for gateway hooks; or `onHook` for all of them.
 */
export interface HookModule {
  readonly onHook?: (event: unknown, context: HookModuleContext) => unknown;
  readonly handle?: (eventType: unknown, context: unknown) => unknown;
  readonly [event: string]: unknown;
}

/** Where modules come from. */
export interface ModulePorts {
  /** A module that was deployed with the Worker. */
  readonly bundled: (name: string) => HookModule | undefined;
  /** One that was not, by the SHA-256 of its source; undefined when it cannot be had. */
  readonly load?: (sha256: string, signal: AbortSignal) => Promise<HookModule | undefined>;
}

/** Calls hooks that are functions inside the Worker. */
export function moduleTransport({ bundled, load }: ModulePorts): HookTransport<ModuleTarget> {
  return {
    type: "module",
    call(call, target) {
      if (target.sha256 === undefined) return run(bundled(target.module), call, target);
      if (load === undefined) return failedResult("module", `module ${target.module} cannot be loaded here`);
      return load(target.sha256, call.signal()).then((module) => run(module, call, target));
    },
  };
}

function run(module: HookModule | undefined, call: HookCall, target: ModuleTarget): HookResult | Promise<HookResult> {
  if (module === undefined) return failedResult("module", `there is no module ${target.module}`);
  let returned: unknown;
  try {
    returned = invoke(module, call);
    return isPromise(returned) ? returned.then(resultOf, thrown) : resultOf(returned);
  } catch (error) {
    return thrown(error);
  }
}

function invoke(module: HookModule, { hook, payload, timeoutMs, deadlineAt }: HookCall): unknown {
  const named = Object.hasOwn(module, hook.nativeEvent) ? module[hook.nativeEvent] : undefined;
  // what arrives is the hook's own: it must not reach what others are handed
  const own = structuredClone(payload);
  if (typeof named === "function") return (named as (event: unknown) => unknown)(own);
  if (typeof module.handle === "function") return module.handle(own["event_type"], own["context"]);
  if (typeof module.onHook !== "function") throw new TypeError(`the module has no function for ${hook.nativeEvent}`);
  return module.onHook(own, { event: hook.nativeEvent, timeoutMs, deadlineAt });
}

function isPromise(value: unknown): value is Promise<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

function resultOf(returned: unknown): HookResult {
  try {
    return { exit: 0, stdout: "", stderr: "", via: "module", returned: plainValue(returned), durationMs: 0 };
  } catch (error) {
    return thrown(error);
  }
}

function thrown(error: unknown): HookResult {
  const why = textOf(error);
  return failedResult("module", why, { stderr: why });
}

function textOf(error: unknown): string {
  try {
    return error instanceof Error ? error.message || error.name : String(error);
  } catch {
    return "it threw something that cannot be shown";
  }
}
