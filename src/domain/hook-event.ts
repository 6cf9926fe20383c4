import type { JsonObject, JsonValue } from "./json";

/**
 * What an event is for, and with it how the answers of its hooks settle.
 * - `gate`: may deny, ask, or rewrite; one after the other, each sees what those before it made of the input.
 * - `inject`: adds context for the model; all at once, joined in order.
 * - `transform`: replaces a text; the first one that answers wins.
 * - `claim`: decides; the first one that answers wins.
 * - `keep-going`: may refuse that the agent stops; the first one wins, up to a cap.
 * - `observe`: is told, and nothing of what it answers counts.
 */
export type HookKind = "gate" | "inject" | "transform" | "claim" | "keep-going" | "observe";

/** One moment at which hooks are called. */
export interface HookEventSpec {
  readonly kind: HookKind;
  /** When it fires, for people. */
  readonly when: string;
  /** Gates that add context as well. */
  readonly injects?: true;
  /** Transforms that must not make a text empty. */
  readonly nonEmpty?: true;
  /** No such moment exists here: hooks on it import, are listed as such, and never fire. */
  readonly absent?: true;
}

/** Every moment, by its canonical name. Source: the unified event model of docs/hooks/events.md */
export const HOOK_EVENTS = {
  "gateway.startup": { kind: "observe", when: "the agent's gateway has started" },
  "gateway.shutdown": { kind: "observe", when: "the gateway stops" },
  "message.received": { kind: "claim", when: "a message came in, before access and everything else" },
  "command.received": { kind: "gate", when: "a slash command was recognised, before its handler" },
  "command.expand": { kind: "gate", injects: true, when: "a command the person typed becomes a prompt" },
  "prompt.submit": { kind: "gate", injects: true, when: "a person's message is about to become a turn" },
  "session.setup": { kind: "inject", when: "a session is set up on purpose" },
  "session.start": { kind: "inject", when: "the first turn of a session begins" },
  "turn.start": { kind: "observe", when: "the agent begins a message" },
  "turn.context": { kind: "inject", when: "once a turn, before the first model call" },
  "turn.step": { kind: "observe", when: "one round of the tool loop is done" },
  "model.pre": { kind: "gate", injects: true, when: "before every model request" },
  "model.post": { kind: "observe", when: "a model answered" },
  "model.error": { kind: "observe", when: "a model request failed" },
  "model.switch.pre": { kind: "gate", when: "somebody asked for another model" },
  "model.switch.post": { kind: "observe", when: "the model was changed" },
  "tool.pre": { kind: "gate", injects: true, when: "before every tool call" },
  "tool.permission": { kind: "claim", when: "a person is about to be asked for permission" },
  "tool.permission.denied": { kind: "observe", when: "a call was refused without asking anybody" },
  "approval.request": { kind: "observe", when: "a person is asked for permission" },
  "approval.response": { kind: "observe", when: "the person answered, or time ran out" },
  "tool.output": { kind: "transform", when: "a shell command ended, before its output is cut and redacted" },
  "tool.post": { kind: "inject", when: "a tool call succeeded" },
  "tool.failure": { kind: "inject", when: "a tool call failed" },
  "tool.result": { kind: "transform", when: "a tool's result is about to be kept" },
  "tool.batch": { kind: "gate", injects: true, when: "all calls of one model answer are done" },
  "response.transform": { kind: "transform", nonEmpty: true, when: "the final answer, before it is kept and sent" },
  "response.display": { kind: "transform", when: "text is shown on a screen" },
  stop: { kind: "keep-going", when: "the agent would end the turn" },
  "completion.claim": { kind: "keep-going", when: "the agent says that its goal is reached" },
  "turn.complete": { kind: "observe", when: "a turn ended with an answer" },
  "turn.failed": { kind: "observe", when: "a turn ended with an error" },
  "turn.interrupted": { kind: "observe", when: "a person stopped a turn" },
  "turn.end": { kind: "observe", when: "a turn ended, however it went" },
  "session.finalize": { kind: "observe", when: "a session is about to lose its identity" },
  "session.end": { kind: "observe", when: "a session is over" },
  "session.reset": { kind: "observe", when: "a new session took an old one's place" },
  "compaction.pre": { kind: "gate", injects: true, when: "before a conversation is compacted" },
  "compaction.post": { kind: "observe", when: "a conversation was compacted" },
  "subagent.start": { kind: "inject", when: "a subagent is about to begin" },
  "subagent.stop": { kind: "keep-going", when: "a subagent has ended" },
  "outbound.message": { kind: "gate", when: "before a message is sent to a chat" },
  "outbound.sent": { kind: "observe", when: "a message was sent" },
  notification: { kind: "observe", when: "the system tells a person something" },
  "memory.write": { kind: "observe", when: "memory was changed" },
  "config.change": { kind: "gate", when: "settings are about to change" },
  "instructions.loaded": { kind: "observe", when: "a context file was read into the prompt" },
  "platform.event": { kind: "observe", when: "a messenger told of something that is not a message" },
  "skill.lifecycle": { kind: "observe", when: "a skill was added, changed or removed", absent: true },
  "stream.start": { kind: "observe", when: "an answer begins to stream" },
  "stream.delta": { kind: "observe", when: "a piece of an answer streamed" },
  "stream.end": { kind: "observe", when: "an answer has streamed" },
  "task.created": { kind: "gate", when: "a task was created", absent: true },
  "teammate.idle": { kind: "keep-going", when: "a teammate has nothing to do", absent: true },
  "mcp.elicitation": { kind: "claim", when: "an MCP server asks the person", absent: true },
  "mcp.elicitation.result": { kind: "claim", when: "the person answered an MCP server", absent: true },
  "cwd.changed": { kind: "observe", when: "the working directory changed", absent: true },
  "directory.added": { kind: "observe", when: "a directory was added", absent: true },
  "file.changed": { kind: "observe", when: "a watched file changed", absent: true },
  "worktree.create": { kind: "claim", when: "a worktree is created", absent: true },
  "worktree.remove": { kind: "observe", when: "a worktree was removed", absent: true },
  kanban: { kind: "observe", when: "something happened on a board", absent: true },
} as const satisfies Record<string, HookEventSpec>;

export type HookEventName = keyof typeof HOOK_EVENTS;

/** What all events carry. Field names are the wire's. */
export interface HookScope {
  readonly session_id: string;
  readonly session_key: string;
  readonly parent_session_id?: string;
  readonly turn_id?: string;
  readonly agent_id: string;
  readonly subagent?: { readonly id: string; readonly type: string };
  /** `web`, `api`, `cron`, `subagent`, or the platform's name. */
  readonly surface: string;
  readonly user?: { readonly id: string; readonly platform: string };
  readonly chat?: { readonly id: string; readonly type: string; readonly thread_id?: string };
  readonly cwd?: string;
  readonly permission_mode?: string;
  readonly model?: string;
}

/**
 * One event that happened: its canonical data, from which every dialect draws its own payload. `data` holds the
 * fields of docs/hooks/events.md in snake_case; for tools `tool: {name, kind, call_id}` and `input`.
 */
export interface HookOccurrence {
  readonly event: HookEventName;
  /** `evt_` and a ULID: the same for every retry. */
  readonly id: string;
  /** Counts the events of a session. */
  readonly seq: number;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly common: HookScope;
  readonly data: HookFields;
}

export type HookFields = Readonly<Record<string, HookValue>>;

/** JSON, and what a payload turns into text: a hook must not be able to break an event by its types. */
export type HookValue =
  | JsonValue
  | undefined
  | bigint
  | Date
  | readonly HookValue[]
  | { readonly [key: string]: HookValue };

/** What one hook wants, whatever its dialect said it in. */
export interface HookDecision {
  readonly decision?: "deny" | "defer" | "ask" | "allow";
  /** deny: to the model; ask and allow: to the person. */
  readonly reason?: string;
  /** Ends the turn now; the message is for the person alone. */
  readonly stop?: { readonly message?: string };
  readonly keepGoing?: { readonly message: string };
  readonly prevent?: { readonly reason?: string };
  readonly skip?: { readonly reason?: string };
  readonly input?: { readonly mode: "merge" | "existing" | "replace"; readonly value: JsonObject };
  readonly text?: string;
  readonly output?: JsonValue;
  /** To the model, at the event's own place. */
  readonly context?: string;
  /** To the person, never to the model. */
  readonly notes?: readonly string[];
  readonly permission?: {
    readonly behavior: "allow" | "deny";
    readonly input?: JsonObject;
    readonly rules?: readonly JsonValue[];
    readonly message?: string;
    readonly interrupt?: boolean;
  };
  readonly elicitation?: { readonly action: "accept" | "decline" | "cancel"; readonly content?: JsonObject };
  readonly retry?: boolean;
  /** Names the kind of question that an `ask` is, for "always". */
  readonly ruleKey?: string;
  readonly meta?: {
    readonly sessionTitle?: string;
    readonly initialUserMessage?: string;
    readonly watchPaths?: readonly string[];
    readonly reloadSkills?: boolean;
    readonly worktreePath?: string;
  };
}

/** What all hooks of one event together want; absent fields mean that nobody had an opinion. */
export interface HookSettlement {
  /** The strongest of what was said: stop > deny > defer > ask > allow. */
  readonly outcome: "none" | "allow" | "ask" | "defer" | "deny" | "stop";
  readonly reason?: string;
  /** The name of the hook that decided it. */
  readonly by?: string;
  readonly ruleKey?: string;
  /** The input as the hooks left it, when they changed it. */
  readonly input?: JsonObject;
  readonly text?: string;
  readonly output?: JsonValue;
  /** Joined by a blank line, in order. */
  readonly context?: string;
  readonly notes: readonly string[];
  readonly keepGoing?: { readonly message: string };
  readonly prevent?: { readonly reason?: string };
  readonly skip?: { readonly reason?: string };
  readonly permission?: HookDecision["permission"];
  readonly elicitation?: HookDecision["elicitation"];
  readonly retry?: boolean;
  readonly meta?: HookDecision["meta"];
}

/** Nobody had an opinion. */
export const NO_OPINION: HookSettlement = { outcome: "none", notes: [] };
