import { isDeepStrictEqual } from "node:util";
import { HOOK_EVENTS, type HookEventName } from "#src/domain/hook-event";
import type { HookDialectName } from "#src/domain/hook";
import { listHooks } from "#src/hooks/list-hooks";
import { dialectOf } from "#src/hooks/dialects/registry";
import { signMessage } from "#src/hooks/http/sign";
import { hookUrlPolicy, judgeUrl } from "#src/hooks/http/judge-url";
import { timeoutOf } from "#src/hooks/time-budget";
import { engageHook } from "#src/hooks/engage-hook";
import { type CaseFile, type Result, type Suite, resultOf } from "../result";
import { caseEvent } from "./hooks/case-event";
import { type HookCase, type Simulation, decodeValues } from "./hooks/case-file";
import { type Evidence, compare } from "./hooks/compare";
import { type HookSystem, loadSystem } from "./hooks/hook-system";
import type { ReachedCall } from "./hooks/hook-world";
import { playMessage, playMoment, playSession, playSubagents } from "./hooks/moment-scene";
import { type DeliveryReport, type Seen, type Stage, openStage } from "./hooks/scene";
import { textOf } from "./hooks/text-of";
import { playTools } from "./hooks/tool-scene";
import { contextsOf, playTurns } from "./hooks/turn-scene";
import { type VirtualClock, virtualClock } from "./hooks/virtual-clock";

/** Hooks: their configurations, what they are handed, what their answers do, and who may let them. */
export const hooks: Suite = {
  suite: "hooks",
  async run(file: CaseFile): Promise<readonly Result[]> {
    const results: Result[] = [];
    // the format is that of the suite's own files
    for (const test of file["cases"] as readonly HookCase[]) results.push(await runCase(test));
    return results;
  },
};

async function runCase(written: HookCase): Promise<Result> {
  const test: HookCase = { ...written, input: decodeValues(written.input) as HookCase["input"] };
  try {
    const { expected } = test;
    const evidence = "raw_body" in test.input ? await sign(test) : await play(test, virtualClock());
    const problems =
      typeof evidence === "string" ? [{ expected: "a run", got: evidence }] : compare(expected, evidence);
    return resultOf(test.id, problems);
  } catch (error) {
    return resultOf(test.id, [
      { expected: "a run", got: error instanceof Error ? (error.stack ?? error.message) : error },
    ]);
  }
}

/** What a signing vector gives. */
interface SigningVector {
  readonly secret?: string;
  readonly secrets?: readonly string[];
  readonly webhook_id: string;
  readonly webhook_timestamp: string;
  readonly raw_body: string;
}

/** A signing vector: no event is delivered. */
async function sign(test: HookCase): Promise<Evidence> {
  const {
    secret = "",
    secrets = [secret],
    webhook_id,
    webhook_timestamp,
    raw_body,
  } = test.input as unknown as SigningVector;
  const message = { id: webhook_id, timestampSeconds: Number(webhook_timestamp), body: raw_body };
  const clock = virtualClock();
  const system = await clock.settle(loadSystem(test, caseEvent(test, eventOf(test)), clock));
  const target = [...system.hooksById.values()].flat()[0]?.target;
  const options = target?.type === "http" ? target : undefined;
  const schemes = options?.signature ?? [];
  const onlyCompatible = options?.onlyCompatible === true;
  const headers = new Headers(await signMessage(message, { secrets, schemes, onlyCompatible }));
  const seen = { signature: headers.get("webhook-signature"), headers };
  return {
    seen,
    calls: [],
    invoked: [],
    allCalls: [],
    counted: [],
    log: [],
    contexts: new Map(),
    raised: [],
    spilled: [],
    handed: {},
  };
}

async function play(test: HookCase, clock: VirtualClock): Promise<Evidence | string> {
  const about = caseEvent(test, eventOf(test));
  const system = await clock.settle(loadSystem(test, about, clock));
  for (const step of test.steps ?? []) await clock.settle(system.take(step));
  if (Array.isArray(test.input["_dns"])) system.world.setAddresses(test.input["_dns"] as readonly string[]);
  const origin = system.hooksById.get(String(test.input["_origin_hook"]))?.[0]?.id;
  const stage = openStage({
    test: { ...test, input: { ...test.input, ...(origin === undefined ? {} : { _origin_hook_id: origin }) } },
    about,
    clock,
    hooks: system.hooks(),
    hookOf: system.hookOf,
    transportOf: (hook) => system.transportOf(hook.target.type),
    log: (entry) => void system.log.push(entry),
    onGone: (hook) => void system.gone.add(hook.id),
  });
  const seen = await deliver(stage, clock);
  const report = await clock.settle(stage.deliverOwed());
  const [problem] = system.world.problems;
  return problem ?? evidenceOf(test, stage, system, seen, report, clock);
}

/** Our name of the case's event. Where its hooks map to several, the moments they share are those of a turn. */
function eventOf({ canonical_event }: HookCase): HookEventName {
  return canonical_event !== null && canonical_event in HOOK_EVENTS
    ? (canonical_event as HookEventName)
    : "turn.context";
}

/** Delivers the event as often, and from where, the case says; the last delivery is what keys speak of. */
async function deliver(stage: Stage, clock: VirtualClock): Promise<Seen> {
  const { input, simulate } = stage;
  const surfaces = (input["_surfaces"] ?? [input["_surface"]]) as readonly (string | undefined)[];
  const times = simulate.fire ?? (simulate.fire_twice_same_tool_use_id === true ? 2 : surfaces.length);
  let seen: Seen = {};
  for (let number = 0; number < times; number += 1) {
    const surface = surfaces[number % surfaces.length];
    // another delivery is another turn, unless it is the very same call
    const turnId = simulate.fire_twice_same_tool_use_id === true ? "1" : String(number + 1);
    seen = await clock.settle(playOnce(stage, { turnId, ...(surface === undefined ? {} : { surface }) }));
    if (simulate.fire !== undefined && number + 1 < times) await clock.pass(((simulate.within_s ?? 0) * 1000) / times);
  }
  return seen;
}

const OF_TURN: ReadonlySet<string> = new Set([
  "session.start",
  "prompt.submit",
  "turn.start",
  "turn.context",
  "turn.step",
  "model.pre",
  "model.post",
  "stop",
  "completion.claim",
  "response.transform",
  "response.display",
  "turn.complete",
  "turn.failed",
  "turn.interrupted",
  "turn.end",
]);

async function playOnce(stage: Stage, scene: { readonly turnId: string; readonly surface?: string }): Promise<Seen> {
  const { about, simulate } = stage;
  const { event } = about;
  if (spansSession(simulate) || (event === "session.end" && stage.input["_simulate"] !== undefined))
    return playSession(stage, scene);
  if (event === "message.received") return playMessage(stage, scene);
  if (event === "subagent.stop") return playSubagents(stage, scene);
  if (OF_TURN.has(event) && needsTurn(stage)) {
    const source = about.data["source"];
    const isFirst =
      about.data["is_first_turn"] !== false && (source === undefined || source === "startup" || source === "clear");
    return playTurns(stage, {
      ...scene,
      turns: 1,
      ...(isFirst ? { sessionStart: source === "clear" ? "clear" : "startup" } : {}),
    });
  }
  const isOfTools = event.startsWith("tool.") || event.startsWith("approval.");
  return isOfTools && isJson(about.data["input"]) ? playTools(stage, scene) : playMoment(stage, scene);
}

/** What a case looks at that needs nothing around the event. */
const ABOUT_HOOKS =
  /^(?:invo|not_invoked|log|doctor_flags|list_|approved|hook_|canonical_by_id|payload|exit_|http_request|headers|m(?:ax|in)_concurrency|deliver|request_sent|ssrf|stage|attempts|next_attempt|same_header|changed_header)/;

/** Whether a case speaks of what happens around its event. Of an event that is only told, the outcome says nothing of that. */
function needsTurn({ test, input, about }: Stage): boolean {
  const isTold = HOOK_EVENTS[about.event].kind === "observe";
  const keys = Object.keys(test.expected).filter(
    (key) => !ABOUT_HOOKS.test(key) && !(isTold && /^(?:outcome|reason)$/.test(key)),
  );
  return "_simulate" in input || keys.length > 0;
}

function spansSession({ turns, user_command, then, then_message }: Simulation): boolean {
  return turns !== undefined || user_command !== undefined || then !== undefined || then_message !== undefined;
}

/** Whether a model could have written this input. */
function isJson(value: unknown): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(JSON.stringify(value ?? {})), value ?? {});
  } catch {
    return false;
  }
}

async function evidenceOf(
  test: HookCase,
  stage: Stage,
  system: HookSystem,
  seen: Seen,
  report: DeliveryReport,
  clock: VirtualClock,
): Promise<Evidence> {
  const { about, fired } = stage;
  const allCalls = system.world.calls;
  // keys speak of the first time that something would end
  const calls = allCalls.filter(({ attempt }) => attempt === 0);
  const contexts = (seen["contexts"] ??
    contextsOf(fired, [textOf(seen["tool_result_to_model"])])) as Evidence["contexts"];
  const isSilent = (call: ReachedCall): boolean => isTold(call, system);
  const wantsDoctor = "doctor_flags" in test.expected;
  const examined = system.examined() ?? (wantsDoctor ? await clock.settle(system.examine()) : undefined);
  const flags = [...(examined?.hooks.flatMap((one) => one.flags) ?? []), ...(examined?.unread ?? [])];
  const rows = listHooks(system.inventory());
  const byId = <T>(make: (hookId: string) => T) =>
    Object.fromEntries(
      [...system.hooksById].flatMap(([id, [hook]]) => (hook === undefined ? [] : [[id, make(hook.id)]])),
    );
  const rowOf = (hookId: string) => rows.find(({ id }) => id === hookId);
  const hookOf = (hookId: string) => system.hookOf(hookId);
  const last = [...system.world.results.values()].at(-1);
  const approved = system.inventory().consent.approvals;
  const timeouts = byId((id) => {
    const hook = hookOf(id);
    return hook === undefined ? undefined : timeoutOf(hook, about.event) / 1000;
  });
  const guard = guardOf(system);
  return {
    seen: {
      ...seen,
      delivery: calls.length > 0 && calls.every((call) => call.mode === "observe") ? "queue" : "inline",
      delivered_async: [...new Set(calls.filter(isSilent).map(({ id }) => id))],
      exit_equivalent: last === undefined ? undefined : [0, 1, 2, 124].includes(last.exit) ? last.exit : 1,
      request_sent: calls.some(({ request }) => request !== undefined),
      followed: calls.some(({ request }) => request !== undefined && !isConfigured(request.url, system)),
      ssrf_class: guard.class,
      stage: guard.stage,
      hook_timeout_s: Object.values(timeouts)[0],
      hook_timeout_by_id: timeouts,
      list_status: byId((id) => rowOf(id)?.status),
      list_target: byId((id) => rowOf(id)?.target),
      canonical_by_id: byId((id) => hookOf(id)?.events[0]),
      hook_state_after:
        system.gone.size > 0 || rows.some(({ status }) => status === "disabled") ? "disabled" : "active",
      doctor_flags: [...new Set(flags.flatMap(({ code }) => code ?? []))],
      approved_after: [...system.hooksById].flatMap(([id, [hook]]) => {
        const status = hook === undefined ? undefined : rowOf(hook.id)?.status;
        return status === undefined || status === "not_approved" ? [] : [id];
      }),
      approved_pairs_after: approved.map(({ event, target }) => [event, target]),
      attempts: Math.max(0, ...report.attempts.values()),
      next_delay_s: Math.max(-1, ...[...report.nextDelayMs.values()].map((ms) => ms / 1000)),
      events_fired_count: fired.filter(({ occurrence }) => occurrence.event === about.event).length,
    },
    calls,
    allCalls,
    counted: stage.simulate.hook_always_blocks === true ? allCalls : calls,
    invoked: calls.filter((call) => !isSilent(call)).map(({ id }) => id),
    log: system.log.map((entry) => named(entry, system)),
    contexts,
    raised: fired.flatMap(({ occurrence }) => namesIn(test.dialect, occurrence.event)),
    spilled: system.spilled,
    handed: test.input,
  };
}

/** Whether a call only told a hook of something that it would else have had a say in, or asked not to. */
function isTold({ id, mode, event }: ReachedCall, system: HookSystem): boolean {
  if (mode !== "observe") return false;
  const hook = system.hooksById.get(id)?.find((one) => one.events.some((name) => name === event));
  if (hook === undefined) return false;
  return (
    hook.observe ||
    (HOOK_EVENTS[event as HookEventName].kind !== "observe" && engageHook(hook, event as HookEventName).decides)
  );
}

function isConfigured(url: string, system: HookSystem): boolean {
  const hooks = [...system.hooksById.values()].flat();
  return hooks.some(({ target }) => target.type === "http" && new URL(target.url).href === new URL(url).href);
}

/** What the guard said of the hook's address: at load by its text, or by the last call. */
function guardOf(system: HookSystem): { readonly class?: string; readonly stage?: string } {
  const hook = [...system.hooksById.values()].flat().find(({ target }) => target.type === "http");
  if (hook?.target.type !== "http") return {};
  const { url, limitedTo } = hook.target;
  const policy = hookUrlPolicy(hook.dialect, system.urlSettings);
  const verdict = judgeUrl(url, { ...policy, ...(limitedTo === undefined ? {} : { limitedTo }) });
  const isRefusedAtLoad = verdict.class !== "public" && system.log.some(({ code }) => code === "hook.ssrf_blocked");
  if (isRefusedAtLoad) return { class: verdict.class, stage: "parse" };
  const [result] = [...system.world.results.values()];
  const guard =
    result !== undefined && "guard" in result
      ? (result.guard as { readonly class: string; readonly stage?: string })
      : undefined;
  return guard ?? { class: verdict.class };
}

/** The system's ids of hooks as the case's. */
function named<Entry extends { readonly hook?: string }>(entry: Entry, system: HookSystem): Entry {
  const id = [...system.hooksById].find(([, own]) => own.some((hook) => hook.id === entry.hook))?.[0];
  return id === undefined ? entry : { ...entry, hook: id };
}

function namesIn(dialect: string, event: HookEventName): readonly string[] {
  const known = dialectOf(dialect as HookDialectName);
  return known.nativeEvents.filter((name) => known.resolveEvent(name)?.includes(event) === true);
}
