import { DurableObject } from "cloudflare:workers";
import { GatewayError } from "#src/domain/errors";
import type { InboundEvent } from "#src/domain/platform";
import { type AccessVerdict, decideAccess } from "#src/domain/access";
import type { LiveCommand, LiveEvent, TranscriptMessage } from "#src/domain/live";
import type { Attachment, MessageKind } from "#src/domain/message";
import type { DayUsage } from "#src/domain/profile";
import { type SessionScope, parseSessionKey } from "#src/domain/session-key";
import type { BroughtConversation, DeliveryRecord, NewMessage, TurnOrigin, TurnRecord } from "#src/domain/turn";
import { type Environment, environmentFor } from "./environment";
import { openLiveHub, toTranscript } from "./live-hub";
import { openPairing } from "./pairing";
import { type Arrival, type IngestResult, answerOf, choiceOf, originOf } from "./session-accept";
import { type CommandPorts, runCommand } from "./session-commands";
import { type SessionCore, openWindow } from "./session-core";
import { type Deliveries, openDeliveries } from "./session-deliveries";
import { readOutboundFile } from "./outbound-file";
import { openSessionMedia } from "./session-media";
import { openSessionStore } from "./session-store";
import { type RunningTurn, openTurnRunner } from "./session-turns";
import { openMemory } from "./profile-client";
import { openSandbox } from "./sandbox-client";

/** Messages of a transcript page at the most. */
const MAX_PAGE = 1_000;

/** What a session looks like from outside. */
export interface SessionSummary {
  readonly key: string;
  readonly title?: string;
  readonly model: string;
  readonly epoch: number;
  readonly running: boolean;
}

/**
 * One conversation: its inbox, turns, transcript and outbox in one SQLite, so that ordering, dedupe and journal are
 * one transaction. Everything it has to remember stands there; this object's memory only knows what is under way.
 */
export class ChatSession extends DurableObject<Env> {
  readonly #core: SessionCore;
  readonly #scope: SessionScope;
  readonly #window: ReturnType<typeof openWindow>;
  readonly #deliveries: Deliveries;
  readonly #turns: ReturnType<typeof openTurnRunner>;
  readonly #commandPorts: CommandPorts;
  #running: RunningTurn | undefined;
  #queue: TurnRecord[] = [];
  #alarmAt: number | undefined;
  /** A turn ended without its end being written: the alarm takes it up again. */
  #isStuck = false;
  #cleanedAt = 0;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    const key = ctx.id.name ?? "";
    this.#scope = parseSessionKey(key) ?? { profile: "main", platform: "unknown", chatType: "dm", chatId: key };
    const store = openSessionStore(ctx.storage);
    const hub = openLiveHub(ctx);
    const now = (): number => Date.now();
    const window = openWindow(store, now, key);
    this.#window = window;
    const environment = (): Promise<Environment> => environmentFor(env, this.#scope.profile);
    const routeOf: SessionCore["routeOf"] = async (origin) => (await environment()).routeOf(origin);
    const keepAlive = (work: Promise<unknown>): void => ctx.waitUntil(work);
    const workspace = (): ReturnType<SessionCore["workspace"]> => openSandbox(env, this.#scope.profile);
    this.#deliveries = openDeliveries({
      store,
      routeOf,
      readFile: (path) => readOutboundFile(workspace(), path),
      limits: async () => ({ ...(await environment()).delivery, threshold: (await environment()).streaming.threshold }),
      arm: () => this.#arm(),
      keepAlive,
      now,
      random: Math.random,
    });
    const base: Omit<SessionCore, "media"> = {
      key,
      bootId: crypto.randomUUID(),
      isShared: this.#scope.chatType !== "dm" && this.#scope.userId === undefined,
      isPersonal: this.#scope.platform !== "webhook",
      store,
      hub,
      deliveries: this.#deliveries,
      environment,
      facts: window.facts,
      rows: window.rows,
      append: window.append,
      moveToEnd: (message) => {
        window.moveToEnd(message);
        hub.send({ type: "reload" });
      },
      replace: window.replace,
      setFacts: window.setFacts,
      forgetRows: window.forget,
      commit: (work) => this.#commit(work),
      arm: () => this.#arm(),
      sync: () => ctx.storage.sync(),
      keepAlive,
      workspace,
      memory: () => openMemory(env, this.#scope.profile),
      routeOf,
      isMessenger: (origin) => origin.platform !== "web" && origin.platform !== "api",
      now,
      random: Math.random,
    };
    this.#core = { ...base, media: openSessionMedia(base, env.MEDIA) };
    this.#turns = openTurnRunner(this.#core, (turn) => this.#turnEnded(turn));
    this.#commandPorts = {
      running: () => this.#running,
      queued: () => this.#queue.length,
      beginTurn: (message, from) => this.#begin({ role: "user", kind: "chat", ...message }, from.origin),
      steer: (text, from) => this.#join({ role: "user", kind: "steer", content: text, author: from.origin.user }),
      profile: {
        approvePairing: (code) => this.#profile().approvePairing(from(this.#scope), code),
        setModel: (model) => this.#profile().setRuntime({ "model.name": model }),
        usage: () => this.#profile().usageByDay(),
      },
    };
    if (store.exists()) this.#recover();
  }

  /**
   * Takes one event in, once, however often it arrives. Resolves when it is stored; the work goes on by itself.
   * Safe to call again after a lost answer.
   */
  async ingest(arrival: Arrival): Promise<IngestResult> {
    const { store } = this.#core;
    if (arrival.onlyIfKnown === true && !store.exists()) return { status: "ignored" };
    const environment = await this.#core.environment();
    const verdict = arrival.asOwner === true ? "allow" : accessOf(arrival, environment);
    store.create();
    const after: (() => void)[] = [];
    const result = this.#commit(() => this.#accept(arrival, verdict, environment, after));
    if (result.status === "accepted") this.#arm();
    for (const work of after) work();
    return result;
  }

  /** The operator's words into this session, once for each id. */
  sendAsOwner(id: string, text: string): Promise<IngestResult> {
    return this.ingest(this.#ownerArrival({ type: "send", id, text }));
  }

  /** One question of an API client, with the conversation that it brought. Resolves with the turn that answers it. */
  async askAsOwner(
    id: string,
    ask: { readonly text: string; readonly attachments: readonly Attachment[]; readonly brought: BroughtConversation },
  ): Promise<{ readonly turnId: number }> {
    const arrival = this.#ownerArrival({ type: "send", id, text: ask.text });
    const result = await this.ingest({ ...arrival, event: { ...arrival.event, attachments: ask.attachments }, brought: ask.brought });
    if (result.status === "accepted") return { turnId: result.turnId };
    // a repeat with the same key is answered by the first one's turn
    const first = this.#core.store.exists() ? this.#core.store.turnStarts(this.#core.facts().epoch, 1)[0] : undefined;
    if (first === undefined) throw new GatewayError("bad_request", "messages: the last message of the user is empty.");
    return { turnId: first.turnId };
  }

  turnUsage(turnId: number): { readonly inputTokens: number; readonly outputTokens: number } {
    return this.#core.store.turnUsage(turnId);
  }

  /** A page of the transcript, oldest first: after a message, or the newest ones before one. */
  transcript(page: { readonly after?: string; readonly before?: string; readonly limit?: number; readonly current?: boolean }): TranscriptMessage[] {
    if (!this.#core.store.exists()) return [];
    return this.#core.store
      .transcript({
        limit: Math.min(Math.max(1, page.limit ?? 500), MAX_PAGE),
        ...(page.after === undefined ? {} : { after: rowOf(page.after) }),
        ...(page.before === undefined ? {} : { before: rowOf(page.before) }),
        ...(page.current === true ? { epoch: this.#core.facts().epoch } : {}),
      })
      .flatMap(toTranscript);
  }

  async summary(): Promise<SessionSummary | undefined> {
    if (!this.#core.store.exists()) return undefined;
    const environment = await this.#core.environment();
    const facts = this.#core.facts();
    const { provider, name } = environment.describeModel(facts.model);
    return {
      key: this.#core.key,
      ...(facts.title === undefined ? {} : { title: facts.title }),
      model: `${provider}/${name}`,
      epoch: facts.epoch,
      running: this.#running !== undefined,
    };
  }

  deliveries(): readonly DeliveryRecord[] {
    return this.#deliveries.list();
  }

  replayDelivery(id: number): boolean {
    return this.#deliveries.replay(id);
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
    this.ctx.acceptWebSocket(server);
    server.send(JSON.stringify(await this.#hello(new URL(request.url).searchParams.get("after") ?? undefined)));
    return new Response(null, { status: 101, webSocket: client, headers: { "sec-websocket-protocol": "talaria" } });
  }

  override async webSocketMessage(socket: WebSocket, data: string | ArrayBuffer): Promise<void> {
    const command = typeof data === "string" ? readLiveCommand(data) : undefined;
    if (command === undefined) {
      socket.send(JSON.stringify({ type: "error", message: "That is not a message this socket takes." } satisfies LiveEvent));
      return;
    }
    if (command.type === "stop") this.#running?.control.stop();
    else await this.ingest(this.#ownerArrival(command));
  }

  override webSocketClose(socket: WebSocket, code: number): void {
    // 1005 and 1006 may be received but not sent
    socket.close(code === 1005 || code === 1006 ? 1000 : code, "bye");
  }

  /** The one physical alarm: wakes what a crash left, what is due, and whoever waits too long for a person. */
  override async alarm(): Promise<void> {
    this.#alarmAt = undefined;
    if (!this.#core.store.exists()) return;
    if (this.#isExpired()) this.#running?.control.wake();
    if (this.#isStuck && this.#running === undefined) this.#recoverTurns();
    this.#deliveries.pump();
    if (this.#running === undefined) await this.#tellProfile().catch((error: unknown) => console.error("the profile could not be told", error));
    this.#arm();
  }

  /** The operator's words into this session, from the page or the API. */
  #ownerArrival(command: Exclude<LiveCommand, { type: "stop" }>): Arrival {
    const { platform, account, chatId, chatType, threadId } = this.#scope;
    const base = {
      eventId: command.id,
      dedupeKeys: [`owner:${command.id}`],
      chatId,
      chatType,
      userId: "owner",
      userName: "owner",
      mentionsBot: true,
      replyToBot: false,
      addressed: true,
      attachments: [],
      isFromBot: false,
      target: { chatId, ...(threadId === undefined ? {} : { threadId }) },
      at: Date.now(),
      ...(threadId === undefined ? {} : { threadId }),
    };
    const event =
      command.type === "send"
        ? ({ ...base, kind: "message", text: command.text.trim(), rawText: command.text } as const)
        : ({ ...base, kind: "button", text: "", rawText: "", action: { id: command.value, value: command.value } } as const);
    return { event, platform, asOwner: true, ...(account === undefined ? {} : { account }) };
  }

  async #hello(after: string | undefined): Promise<LiveEvent> {
    const environment = await this.#core.environment();
    const facts = this.#core.facts();
    const { provider, name } = environment.describeModel(facts.model);
    return {
      type: "hello",
      session: { key: this.#core.key, model: `${provider}/${name}`, ...(facts.title === undefined ? {} : { title: facts.title }) },
      messages: this.transcript({ current: true, ...(after === undefined ? {} : { after }) }),
      ...this.#core.hub.now(),
    };
  }

  #profile() {
    return this.env.PROFILES.getByName(this.#scope.profile);
  }

  #commit<T>(work: () => T): T {
    try {
      return this.#core.store.transaction(work);
    } catch (error) {
      this.#window.forget();
      throw error;
    }
  }

  // === Accepting: inside the one transaction that stores an event ===

  #accept(arrival: Arrival, verdict: AccessVerdict, environment: Environment, after: (() => void)[]): IngestResult {
    const { event } = arrival;
    const { store } = this.#core;
    if (!store.markSeen(event.dedupeKeys, this.#core.now())) return { status: "duplicate" };
    if (verdict !== "allow") {
      if (verdict === "pair") after.push(() => this.#core.keepAlive(this.#offerPairing(arrival)));
      return { status: "denied" };
    }
    if (store.facts() === undefined) this.#window.setFacts(this.#window.facts());
    const origin = originOf(arrival, arrival.asOwner === true || environment.isOwner(arrival.platform, event.userId));
    if (event.kind === "button") return this.#acceptChoice(arrival, after);
    if (event.kind === "edited_message") return this.#acceptEdit(arrival, after);
    const command = commandOf(event, environment);
    if (command !== undefined) return this.#acceptCommand(arrival, origin, command, after);
    if (event.text === "" && event.attachments.length === 0) return { status: "ignored" };
    return this.#acceptWords(arrival, origin, environment, after);
  }

  #acceptCommand(arrival: Arrival, origin: TurnOrigin, command: { readonly name: string; readonly args: string }, after: (() => void)[]): IngestResult {
    const row = this.#window.append(userMessage(arrival, "command", arrival.event.rawText || arrival.event.text), undefined);
    const turn = this.#newTurn(row.id, origin, { kind: "command", command });
    this.#core.store.saveTurn(turn);
    after.push(() => this.#core.hub.message(row), () => this.#runCommand(turn));
    return { status: "accepted", turnId: turn.id };
  }

  #acceptWords(arrival: Arrival, origin: TurnOrigin, environment: Environment, after: (() => void)[]): IngestResult {
    const { text } = arrival.event;
    const running = this.#running;
    if (running?.record.waiting !== undefined && running.record.waiting.answer === undefined) {
      const row = this.#window.append(userMessage(arrival, "answer", text), running.record.id);
      this.#saveAnswer(running, answerOf(text, running.record.waiting));
      after.push(() => this.#core.hub.message(row), () => running.control.wake());
      return { status: "accepted", turnId: running.record.id };
    }
    if (running === undefined) {
      this.#window.fit(environment.agent.historyTokens);
    } else if (!this.#hasBegun(running) || environment.busyMode !== "queue") {
      const kind = this.#hasBegun(running) && environment.busyMode === "steer" ? "steer" : "chat";
      after.push(this.#join(userMessage(arrival, kind, text)), () => settleMs(arrival) === 0 && running.control.wake());
      return { status: "accepted", turnId: running.record.id };
    }
    const begun = this.#begin(userMessage(arrival, "chat", text), origin, arrival);
    after.push(begun);
    return { status: "accepted", turnId: begun.turnId };
  }

  #acceptChoice(arrival: Arrival, after: (() => void)[]): IngestResult {
    const { action } = arrival.event;
    const running = this.#running;
    const choice = choiceOf(action?.value ?? "", running?.record);
    after.push(() => this.#core.keepAlive(this.#acknowledge(arrival, choice === undefined)));
    if (choice === undefined || running === undefined) return { status: "ignored" };
    const row = this.#window.append(userMessage(arrival, "answer", choice), running.record.id);
    this.#saveAnswer(running, choice);
    after.push(() => this.#core.hub.message(row), () => running.control.wake());
    return { status: "accepted", turnId: running.record.id };
  }

  /** A message edited before anything of its answer was sent or run is answered as edited; later edits change nothing. */
  #acceptEdit(arrival: Arrival, after: (() => void)[]): IngestResult {
    const running = this.#running;
    const { messageId, text } = arrival.event;
    if (running === undefined || messageId === undefined || this.#hasBegun(running)) return { status: "ignored" };
    const row = this.#core.rows().find((one) => one.turnId === running.record.id && one.platformMessageId === messageId);
    if (row === undefined) return { status: "ignored" };
    this.#core.store.updateContent(row.id, text);
    this.#window.forget();
    after.push(() => running.control.redirect(), () => this.#core.hub.send({ type: "reload" }));
    return { status: "accepted", turnId: running.record.id };
  }

  /** Adds words to the running turn; the returned function tells it. What was shown of its answer stays as a row. */
  #join(message: NewMessage): () => void {
    const running = this.#running;
    if (running === undefined) throw new TypeError("no turn to join");
    const turnId = running.record.id;
    const partial = message.kind === "chat" ? running.text : "";
    const cut = partial === "" ? undefined : this.#window.append({ role: "assistant", kind: "partial", content: partial }, turnId);
    if (cut !== undefined) running.text = "";
    const row = this.#window.append(message, turnId);
    return () => {
      if (cut !== undefined) this.#core.hub.message(cut);
      this.#core.hub.message(row);
      if (message.kind === "chat") running.control.redirect();
    };
  }

  /** Stores the message that begins a turn; the returned function starts it, or leaves it waiting behind others. */
  #begin(message: NewMessage, origin: TurnOrigin, arrival?: Arrival): (() => void) & { turnId: number } {
    const row = this.#window.append(message, undefined);
    const turn = this.#newTurn(row.id, origin, { kind: "chat", ...(arrival?.brought === undefined ? {} : { brought: arrival.brought }) });
    const isNext = this.#running === undefined;
    this.#core.store.saveTurn(isNext ? { ...turn, bootId: this.#core.bootId } : turn);
    const start = (): void => {
      this.#core.hub.message(row);
      if (this.#running === undefined) this.#start(turn, false, arrival);
      else this.#queue.push(turn);
    };
    return Object.assign(start, { turnId: turn.id });
  }

  #newTurn(id: number, origin: TurnOrigin, rest: Pick<TurnRecord, "kind" | "command" | "brought">): TurnRecord {
    return { id, interruptions: 0, startedAt: this.#core.now(), origin, ...rest };
  }

  #saveAnswer(running: RunningTurn, answer: string): void {
    const { waiting } = running.record;
    if (waiting === undefined) return;
    running.record = { ...running.record, waiting: { ...waiting, answer } };
    this.#core.store.saveTurn(running.record);
  }

  /** Something of the running turn was sent or run: its beginning can no longer be changed. */
  #hasBegun(running: RunningTurn): boolean {
    return running.hasRun || running.growing?.record() !== undefined;
  }

  // === Running ===

  #start(turn: TurnRecord, interrupted: boolean, arrival?: Arrival): void {
    this.#running = this.#turns.start(turn, interrupted, settleMs(arrival));
  }

  #turnEnded(turn: RunningTurn): void {
    this.#running = undefined;
    if (!turn.isOver) {
      this.#isStuck = true;
      return this.#arm();
    }
    const next = this.#queue.shift();
    if (next === undefined) return this.#arm();
    this.#core.store.saveTurn({ ...next, bootId: this.#core.bootId });
    this.#start(next, false);
  }

  #runCommand(turn: TurnRecord): void {
    const work = runCommand(this.#core, this.#commandPorts, turn).catch((error: unknown) => console.error("command failed", error));
    this.#core.keepAlive(work);
  }

  /** Takes up what an earlier life left: every row of a turn or a delivery that stands here was cut off. */
  #recover(): void {
    this.#recoverTurns();
    for (const turn of this.#core.store.turns()) if (turn.kind === "command") this.#runCommand(turn);
    this.#deliveries.recover();
    this.#arm();
  }

  #recoverTurns(): void {
    this.#isStuck = false;
    const [first, ...rest] = this.#core.store.turns().filter((turn) => turn.kind === "chat");
    this.#queue = rest;
    if (first === undefined) return;
    // one that only waited for its turn has not begun
    const isInterrupted = first.bootId !== undefined;
    if (!isInterrupted) this.#core.store.saveTurn({ ...first, bootId: this.#core.bootId });
    this.#start(first, isInterrupted);
  }

  #isExpired(): boolean {
    const waiting = this.#running?.record.waiting;
    return waiting !== undefined && waiting.answer === undefined && this.#core.now() >= waiting.expiresAt;
  }

  /** Sets the alarm for the next thing to do. The deadman is put off by the alarm alone, so a turn costs no row for it. */
  #arm(): void {
    const deadman = this.#core.now() + (this.env.TALARIA_LOCAL === "1" ? DEADMAN_LOCAL_MS : DEADMAN_MS);
    const waiting = this.#running?.record.waiting;
    const isParked = waiting !== undefined && waiting.answer === undefined;
    const hasWork = (this.#running !== undefined && !isParked) || this.#isStuck || this.#deliveries.isBusy() || this.#isUntold();
    const times = [hasWork ? deadman : undefined, isParked ? waiting.expiresAt : undefined, this.#deliveries.nextAt()].filter((at) => at !== undefined);
    if (times.length === 0) return;
    const at = Math.min(...times);
    if (this.#alarmAt !== undefined && this.#alarmAt <= at) return;
    this.#alarmAt = at;
    this.#core.keepAlive(this.ctx.storage.setAlarm(at));
  }

  // === Telling others ===

  #isUntold(): boolean {
    return (this.#core.rows().at(-1)?.id ?? 0) > this.#core.facts().digestedTo;
  }

  /** Tells the profile what has come of this session: sums, so that a second telling changes nothing. */
  async #tellProfile(): Promise<void> {
    const { store, now } = this.#core;
    if (now() - this.#cleanedAt > 86_400_000) {
      this.#cleanedAt = now();
      store.forgetSeen(now());
    }
    if (!this.#isUntold()) return;
    const facts = this.#core.facts();
    const news = store.since(facts.digestedTo);
    const usage = addUsage(facts.usage, store.usageSince(facts.digestedTo));
    const messageCount = facts.messageCount + news.messages;
    await this.#profile().recordSession({
      key: this.#core.key,
      platform: this.#scope.platform,
      ...(facts.title === undefined ? {} : { title: facts.title }),
      preview: news.preview,
      updatedAt: news.lastAt,
      messageCount,
      usage,
      owesDeliveries: this.#deliveries.list().length > 0,
    });
    this.#commit(() => this.#window.setFacts({ ...this.#window.facts(), digestedTo: news.lastId, messageCount, usage }));
  }

  async #offerPairing(arrival: Arrival): Promise<void> {
    const { event, platform } = arrival;
    const requested = await openPairing(this.env.PAIRINGS, platform).request({ id: event.userId, ...(event.userName === undefined ? {} : { name: event.userName }) });
    const text =
      "code" in requested
        ? `I do not know you yet. Ask my owner to approve this code: \`${requested.code}\`\n\nIt is good for one hour.`
        : "I do not know you yet, and cannot give out another pairing code right now. Please try again later.";
    this.#commit(() => this.#deliveries.owe({ turnId: 0, origin: originOf(arrival, false), text }));
    this.#deliveries.pump();
  }

  async #acknowledge(arrival: Arrival, isStale: boolean): Promise<void> {
    const { action } = arrival.event;
    if (action?.callbackId === undefined) return;
    const route = await this.#core.routeOf(originOf(arrival, false));
    const text = isStale ? "This question is no longer open." : undefined;
    await route?.client.acknowledge?.({ callbackId: action.callbackId, ...(text === undefined ? {} : { text }) }, AbortSignal.timeout(10_000)).catch(() => undefined);
  }
}

/** Milliseconds after which the alarm looks whether a turn still lives: deployed, and locally where restarts are quick. */
const DEADMAN_MS = 15_000;
const DEADMAN_LOCAL_MS = 3_000;

function from(scope: SessionScope): { readonly platform: string } {
  return { platform: scope.platform };
}

/** Milliseconds to wait for the rest of a message that its client cut up, or of an album. Source: design.md, section 3. */
function settleMs(arrival: Arrival | undefined): number {
  if (arrival?.event.mediaGroupId !== undefined) return 800;
  return arrival?.event.nearSplitLimit === true ? 2_000 : 0;
}

function accessOf(arrival: Arrival, environment: Environment): AccessVerdict {
  const adapter = environment.adapterOf(arrival.platform);
  return adapter === undefined ? "deny" : decideAccess(arrival.event, adapter, environment.accessRules(arrival.platform));
}

/** The command that a message gives, if any. */
function commandOf(event: InboundEvent, environment: Environment): { readonly name: string; readonly args: string } | undefined {
  if (event.command === undefined) return environment.parseCommand(event.text);
  if (event.rawText.startsWith("/")) return event.command;
  // a platform's own command carries the words to us (Slack: `/acme status`): they may be a command of ours, or just words
  const carried = environment.parseCommand(`/${event.text}`);
  return carried !== undefined && environment.findCommand(carried.name)?.name === carried.name ? carried : undefined;
}

function userMessage(arrival: Arrival, kind: MessageKind, content: string): NewMessage {
  const { event } = arrival;
  const quoted = event.replyToText === undefined ? {} : { context: `[In reply to: ${event.replyToText.slice(0, 500)}]` };
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

/** Sums by day and model, with what has come since. */
function addUsage(sums: readonly DayUsage[], news: readonly DayUsage[]): DayUsage[] {
  const same = (a: DayUsage, b: DayUsage): boolean => a.day === b.day && a.model === b.model;
  const grown = sums.map((sum) => {
    const more = news.find((one) => same(one, sum));
    if (more === undefined) return sum;
    return { ...sum, calls: sum.calls + more.calls, inputTokens: sum.inputTokens + more.inputTokens, outputTokens: sum.outputTokens + more.outputTokens };
  });
  return [...grown, ...news.filter((one) => !sums.some((sum) => same(one, sum)))];
}

/** The row of a transcript id: `12.1` is of row 12. */
function rowOf(id: string): number {
  const row = Number.parseInt(id, 10);
  return Number.isSafeInteger(row) && row > 0 ? row : 0;
}

function readLiveCommand(data: string): LiveCommand | undefined {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null || !("type" in value)) return undefined;
  if (value.type === "stop") return { type: "stop" };
  const id = "id" in value && typeof value.id === "string" && value.id !== "" && value.id.length <= 255 ? value.id : undefined;
  if (id === undefined) return undefined;
  if (value.type === "send" && "text" in value && typeof value.text === "string") return { type: "send", id, text: value.text };
  if (value.type === "action" && "value" in value && typeof value.value === "string") return { type: "action", id, value: value.value };
  return undefined;
}

