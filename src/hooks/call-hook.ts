import type { HookDecision, HookOccurrence } from "#src/domain/hook-event";
import type { Hook, HookLogCode, HookLogEntry, HookReading, HookResult, HookTarget } from "#src/domain/hook";
import type { JsonObject } from "#src/domain/json";
import { type Spill, boundDecision } from "./bound-text";
import { keepSupported } from "./decision-fields";
import type { EngagedHook } from "./engaged-hook";
import { decideFailure, isFailClosed } from "./failure-policy";
import { type CircuitState, circuitEventOf, isLogDue, mayCall, nextCircuit } from "./http/circuit-breaker";
import { mayFireAtDepth } from "./http/headers";
import { type EventBudget, timeoutOf } from "./time-budget";
import { type HookCall, type HookTransport, failedResult, timedOutAfter } from "./transports/transport";

/** One call to a hook as it went, for lists, statistics and the log of decisions. */
export interface HookRun {
  readonly hook: Hook;
  readonly occurrence: HookOccurrence;
  readonly mode: HookCall["mode"];
  /** 0, and 1 for a gate that is asked again about what later hooks made of the input. */
  readonly round: number;
  readonly payload: JsonObject;
  readonly result: HookResult;
  /** What counted of its answer; absent for observers, for hooks without an opinion and for failures that are let pass. */
  readonly decision?: HookDecision;
}

/** What calling hooks needs of the world. */
export interface CallPorts {
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Calls back after so many milliseconds; what it returns ends the wait. */
  readonly after: (ms: number, callback: () => void) => () => void;
  readonly transportOf: (type: HookTarget["type"]) => HookTransport | undefined;
  readonly circuits: { read(hookId: string): CircuitState; write(hookId: string, state: CircuitState): void };
  readonly log: (entry: HookLogEntry) => void;
  /** Keeps a long text where it can be read again and answers how to refer to it. */
  readonly spill: Spill;
  readonly onRun: (run: HookRun) => void;
  /** The receiver said that it is gone for good: the hook is off from now on, and its owner is to be told. */
  readonly onGone: (hook: Hook) => void;
  /** What the hook runs is not what was approved. */
  readonly onTampered: (hook: Hook) => void;
}

/** What brought an event about, when a hook did. */
export interface HookOrigin {
  /** How many hooks deep it lies; 0 for what a person or the agent did. */
  readonly depth: number;
  readonly hookId?: string;
  /** It is a stranger's mere word, which switches no guard off. */
  readonly isClaimed?: boolean;
}

/** Is told around every call of a module while one of them is suspected of having ended the process. */
export interface ModuleWatch {
  /** Resolves once it stands on disk that this module runs. */
  begin(module: string, hookId: string): Promise<void>;
  end(module: string): void;
}

export interface AskOptions {
  readonly round: number;
  readonly mode: HookCall["mode"];
  readonly budget: EventBudget;
  readonly origin: HookOrigin;
  readonly watch?: ModuleWatch;
}

/**
 * Asks one hook and makes of its answer, or of its silence or failure, what counts. Undefined when it has no opinion.
 * Never throws.
 */
export async function callHook(
  engaged: EngagedHook,
  occurrence: HookOccurrence,
  options: AskOptions,
  ports: CallPorts,
): Promise<HookDecision | undefined> {
  const { hook } = engaged;
  if (isPassedOver(hook, options)) {
    const { depth, isClaimed = false } = options.origin;
    ports.log(entry(hook, "hook.depth", `not called: its own call caused this, ${depth} deep`));
    // nobody's mere word lets anything past a guard that must be heard
    if (!isClaimed || options.mode === "observe") return undefined;
    return decideFailure(hook, { isTimeout: false, why: "a call of a hook caused this", stderr: "" });
  }
  const refusal = refuseEarly(hook, occurrence, options, ports);
  if (refusal !== undefined) return decideFailure(hook, { isTimeout: false, why: refusal, stderr: "" });
  const timeoutMs = Math.min(timeoutOf(hook, occurrence.event), options.budget.left());
  const { result, payload } = await watched(hook, options.watch, () =>
    run(engaged, occurrence, timeoutMs, options, ports),
  );
  settleCircuit(hook, result, ports);
  if (result.gone === true && !isFailClosed(hook)) ports.onGone(hook);
  if (result.code === "hook.tampered") ports.onTampered(hook);
  const decision = options.mode === "observe" ? undefined : await decide(engaged, occurrence, result, ports);
  if (options.mode === "observe") logUnheard(engaged, occurrence, result, ports);
  const { mode, round } = options;
  ports.onRun({ hook, occurrence, mode, round, payload, result, ...(decision === undefined ? {} : { decision }) });
  return decision;
}

/**
 * Whether a hook has to be passed over because hooks brought the event about. A module's say is heard all the same
 * where a stranger says so: it lives inside, and is no part of a loop over the network.
 */
function isPassedOver(hook: Hook, { origin, mode }: AskOptions): boolean {
  if (mayFireAtDepth(origin.depth, hook.id, origin.hookId)) return false;
  return origin.isClaimed !== true || mode === "observe" || hook.target.type !== "module";
}

/** Calls a module with somebody knowing that it runs, where that is wanted. */
async function watched<T>(hook: Hook, watch: ModuleWatch | undefined, call: () => Promise<T>): Promise<T> {
  if (watch === undefined || hook.target.type !== "module") return call();
  const { module } = hook.target;
  await watch.begin(module, hook.id);
  try {
    return await call();
  } finally {
    watch.end(module);
  }
}

/** Why a hook is not even called: its circuit is open, or there is no time left. */
function refuseEarly(
  hook: Hook,
  occurrence: HookOccurrence,
  { budget }: AskOptions,
  ports: CallPorts,
): string | undefined {
  if (budget.left() <= 0) {
    ports.log(entry(hook, "hook.timeout", `not called at ${occurrence.event}: no time is left for hooks`));
    return "out of time";
  }
  if (!hasCircuit(hook)) return undefined;
  const now = ports.now();
  const circuit = ports.circuits.read(hook.id);
  const permission = mayCall(circuit, now, isFailClosed(hook));
  if (permission !== "skip") {
    if (permission === "probe") ports.circuits.write(hook.id, nextCircuit(circuit, "started", now));
    return undefined;
  }
  if (isLogDue(circuit, now)) {
    ports.log(entry(hook, "hook.circuit_open", "not called: it failed too often"));
    ports.circuits.write(hook.id, nextCircuit(circuit, "logged", now));
  }
  return "circuit open";
}

/** A module fails with us, not apart from us: there is nothing to spare. */
function hasCircuit({ target }: Hook): boolean {
  return target.type !== "module";
}

function settleCircuit(hook: Hook, result: HookResult, ports: CallPorts): void {
  const event = hasCircuit(hook) ? circuitEventOf(result) : undefined;
  if (event === undefined) return;
  ports.circuits.write(hook.id, nextCircuit(ports.circuits.read(hook.id), event, ports.now()));
}

async function run(
  engaged: EngagedHook,
  occurrence: HookOccurrence,
  timeoutMs: number,
  { mode, origin, round }: AskOptions,
  ports: CallPorts,
): Promise<{ readonly result: HookResult; readonly payload: JsonObject }> {
  const { hook } = engaged;
  const startedAt = ports.now();
  let payload: JsonObject = {};
  try {
    payload = engaged.payload(occurrence);
    const ended = lazySignal();
    const call: HookCall = {
      hook,
      // a gate that is asked again is asked about something else: a receiver that drops repeats must not take it for one
      occurrence: round === 0 ? occurrence : { ...occurrence, id: `${occurrence.id}r${round}` },
      payload,
      body: once(() => JSON.stringify(payload)),
      mode,
      attempt: 1,
      depth: origin.depth + 1,
      timeoutMs,
      deadlineAt: startedAt + timeoutMs,
      signal: ended.signal,
    };
    const transport = ports.transportOf(hook.target.type);
    if (transport === undefined) return { result: unavailable(hook), payload };
    const answer = transport.call(call, hook.target);
    const result = answer instanceof Promise ? await inTime(answer, call, ended.abort, ports) : answer;
    return { result: { ...result, durationMs: ports.now() - startedAt }, payload };
  } catch (error) {
    return { result: { ...thrownResult(hook, error), durationMs: ports.now() - startedAt }, payload };
  }
}

async function inTime(
  answer: Promise<HookResult>,
  { hook, timeoutMs }: HookCall,
  abort: () => void,
  ports: CallPorts,
): Promise<HookResult> {
  const { promise, resolve } = Promise.withResolvers<HookResult>();
  const endTimer = ports.after(timeoutMs, () => {
    abort();
    resolve(failedResult(viaOf(hook), timedOutAfter(timeoutMs), { exit: 124, code: "hook.timeout" }));
  });
  // one that is given up may still fail: nobody is there to hear it
  answer.catch(() => undefined);
  try {
    return await Promise.race([answer, promise]);
  } finally {
    endTimer();
  }
}

async function decide(
  engaged: EngagedHook,
  occurrence: HookOccurrence,
  result: HookResult,
  ports: CallPorts,
): Promise<HookDecision | undefined> {
  const { hook } = engaged;
  const reading = readSafely(engaged, occurrence, result);
  logResult(hook, result, reading.log, ports);
  if (reading.type === "failed") {
    const { isTimeout } = reading;
    const why = result.code === "hook.tampered" ? "it changed since approval; run /hooks approve" : reading.why;
    return decideFailure(hook, { isTimeout, why, stderr: result.stderr });
  }
  const kept = keepSupported(reading.decision, occurrence.event, hook.id);
  kept.log.forEach(ports.log);
  return Object.keys(kept.decision).length === 0 ? undefined : boundDecision(kept.decision, ports.spill);
}

/** The dialect's reading of an answer; an answer that breaks its reader is a failure like any other. */
function readSafely({ hook, read }: EngagedHook, occurrence: HookOccurrence, result: HookResult): HookReading {
  try {
    return read(result, occurrence);
  } catch (error) {
    const why = `its answer cannot be read: ${error instanceof Error ? error.message : "unknown"}`;
    return { type: "failed", isTimeout: false, why, log: [entry(hook, "hook.invalid_json", why)] };
  }
}

/** Tells how a call went whose answer does not count, and what it said that means nothing at this event. */
function logUnheard(engaged: EngagedHook, occurrence: HookOccurrence, result: HookResult, ports: CallPorts): void {
  const { hook } = engaged;
  logResult(hook, result, [], ports);
  const reading = readSafely(engaged, occurrence, result);
  if (reading.type === "decision") keepSupported(reading.decision, occurrence.event, hook.id).log.forEach(ports.log);
}

/** Tells of a result what its dialect did not tell already. */
function logResult(hook: Hook, result: HookResult, told: readonly HookLogEntry[], ports: CallPorts): void {
  for (const one of told) ports.log(one.hook === undefined ? { ...one, hook: hook.id } : one);
  const { code } = result;
  if (code === undefined || told.some((one) => one.code === code)) return;
  ports.log(entry(hook, code, firstLine(result.stderr) || (result.why ?? `exit ${result.exit}`)));
}

/** A line of the hooks' log. */
function entry(hook: Hook, code: HookLogCode, message: string): HookLogEntry {
  return { level: code === "hook.ssrf_blocked" ? "error" : "warn", code, hook: hook.id, message };
}

function firstLine(text: string): string {
  return text.trim().split("\n")[0] ?? "";
}

function viaOf({ target }: Hook): HookResult["via"] {
  return target.type === "command" ? "exec" : target.type;
}

function unavailable(hook: Hook): HookResult {
  return failedResult(viaOf(hook), "nothing here can call it", { code: "hook.unavailable" });
}

function thrownResult(hook: Hook, error: unknown): HookResult {
  const why = error instanceof Error ? error.message : "it could not be called";
  return failedResult(viaOf(hook), why, { stderr: why });
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** A signal that costs nothing until somebody wants to hear it. */
function lazySignal(): { readonly signal: () => AbortSignal; readonly abort: () => void } {
  let controller: AbortController | undefined;
  let isAborted = false;
  return {
    signal: () => {
      if (controller === undefined) {
        controller = new AbortController();
        if (isAborted) controller.abort();
      }
      return controller.signal;
    },
    abort: () => {
      isAborted = true;
      controller?.abort();
    },
  };
}
