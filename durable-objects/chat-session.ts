import { DurableObject } from "cloudflare:workers";
import type { ChildResult } from "#src/domain/delegation";
import { GatewayError } from "#src/domain/errors";
import type { LiveEvent, TranscriptMessage } from "#src/domain/live";
import type { Attachment } from "#src/domain/message";
import { type SessionScope, parseSessionKey } from "#src/domain/session-key";
import type { BroughtConversation, DeliveryRecord, HookTrace, TurnRecord } from "#src/domain/turn";
import { DIRECT, composeSession } from "./compose-session";
import { environmentFor } from "./environment";
import { hooksInChat } from "./run-hooks-command";
import { ownerArrival, readLiveCommand } from "./owner-arrival";
import { writeOwnerNote } from "./owner-notes";
import { type Arrival, type IngestResult, accessOf } from "./session-accept";
import { type CommandPorts, runCommand } from "./session-commands";
import type { SessionCore, SessionWork } from "./session-core";
import { isUntold, tellProfile } from "./session-digest";
import { type ArrivalGate, openArrivalGate } from "./session-gate";
import { type RaisedEvent, type RaisedSettlement, raiseEvents } from "./raise-events";
import { type TranscriptPage, readTranscript } from "./read-transcript";
import { type After, type Intake, openIntake } from "./session-intake";
import type { ObserverRecord } from "./session-observers";
import { type OpenQuestion, openQuestion } from "./session-questions";
import { hearNotice, hearReport, resultOf, taskArrival } from "./session-reports";
import type { ParentFacts } from "./session-store";
import { acknowledge, offerPairing } from "./session-strangers";
import { isUnfinished } from "./session-suspects";
import { type RunningTurn, type TurnRunner, openTurnRunner } from "./session-turns";

/** Milliseconds after which the alarm looks whether a turn still lives: deployed, and locally where restarts are quick. */
const DEADMAN_MS = 15_000;
const DEADMAN_LOCAL_MS = 3_000;
/** Milliseconds between two cleanings of old dedupe keys. */
const CLEAN_EVERY_MS = 86_400_000;

/** What a session looks like from outside. */
export interface SessionSummary {
  readonly key: string;
  readonly title?: string;
  readonly model: string;
  readonly epoch: number;
  readonly running: boolean;
  readonly question?: OpenQuestion;
}

/**
 * One conversation: its inbox, turns, transcript and outbox in one SQLite, so that ordering, dedupe and journal are
 * one transaction. Everything it has to remember stands there; this object's memory only knows what is under way.
 */
export class ChatSession extends DurableObject<Env> {
  readonly #scope: SessionScope;
  readonly #core: SessionCore;
  readonly #turns: TurnRunner;
  readonly #intake: Intake;
  readonly #gate: ArrivalGate;
  readonly #commands: CommandPorts;
  readonly #work: SessionWork = { running: undefined, queue: [], isStuck: false };
  #alarmAt: number | undefined;
  #cleanedAt = 0;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    const key = ctx.id.name ?? "";
    this.#scope = parseSessionKey(key) ?? { profile: "main", platform: "unknown", chatType: "dm", chatId: key };
    this.#core = composeSession(ctx, env, this.#scope, key, () => this.#arm());
    this.#turns = openTurnRunner(this.#core, (turn) => this.#turnEnded(turn));
    this.#intake = openIntake(this.#core, this.#work, {
      start: (turn, settleMs) => this.#start(turn, false, settleMs),
      runCommand: (turn) => this.#runCommand(turn),
      offerPairing: (arrival) => this.#core.keepAlive(offerPairing(this.#core, arrival, env.PAIRINGS)),
      acknowledge: (arrival, isStale) => this.#core.keepAlive(acknowledge(this.#core, arrival, isStale)),
    });
    this.#gate = openArrivalGate(this.#core, this.#intake);
    this.#commands = this.#composeCommands();
    if (this.#core.store.exists()) this.#recover();
  }

  /**
   * Takes one event in, once, however often it arrives. Resolves when it is stored; the work goes on by itself.
   * Safe to call again after a lost answer.
   */
  async ingest(arrival: Arrival): Promise<IngestResult> {
    const { store } = this.#core;
    if (arrival.onlyIfKnown === true && !store.exists()) return { status: "ignored" };
    const environment = await this.#core.environment();
    store.create();
    const isInternal = arrival.asAgent !== undefined;
    if (!isInternal && environment.hooks.listens("message.received") && arrival.event.kind === "message") {
      const held = this.#gate.hold(arrival);
      // a program that asked waits to hear which turn is its own; a platform only wants to know that it arrived
      return "status" in held ? held : arrival.asOwner === true ? held.settled : { status: "held" };
    }
    const verdict = accessOf(arrival, environment);
    const after: After[] = [];
    const result = this.#core.commit(() => this.#intake.accept(arrival, verdict, environment, after));
    if (result.status === "accepted") this.#arm();
    for (const follow of after) follow();
    return result;
  }

  /** The operator's words into this session, once for each id. */
  sendAsOwner(id: string, text: string, hookOrigin?: HookTrace): Promise<IngestResult> {
    const arrival = ownerArrival(this.#scope, { type: "send", id, text }, this.#core.now());
    return this.ingest(hookOrigin === undefined ? arrival : { ...arrival, hookOrigin });
  }

  /** One question of an API client, with the conversation that it brought. Resolves with the turn that answers it. */
  async askByApi(
    id: string,
    ask: Pick<Arrival, "hookOrigin" | "isClient"> & {
      readonly text: string;
      readonly attachments: readonly Attachment[];
      readonly brought: BroughtConversation;
    },
  ): Promise<{ readonly turnId: number }> {
    const { text, attachments: files, isClient, ...rest } = ask;
    const arrival = ownerArrival(this.#scope, { type: "send", id, text }, this.#core.now(), isClient);
    this.#core.store.create();
    const attachments = await this.#core.media.keep(files);
    const result = await this.ingest({ ...arrival, ...rest, event: { ...arrival.event, attachments } });
    if (result.status === "accepted") return { turnId: result.turnId };
    // a repeat with the same key is answered by the first one's turn
    const first = this.#core.store.exists() ? this.#core.store.platformMessage(id) : undefined;
    if (first === undefined) throw new GatewayError("bad_request", "messages: the last message of the user is empty.");
    return { turnId: first.turnId };
  }

  /** Fires events that happened outside of any turn; resolves with what the hooks of the last one want. */
  raise(events: readonly RaisedEvent[]): Promise<RaisedSettlement> {
    return raiseEvents(this.#core, events);
  }

  /** A task of this session's parent, once for each key. */
  delegate(key: string, words: string, parent: ParentFacts): Promise<IngestResult> {
    this.#core.store.create();
    this.#core.commit(() => this.#core.setFacts({ ...this.#core.facts(), parent }));
    return this.ingest(taskArrival(this.#scope, key, words, parent, this.#core.now()));
  }

  /** More words of the parent. */
  async heed(id: string, words: string): Promise<void> {
    const { parent } = this.#core.facts();
    if (parent !== undefined) await this.ingest(taskArrival(this.#scope, id, words, parent, this.#core.now()));
  }

  /** Resolves with a subagent's answer once nothing is left to do here. */
  async childResult(waits = true): Promise<ChildResult> {
    if (waits) while (this.#work.running !== undefined) await this.#work.running.done;
    return resultOf(this.#core);
  }

  /** The answer of a subagent that worked in the background: becomes a message here, once for each key. */
  hearReport(key: string, id: string, text: string): Promise<void> {
    return hearReport(this.#core, key, id, text, (arrival) => this.ingest(arrival));
  }

  /** Something that the agent has to know and no person has said; becomes a message here, once for each key. */
  hearNotice(key: string, text: string): Promise<void> {
    return hearNotice(this.#core, this.#scope, key, text, (arrival) => this.ingest(arrival));
  }

  stopTurn(): boolean {
    this.#work.running?.control.stop();
    return this.#work.running !== undefined;
  }

  turnUsage(turnId: number): { readonly inputTokens: number; readonly outputTokens: number } {
    return this.#core.store.turnUsage(turnId);
  }

  /** A page of the transcript, oldest first: after a message, or the newest ones before one. */
  transcript(page: TranscriptPage): TranscriptMessage[] {
    return readTranscript(this.#core, page);
  }

  async summary(): Promise<SessionSummary | undefined> {
    if (!this.#core.store.exists()) return undefined;
    const { title, epoch, model } = this.#core.facts();
    const { provider, name } = (await this.#core.environment()).describeModel(model);
    return {
      key: this.#core.key,
      ...(title === undefined ? {} : { title }),
      model: `${provider}/${name}`,
      epoch,
      running: this.#work.running !== undefined,
      ...openQuestion(this.#work.running),
    };
  }

  deliveries(): readonly DeliveryRecord[] {
    return this.#core.deliveries.list();
  }

  replayDelivery(id: number): boolean {
    return this.#core.store.exists() && this.#core.deliveries.replay(id);
  }

  observerDeliveries(): readonly ObserverRecord[] {
    return this.#core.observers.list();
  }

  replayObserver(id: number): boolean {
    return this.#core.store.exists() && this.#core.observers.replay(id);
  }

  /** Tells the owner something in this chat, which is theirs. */
  noteToOwner(text: string): void {
    writeOwnerNote(this.#core, text);
  }

  media(mediaKey: string): Promise<{ readonly bytes: Uint8Array; readonly mime: string } | undefined> {
    return this.#core.media.read(mediaKey);
  }

  /** The profile changed in a way that must not wait: what this isolate has cached of it is dropped. */
  profileChanged(version: number): void {
    environmentFor.forget(this.#scope.profile, version);
  }

  /** Live events from now on, as lines of JSON; `after` as in {@link transcript}. */
  async watch(after: string | undefined): Promise<ReadableStream<Uint8Array>> {
    return this.#core.hub.open(await this.#hello(after));
  }

  /** WebSocket chat: the Worker has checked who it is. */
  override async fetch(request: Request): Promise<Response> {
    if (request.headers.get("upgrade") !== "websocket") return new Response("Expected a WebSocket.", { status: 426 });
    const { 0: client, 1: server } = new WebSocketPair();
    const hello = await this.#hello(new URL(request.url).searchParams.get("after") ?? undefined);
    // accepted and greeted in one breath: no event can come before the greeting, and none is missed after it
    this.ctx.acceptWebSocket(server);
    server.send(JSON.stringify(hello));
    return new Response(null, { status: 101, webSocket: client, headers: { "sec-websocket-protocol": "talaria" } });
  }

  override async webSocketMessage(socket: WebSocket, data: string | ArrayBuffer): Promise<void> {
    const command = typeof data === "string" ? readLiveCommand(data) : undefined;
    if (command === undefined) {
      socket.send(
        JSON.stringify({ type: "error", message: "That is not a message this socket takes." } satisfies LiveEvent),
      );
      return;
    }
    if (command.type === "stop") this.#work.running?.control.stop();
    else await this.ingest(ownerArrival(this.#scope, command, this.#core.now()));
  }

  override webSocketClose(socket: WebSocket, code: number): void {
    // 1005 and 1006 may be received but not sent
    socket.close(code === 1005 || code === 1006 ? 1000 : code, "bye");
  }

  /** The one physical alarm: wakes what a crash left, what is due, and whoever waits too long for a person. */
  override async alarm(): Promise<void> {
    this.#alarmAt = undefined;
    const { store, deliveries, now } = this.#core;
    if (!store.exists()) return;
    const waiting = this.#parked();
    if (waiting !== undefined && now() >= waiting.expiresAt) this.#work.running?.control.wake();
    if (this.#work.isStuck && this.#work.running === undefined) this.#recoverTurns();
    this.#gate.retry();
    deliveries.pump();
    this.#core.observers.pump();
    if (this.#work.running === undefined) await this.#rest();
    this.#arm();
  }

  #composeCommands(): CommandPorts {
    const { platform } = this.#scope;
    return {
      running: () => this.#work.running,
      queued: () => this.#work.queue.length,
      beginTurn: (message, by) => this.#intake.begin({ role: "user", kind: "chat", ...message }, by.origin).after,
      answer: (answer, by) => this.#intake.answer(answer, by.origin.user),
      steer: (text, by) =>
        this.#intake.join({ role: "user", kind: "steer", content: text, author: { id: by.origin.user.id } }),
      profile: {
        approvePairing: async (code) => {
          // from the page or the API a code may be of any platform
          const platforms = DIRECT.has(platform) ? (await this.#core.environment()).platformsOn() : [platform];
          return this.#profile().approvePairing({ platforms }, code);
        },
        setModel: (model) => this.#profile().setRuntime({ "model.name": model }),
        usage: () => this.#profile().usageByDay(),
      },
      hooks: (words, turn) => hooksInChat(words, turn.origin, this.env, this.#core.key),
    };
  }

  async #hello(after: string | undefined): Promise<LiveEvent> {
    const environment = await this.#core.environment();
    const { title, epoch, model } = this.#core.facts();
    const { provider, name } = environment.describeModel(model);
    return {
      type: "hello",
      session: { key: this.#core.key, epoch, model: `${provider}/${name}`, ...(title === undefined ? {} : { title }) },
      messages: this.transcript({ current: true, ...(after === undefined ? {} : { after }) }),
      ...this.#core.hub.now(),
    };
  }

  #profile() {
    return this.env.PROFILES.getByName(this.#scope.profile);
  }

  // === Running ===

  #start(turn: TurnRecord, interrupted: boolean, settleMs: number): void {
    this.#core.hub.turnStarted(turn.id);
    this.#work.running = this.#turns.start(turn, interrupted, settleMs);
  }

  #turnEnded(turn: RunningTurn): void {
    this.#work.running = undefined;
    this.#core.suspects.passed();
    if (!turn.isOver) this.#work.isStuck = true;
    const next = this.#work.isStuck ? undefined : this.#work.queue.shift();
    if (next !== undefined) this.#startQueued(next);
    else this.#arm();
  }

  /** Starts a turn that has waited: what was said while it did stands before its own words. */
  #startQueued(turn: TurnRecord): void {
    this.#core.commit(() => {
      const row = this.#core.rows().find((one) => one.turnId === turn.id);
      if (row !== undefined && row !== this.#core.rows().at(-1)) this.#core.moveToEnd(row);
      this.#core.store.saveTurn({ ...turn, bootId: this.#core.bootId });
    });
    this.#start({ ...turn, bootId: this.#core.bootId }, false, 0);
  }

  #runCommand(turn: TurnRecord): void {
    const work = runCommand(this.#core, this.#commands, turn).catch((error: unknown) =>
      console.error("command failed", error),
    );
    this.#core.keepAlive(work);
  }

  /** Takes up what an earlier life left: every row of a turn or a delivery that stands here was cut off. */
  #recover(): void {
    this.#core.suspects.recover(isUnfinished(this.#core, this.env.TALARIA_LOCAL === "1"));
    this.#recoverTurns();
    for (const turn of this.#core.store.turns()) if (turn.kind === "command") this.#runCommand(turn);
    this.#gate.recover();
    this.#core.deliveries.recover();
    this.#core.observers.pump();
    this.#arm();
  }

  #recoverTurns(): void {
    this.#work.isStuck = false;
    const turns = this.#core.store.turns().filter((turn) => turn.kind === "chat");
    // the one that had begun goes on before those that only waited for it
    const begun = turns.find((turn) => turn.bootId !== undefined);
    this.#work.queue = turns.filter((turn) => turn !== begun);
    if (begun !== undefined) return this.#start(begun, true, 0);
    const next = this.#work.queue.shift();
    if (next !== undefined) this.#startQueued(next);
  }

  /** The question that the running turn waits on. */
  #parked() {
    const waiting = this.#work.running?.record.waiting;
    return waiting !== undefined && waiting.answer === undefined ? waiting : undefined;
  }

  /** What is done while nothing runs. A failure here is tried again by the next alarm. */
  async #rest(): Promise<void> {
    const { store, now } = this.#core;
    if (now() - this.#cleanedAt > CLEAN_EVERY_MS) {
      this.#cleanedAt = now();
      store.forgetSeen(now());
    }
    const telling = tellProfile(this.#core, this.#scope.platform, (digest) => this.#profile().recordSession(digest));
    await telling.catch((error: unknown) => console.error("the profile could not be told", error));
    this.#core.suspects.rest();
  }

  /** Sets the alarm for the next thing to do. The deadman is put off by the alarm alone, so a turn costs no row for it. */
  #arm(): void {
    const { deliveries, observers, now } = this.#core;
    const parked = this.#parked();
    const isWorking = this.#work.running !== undefined && parked === undefined;
    const hasWork =
      isWorking ||
      this.#work.isStuck ||
      deliveries.isBusy() ||
      observers.isBusy() ||
      this.#gate.isBusy() ||
      (parked === undefined && isUntold(this.#core));
    const deadman = now() + (this.env.TALARIA_LOCAL === "1" ? DEADMAN_LOCAL_MS : DEADMAN_MS);
    const times = [hasWork ? deadman : undefined, parked?.expiresAt, deliveries.nextAt(), observers.nextAt()].filter(
      (at) => at !== undefined,
    );
    if (times.length === 0) return;
    const at = Math.min(...times);
    if (this.#alarmAt !== undefined && this.#alarmAt <= at) return;
    this.#alarmAt = at;
    this.#core.keepAlive(this.ctx.storage.setAlarm(at));
  }
}
