import { namesOf } from "#src/commands/parse-command";
import type { AccessVerdict } from "#src/domain/access";
import type { MessageKind } from "#src/domain/message";
import type { InboundEvent } from "#src/domain/platform";
import type { NewMessage, TurnOrigin, TurnRecord } from "#src/domain/turn";
import type { Environment } from "./environment";
import { type Arrival, type IngestResult, answerOf, choiceOf, isOwners, originOf, settleMs } from "./session-accept";
import type { SessionCore, SessionWork } from "./session-core";
import type { RunningTurn } from "./session-turns";

/** What follows from an accepted event once its transaction stands. */
export type After = () => void;

export interface IntakePorts {
  readonly start: (turn: TurnRecord, settleMs: number) => void;
  readonly runCommand: (turn: TurnRecord) => void;
  readonly offerPairing: (arrival: Arrival) => void;
  readonly acknowledge: (arrival: Arrival, isStale: boolean) => void;
}

/** Takes events into the session: every method runs inside the one transaction that stores what it decides. */
export interface Intake {
  accept(arrival: Arrival, verdict: AccessVerdict, environment: Environment, after: After[]): IngestResult;
  /** The same for an event whose keys are noted already. */
  admit(arrival: Arrival, verdict: AccessVerdict, environment: Environment, after: After[]): IngestResult;
  /** Stores the message that begins a turn; what follows starts it, or leaves it waiting behind others. */
  begin(message: NewMessage, origin: TurnOrigin, arrival?: Arrival): { readonly turnId: number; readonly after: After };
  /** Answers the question that the running turn waits on, when this person may. */
  answer(answer: string, by: TurnOrigin["user"]): After;
  /** Adds words to the running turn; what follows tells it. What was shown of its answer stays as a row. */
  join(message: NewMessage): After;
}

export function openIntake(core: SessionCore, work: SessionWork, ports: IntakePorts): Intake {
  const { store, hub } = core;

  function accept(arrival: Arrival, verdict: AccessVerdict, environment: Environment, after: After[]): IngestResult {
    if (!store.markSeen(arrival.event.dedupeKeys, core.now())) return { status: "duplicate" };
    return admit(arrival, verdict, environment, after);
  }

  function admit(arrival: Arrival, verdict: AccessVerdict, environment: Environment, after: After[]): IngestResult {
    const { event } = arrival;
    if (verdict !== "allow") {
      if (verdict === "pair") after.push(() => ports.offerPairing(arrival));
      return { status: "denied" };
    }
    core.keepFacts();
    if (event.kind === "button") return acceptChoice(arrival, environment, after);
    if (event.kind === "edited_message") return acceptEdit(event, after);
    const origin = originOf(arrival, isOwners(arrival) || environment.isOwner(arrival.platform, event.userId));
    const command = arrival.asAgent === undefined ? commandOf(arrival, environment) : undefined;
    if (command !== undefined) return acceptCommand(arrival, origin, command, after);
    if (event.text === "" && event.attachments.length === 0) return { status: "ignored" };
    return acceptWords(arrival, origin, environment, after);
  }

  /** The running turn, as long as words can still join it: not once its end stands or it was told to stop. */
  function joinable(): RunningTurn | undefined {
    const { running } = work;
    return running === undefined || running.isOver || running.control.stopped.aborted ? undefined : running;
  }

  function acceptCommand(
    arrival: Arrival,
    origin: TurnOrigin,
    command: NonNullable<TurnRecord["command"]>,
    after: After[],
  ): IngestResult {
    const row = core.append(userMessage(arrival, "command", arrival.event.rawText || arrival.event.text), undefined);
    const turn = newTurn(row.id, origin, { kind: "command", command });
    store.saveTurn(turn);
    after.push(
      () => hub.message(row),
      () => ports.runCommand(turn),
    );
    return { status: "accepted", turnId: turn.id };
  }

  function acceptWords(arrival: Arrival, origin: TurnOrigin, environment: Environment, after: After[]): IngestResult {
    const running = joinable();
    const { text } = arrival.event;
    const waiting = running?.record.waiting;
    if (running !== undefined && waiting !== undefined && waiting.answer === undefined) {
      if (!mayAnswer(running, origin.user)) return { status: "ignored" };
      return acceptAnswer(running, userMessage(arrival, "answer", text), answerOf(text, waiting), after);
    }
    if (running === undefined) core.fit(environment.agent.historyTokens);
    else if (!hasBegun(running) || environment.busyMode !== "queue") {
      const kind = hasBegun(running) && environment.busyMode === "steer" ? "steer" : "chat";
      after.push(join(userMessage(arrival, kind, text)));
      if (settleMs(arrival) === 0) after.push(() => running.control.wake());
      return { status: "accepted", turnId: running.record.id };
    }
    const begun = begin(userMessage(arrival, "chat", text), origin, arrival);
    after.push(begun.after);
    return { status: "accepted", turnId: begun.turnId };
  }

  function acceptChoice(arrival: Arrival, environment: Environment, after: After[]): IngestResult {
    const running = joinable();
    const choice = choiceOf(arrival.event.action?.value ?? "", running?.record);
    const isOwner = isOwners(arrival) || environment.isOwner(arrival.platform, arrival.event.userId);
    const { user } = originOf(arrival, isOwner);
    const isTheirs = running !== undefined && mayAnswer(running, user);
    after.push(() => ports.acknowledge(arrival, choice === undefined || !isTheirs));
    if (choice === undefined || !isTheirs || running.record.waiting?.answer !== undefined) return { status: "ignored" };
    return acceptAnswer(running, userMessage(arrival, "answer", choice), choice, after);
  }

  /** A person's answer to the question that the turn waits on. */
  function acceptAnswer(running: RunningTurn, message: NewMessage, answer: string, after: After[]): IngestResult {
    // what it brings along is for the model to see, as words of its own behind the result
    const hasFiles = message.attachments !== undefined;
    const row = core.append(hasFiles ? { ...message, kind: "chat" } : message, running.record.id);
    if (running.record.waiting !== undefined)
      running.record = {
        ...running.record,
        waiting: {
          ...running.record.waiting,
          answer: hasFiles && answer === "" ? "[The person sent a file: see their next message.]" : answer,
        },
      };
    store.saveTurn(running.record);
    after.push(
      () => hub.message(row),
      () => running.control.wake(),
    );
    return { status: "accepted", turnId: running.record.id };
  }

  function answer(text: string, by: TurnOrigin["user"]): After {
    const running = joinable();
    const waiting = running?.record.waiting;
    if (running === undefined || waiting === undefined || waiting.answer !== undefined || !mayAnswer(running, by))
      return () => undefined;
    running.record = { ...running.record, waiting: { ...waiting, answer: text } };
    store.saveTurn(running.record);
    return () => running.control.wake();
  }

  /** A message edited before anything of its answer was sent or run is answered as edited; later edits change nothing. */
  function acceptEdit(event: InboundEvent, after: After[]): IngestResult {
    const running = joinable();
    const open = new Set(work.queue.map((turn) => turn.id));
    if (running !== undefined && !hasBegun(running)) open.add(running.record.id);
    const row = core.rows().find((one) => open.has(one.turnId) && one.platformMessageId === event.messageId);
    if (row === undefined || event.messageId === undefined) return { status: "ignored" };
    store.updateContent(row.id, event.text);
    core.forgetRows();
    if (running?.record.id === row.turnId) after.push(() => running.control.redirect());
    after.push(() => hub.send({ type: "reload" }));
    return { status: "accepted", turnId: row.turnId };
  }

  function join(message: NewMessage): After {
    const { running } = work;
    if (running === undefined) throw new TypeError("no turn to join");
    const turnId = running.record.id;
    const partial = message.kind === "chat" && hasBegun(running) ? running.text : "";
    const cut =
      partial === "" ? undefined : core.append({ role: "assistant", kind: "partial", content: partial }, turnId);
    const row = core.append(message, turnId);
    return () => {
      if (cut !== undefined) hub.message(cut);
      hub.message(row);
      if (message.kind !== "chat") return;
      running.text = "";
      running.control.redirect();
    };
  }

  function begin(
    message: NewMessage,
    origin: TurnOrigin,
    arrival?: Arrival,
  ): { readonly turnId: number; readonly after: After } {
    const row = core.append(message, undefined);
    const brought = arrival?.brought === undefined ? {} : { brought: arrival.brought };
    const waiting = newTurn(row.id, origin, { kind: "chat", ...brought });
    // whose life runs it stands in its row from the beginning: a crash before its first step is an interruption too
    const isNext = work.running === undefined && !work.isStuck;
    const turn = isNext ? { ...waiting, bootId: core.bootId } : waiting;
    store.saveTurn(turn);
    const after = (): void => {
      hub.message(row);
      if (isNext && work.running === undefined) ports.start(turn, settleMs(arrival));
      else work.queue.push(turn);
    };
    return { turnId: turn.id, after };
  }

  function newTurn(id: number, origin: TurnOrigin, rest: Pick<TurnRecord, "kind" | "command" | "brought">): TurnRecord {
    return { id, interruptions: 0, startedAt: core.now(), origin, ...rest };
  }

  return { accept, admit, answer, begin, join };
}

/** What may run is for who asked for the work, or the owner, to say; any other question is for everyone in the chat. */
function mayAnswer({ record }: RunningTurn, by: TurnOrigin["user"]): boolean {
  return record.waiting?.isApproval !== true || by.isOwner || by.id === record.origin.user.id;
}

/** Something of the running turn was sent or run: its beginning can no longer be changed. */
function hasBegun(running: RunningTurn): boolean {
  return running.hasRun || running.growing?.record() !== undefined;
}

/** The command that a message gives, if any. */
function commandOf(
  { event, platform }: Arrival,
  environment: Environment,
): { readonly name: string; readonly args: string } | undefined {
  if (event.command === undefined) {
    const mark = environment.adapterOf(platform)?.commandMark;
    if (mark === undefined || !event.text.startsWith(mark)) return environment.parseCommand(event.text);
    const marked = environment.parseCommand(`/${event.text.slice(mark.length)}`);
    return marked !== undefined && environment.findCommand(marked.name)?.name === marked.name ? marked : undefined;
  }
  if (event.rawText.startsWith("/")) return event.command;
  // a platform's own command (Slack) is one of ours, or carries words to us (`/acme status`): a command, or just words
  const own = environment.findCommand(event.command.name);
  if (own !== undefined && namesOf(own).includes(event.command.name.toLowerCase())) return event.command;
  // `/acme` alone asks what there is
  const carried = environment.parseCommand(`/${event.text.trim() === "" ? "help" : event.text}`);
  return carried !== undefined && environment.findCommand(carried.name)?.name === carried.name ? carried : undefined;
}

function userMessage(arrival: Arrival, kind: MessageKind, content: string): NewMessage {
  const { event } = arrival;
  const quoted =
    event.replyToText === undefined ? {} : { context: `[In reply to: ${event.replyToText.slice(0, 500)}]` };
  return {
    role: "user",
    kind,
    content,
    author: { id: event.userId, ...(event.userName === undefined ? {} : { name: event.userName }) },
    ...(event.messageId === undefined ? {} : { platformMessageId: event.messageId }),
    ...(event.attachments.length === 0 ? {} : { attachments: event.attachments }),
    ...(kind === "chat" ? quoted : {}),
  };
}
