import type { HookDelivery } from "./hook";
import type { Message, ToolResult } from "./message";
import type { Button, DeliveryTarget } from "./platform";
import type { ModelMessage, Usage } from "./provider";
import type { Question } from "./tool";

/** Where a turn came from, and with it where its answer goes. */
export interface TurnOrigin {
  readonly platform: string;
  readonly account?: string;
  readonly target: DeliveryTarget;
  readonly user: { readonly id: string; readonly name?: string; readonly isOwner: boolean };
  readonly hook?: HookTrace;
}

/** What a hook had to do with a turn: it called our API, or put its words in a person's place. */
export interface HookTrace {
  /** How many hooks deep the turn lies; 0 where a hook only changed the words. */
  readonly depth: number;
  /** The hook whose call it was. */
  readonly hookId?: string;
  /** It is the sender's word alone, not the operator's: no guard stands aside for it. */
  readonly isClaimed?: boolean;
}

/** A conversation that a stateless API call brought along: it counts for this turn alone. */
export interface BroughtConversation {
  readonly system?: string;
  readonly history: readonly ModelMessage[];
}

/** A question that a turn waits on; it has no time budget but its own expiry. */
export interface Waiting {
  readonly callId: string;
  readonly question: Question;
  /** Epoch milliseconds. */
  readonly askedAt: number;
  readonly expiresAt: number;
  /** The person's answer, once it was given. */
  readonly answer?: string;
  /** It asks whether the call may run, and does not come from the tool itself. */
  readonly isApproval?: true;
}

/**
 * One turn as its row keeps it, from the accepted message until the answer is committed. What it has done so far is
 * not here but in the messages: the first tool segment without results is the one that may have been running.
 */
export interface TurnRecord {
  /** Id of the message that began it. */
  readonly id: number;
  readonly kind: "chat" | "command";
  /** Which life of the object runs it; another one's record was interrupted. Absent while it waits its turn. */
  readonly bootId?: string;
  /** How often a crash cut it off: raised before it goes on. */
  readonly interruptions: number;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly origin: TurnOrigin;
  readonly command?: { readonly name: string; readonly args: string };
  readonly brought?: BroughtConversation;
  readonly waiting?: Waiting;
  /** Milliseconds that a person was waited for. */
  readonly waitedMs?: number;
  /** The hooks that stand before the first model call are done. */
  readonly isPrepared?: true;
  /** Unsafe calls of the open answer that were about to run: after a crash they are not run again. */
  readonly begunCalls?: readonly string[];
}

/** A row about to be committed: its id and time are given by the store. */
export type NewMessage = Omit<Message, "id" | "turnId" | "createdAt">;

/** How a turn ended. */
export type TurnEnd = "answered" | "stopped" | "failed";

/** What is owed to a platform for one turn, as its row keeps it. */
export interface DeliveryRecord {
  readonly id: number;
  /** Unique for ever: given to platforms whose sends are idempotent, and looked for in the history of others. */
  readonly key: string;
  readonly turnId: number;
  readonly origin: TurnOrigin;
  /** `growing`: the answer is still being written. `final`: the text stands. `dead`: given up, until replayed. */
  readonly state: "growing" | "final" | "dead";
  /** Markdown of the whole message; empty while growing. */
  readonly text: string;
  readonly buttons?: readonly Button[];
  /** Workspace paths of files to send after the text. */
  readonly files?: readonly string[];
  readonly parts: readonly DeliveryPart[];
  readonly attempts: number;
  /** Epoch milliseconds of the first try. */
  readonly createdAt: number;
  /** Epoch milliseconds before which it is not tried again. */
  readonly nextAt: number;
  /** Hooks have not let it pass yet. */
  readonly mustPass?: true;
  /** The last failure, one sentence. */
  readonly error?: string;
}

/**
 * One message of a delivery. `sending` is committed before the request: found after a crash, or left by a timeout, it
 * means that the message may or may not be there.
 */
export type DeliveryPart = { readonly state: "sending" } | { readonly state: "sent"; readonly messageId: string };

/** One committed step of a turn, for whoever counts. */
export interface StepUsage {
  readonly provider: string;
  readonly model: string;
  readonly usage: Usage;
  /** US dollars; absent where the price is not known. */
  readonly costUsd?: number;
}

/** What became of one message of a person: other words, or what the model is told beside them. */
export interface PreparedWords {
  readonly id: number;
  readonly content?: string;
  readonly context?: string;
}

/** The turn's own view of its rows. Every method that changes something is one transaction. */
export interface Journal {
  /** Rows that the model may read, oldest first, within the history budget; this turn's last. */
  rows(): readonly Message[];
  /** Commits a model answer that calls tools, or one that is not the last because a person wrote meanwhile. */
  commitStep(message: NewMessage, usage: StepUsage | undefined): Message;
  /** Commits the results of one segment. */
  commitResults(results: readonly ToolResult[]): void;
  /**
   * Commits the turn's answer, what is owed to the platform and the end of the turn. Returns false, and changes
   * nothing, when a person has written meanwhile and the turn must go on.
   */
  commitEnd(message: NewMessage, end: TurnEnd, usage: StepUsage | undefined, owed?: readonly HookDelivery[]): boolean;
  /** Commits what hooks made of this turn's words before the model read them. */
  commitPrepared(words: readonly PreparedWords[]): void;
  /** Commits an answer that a hook would not let stand, with what it said. */
  commitKeptGoing(message: NewMessage, said: string, usage: StepUsage | undefined): void;
  /** Commits that an unsafe call is about to run. */
  commitBegin(callId: string): void;
  /** Parks the turn on a question. */
  commitWaiting(waiting: Waiting | undefined): void;
}
