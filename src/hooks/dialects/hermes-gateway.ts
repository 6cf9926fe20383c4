import type { HookEventName, HookOccurrence, HookValue } from "#src/domain/hook-event";
import type { Hook } from "#src/domain/hook";
import type { JsonObject, JsonValue } from "#src/domain/json";
import type { HookDialect } from "../dialect";
import { dataOf } from "../event-fields";
import { importRun } from "../importing/import-run";
import { listOf } from "../importing/read-target";
import { isFields, plainJson, textIn } from "../plain-json";
import { noOpinion } from "../read-output";
import { visibleTo } from "../visible-fields";
import { isNewSession } from "./hermes";

/** Longest text of a message or an answer that a handler is handed, in characters. */
const MAX_TEXT_CHARS = 500;

type Context = Readonly<Record<string, HookValue>>;

interface GatewayEvent {
  readonly event: HookEventName;
  readonly context: (occurrence: HookOccurrence) => Context;
}

/** The events of Hermes' gateway. Source: https://hermes-agent.nousresearch.com/docs/user-guide/features/hooks */
const EVENTS: Readonly<Record<string, GatewayEvent>> = {
  "gateway:startup": {
    event: "gateway.startup",
    context: (occurrence) => ({ platforms: dataOf(occurrence, "gateway.startup").platforms ?? [] }),
  },
  "session:start": {
    event: "session.start",
    context: (occurrence) => ({ ...person(occurrence), ...session(occurrence), ...key(occurrence) }),
  },
  "session:end": { event: "session.end", context: (occurrence) => ({ ...person(occurrence), ...key(occurrence) }) },
  "session:reset": { event: "session.reset", context: (occurrence) => ({ ...person(occurrence), ...key(occurrence) }) },
  "session:compress": {
    event: "compaction.post",
    context(occurrence) {
      const { old_session_id, in_place, compression_count } = dataOf(occurrence, "compaction.post");
      const { surface } = occurrence.common;
      return { platform: surface, ...session(occurrence), old_session_id, in_place, compression_count };
    },
  },
  "agent:start": { event: "turn.start", context: message },
  "agent:step": {
    event: "turn.step",
    context(occurrence) {
      const { iteration, tool_names } = dataOf(occurrence, "turn.step");
      return { ...person(occurrence), ...session(occurrence), iteration, tool_names };
    },
  },
  "agent:end": {
    event: "turn.end",
    context: (occurrence) => ({ ...message(occurrence), response: cut(dataOf(occurrence, "turn.end").response) }),
  },
  "reaction:added": { event: "platform.event", context: reaction },
  "reaction:removed": { event: "platform.event", context: reaction },
};

const COMMAND: GatewayEvent = {
  event: "command.received",
  context(occurrence) {
    const { command, args } = dataOf(occurrence, "command.received");
    return { ...person(occurrence), command, args };
  },
};

const NAMES = [...Object.keys(EVENTS), "command:*"];

/** Hooks of Hermes' gateway: a HOOK.yaml and a handler that is told of what happens. They have no say in anything. */
export const hermesGateway: HookDialect = {
  name: "hermes-gateway",
  nativeEvents: NAMES,
  resolveEvent: resolve,
  payload,
  matcher,
  read: () => noOpinion(),
  decides: () => false,
  maxContinuations: 0,
  isToldOfDenied: false,
  importHooks(configured, options) {
    const run = importRun(
      {
        dialect: "hermes-gateway",
        nativeEvents: NAMES,
        resolveEvent: resolve,
        timeout: () => ({ usual: 60, most: 300 }),
        matcherProblem: () => ({
          code: "hook.matcher_ignored",
          message: "hooks of the gateway have no matcher",
          isIgnored: true,
        }),
      },
      options,
    );
    for (const declaration of declarationsIn(configured)) addDeclaration(declaration, run);
    return run.end();
  },
};

/** One HOOK.yaml with its handler, or several of them in a list. */
function declarationsIn(configured: JsonValue): readonly JsonValue[] {
  return Array.isArray(configured) ? (configured as readonly JsonValue[]) : [configured];
}

function addDeclaration(declaration: JsonValue, run: ReturnType<typeof importRun>): void {
  const declared = isFields(declaration) ? (declaration["HOOK.yaml"] ?? declaration) : undefined;
  if (!isFields(declared)) return run.skip("hook.missing_target", "there is no HOOK.yaml");
  const natives = listOf(declared["events"]);
  if (natives.length === 0) return run.skip("hook.unknown_event", "a HOOK.yaml names no events");
  const module = textIn(declared["module"]) ?? textIn(declared["name"]);
  if (module === undefined) return run.skip("hook.missing_target", "a HOOK.yaml has no name");
  const hasOtherTarget = "command" in declared || "url" in declared;
  return run.add({ natives, fields: hasOtherTarget ? declared : { ...declared, type: "module", module } });
}

/** The entries behind a name: one, those below `session:*`, or all commands. */
function eventsOf(native: string): readonly (readonly [name: string, GatewayEvent])[] {
  if (native.startsWith("command:") && native.length > "command:".length) return [[native, COMMAND]];
  return Object.entries(EVENTS).filter(
    ([name]) => name === native || (native.endsWith(":*") && name.startsWith(native.slice(0, -1))),
  );
}

function resolve(native: string): readonly HookEventName[] | undefined {
  const events = new Set(eventsOf(native).map(([, { event }]) => event));
  return events.size === 0 ? undefined : [...events];
}

function matcher({ nativeEvent }: Hook): (occurrence: HookOccurrence) => boolean {
  return (occurrence) => {
    // a command line has no gateway
    if (occurrence.common.surface === "cli") return false;
    const name = nameOf(occurrence);
    const isMeant = name === nativeEvent || (nativeEvent.endsWith(":*") && name.startsWith(nativeEvent.slice(0, -1)));
    return isMeant && (occurrence.event !== "session.start" || isNewSession(occurrence));
  };
}

/** What the gateway calls an occurrence. */
function nameOf(occurrence: HookOccurrence): string {
  if (occurrence.event === "command.received") return `command:${dataOf(occurrence, "command.received").command ?? ""}`;
  if (occurrence.event === "platform.event") {
    return (dataOf(occurrence, "platform.event").event_type ?? "").replace(/[_.]/, ":");
  }
  return Object.keys(EVENTS).find((name) => EVENTS[name]?.event === occurrence.event) ?? occurrence.event;
}

function payload(hook: Hook, all: HookOccurrence): JsonObject {
  const occurrence = visibleTo(hook, all);
  const name = nameOf(occurrence);
  const context = (EVENTS[name] ?? COMMAND).context(occurrence);
  const { extra } = occurrence.data;
  return plainJson({ event_type: name, context: { ...context, ...(isFields(extra) ? extra : {}) } });
}

function person({ common }: HookOccurrence): Context {
  return { platform: common.surface, user_id: common.user?.id ?? "" };
}

function session({ common }: HookOccurrence): Context {
  return { session_id: common.session_id };
}

function key({ common }: HookOccurrence): Context {
  return { session_key: common.session_key };
}

function message(occurrence: HookOccurrence): Context {
  const { chat } = occurrence.common;
  const said = dataOf(occurrence, "turn.start").message;
  return {
    ...person(occurrence),
    ...session(occurrence),
    message: cut(said),
    chat_id: chat?.id,
    chat_type: chat?.type,
    thread_id: chat?.thread_id,
  };
}

function reaction(occurrence: HookOccurrence): Context {
  const { payload: carried } = dataOf(occurrence, "platform.event");
  return { ...carried, platform: occurrence.common.surface };
}

function cut(text: string | undefined): string {
  return (text ?? "").slice(0, MAX_TEXT_CHARS);
}
