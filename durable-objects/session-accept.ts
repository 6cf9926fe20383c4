import { type AccessVerdict, decideAccess } from "#src/domain/access";
import type { LiveQuestion } from "#src/domain/live";
import type { InboundEvent } from "#src/domain/platform";
import type { Environment } from "./environment";
import type { BroughtConversation, HookTrace, TurnOrigin, TurnRecord, Waiting } from "#src/domain/turn";

/** One verified event on its way into a session. Plain JSON: it crosses RPC. */
export interface Arrival {
  readonly event: InboundEvent;
  readonly platform: string;
  readonly account?: string;
  /** Came through the page or the API: no access rules, no limits. */
  readonly asOwner?: boolean;
  /** Came with the API's own key, which the operator gave to a program: let in, and not the owner. */
  readonly isClient?: boolean;
  /** Written by an agent for another, or for itself: never a command, and never with the owner's rights. */
  readonly asAgent?: { readonly origin: TurnOrigin };
  /** Only a session that exists takes it: a thread the agent is part of, a group it was spoken to in. */
  readonly onlyIfKnown?: boolean;
  readonly brought?: BroughtConversation;
  readonly hookOrigin?: HookTrace;
}

export type IngestResult =
  | { readonly status: "accepted"; readonly turnId: number }
  /** `held`: stored, and shown to the hooks before anything else. */
  | { readonly status: "duplicate" | "ignored" | "denied" | "held" };

/** Whether the owner's rights come with an arrival by the way it came. */
export function isOwners({ asOwner, isClient }: Arrival): boolean {
  return asOwner === true && isClient !== true;
}

/** Where the answer to an event goes: its own chat, or the one its sender configured. */
export function originOf(arrival: Arrival, isOwner: boolean): TurnOrigin {
  const { event } = arrival;
  if (arrival.asAgent !== undefined) return arrival.asAgent.origin;
  const hook = arrival.hookOrigin === undefined ? {} : { hook: arrival.hookOrigin };
  const user = { id: event.userId, ...(event.userName === undefined ? {} : { name: event.userName }), isOwner };
  if (event.deliverTo !== undefined) {
    // the adapter has read the chat out of it already
    return { platform: decodeURIComponent(event.deliverTo.split(":")[0] ?? ""), target: event.target, user, ...hook };
  }
  return {
    platform: arrival.platform,
    ...(arrival.account === undefined ? {} : { account: arrival.account }),
    target: event.target,
    user,
    ...hook,
  };
}

/** What a person's words mean to a question: the number or the words of a choice, or an answer of their own. */
export function answerOf(text: string, waiting: Waiting): string {
  const { choices } = waiting.question;
  const number = Number(text.trim());
  if (Number.isInteger(number) && number >= 1 && number <= choices.length) return choices[number - 1] ?? text;
  return choices.find((choice) => choice.toLowerCase() === text.trim().toLowerCase()) ?? text;
}

/** The value that a choice's button brings back. */
export function choiceValue(turnId: number, index: number): string {
  return `q:${turnId}:${index}`;
}

/** The choice that a button's value stands for; undefined when it is of another question. */
export function choiceOf(value: string, turn: TurnRecord | undefined): string | undefined {
  const waiting = turn?.waiting;
  if (turn === undefined || waiting === undefined) return undefined;
  return waiting.question.choices.find((_choice, index) => choiceValue(turn.id, index) === value);
}

/** A question as pages show it. */
export function liveQuestion(turnId: number, waiting: Waiting): LiveQuestion {
  return {
    id: waiting.callId,
    text: waiting.question.text,
    choices: waiting.question.choices.map((label, index) => ({ label, value: choiceValue(turnId, index) })),
  };
}

/** A question as messengers show it: numbered, so that it can be answered without buttons. */
export function questionMarkdown(waiting: Waiting): string {
  const { text, choices } = waiting.question;
  return choices.length === 0
    ? text
    : `${text}\n\n${choices.map((choice, index) => `${index + 1}. ${choice}`).join("\n")}`;
}

/** Milliseconds to wait for the rest of a message that its client cut up, or of an album. Source: design.md, section 3. */
export function settleMs(arrival: Arrival | undefined): number {
  if (arrival?.event.mediaGroupId !== undefined) return 800;
  return arrival?.event.nearSplitLimit === true ? 2_000 : 0;
}

/** Whether the author of an event may talk to the agent. */
export function accessOf(arrival: Arrival, environment: Environment): AccessVerdict {
  if (arrival.asOwner === true || arrival.asAgent !== undefined) return "allow";
  const adapter = environment.adapterOf(arrival.platform);
  return adapter === undefined
    ? "deny"
    : decideAccess(arrival.event, adapter, environment.accessRules(arrival.platform));
}
