import { DurableObject } from "cloudflare:workers";
import { GatewayError } from "#src/domain/errors";
import type { ProfileSnapshot, SessionDigest } from "#src/domain/profile";
import type { JsonValue } from "#src/domain/json";
import {
  type HookModuleSource,
  NO_PROFILE_HOOKS,
  type OpenCircuit,
  type ProfileHooks,
} from "#src/domain/profile-hooks";
import { hasFailedTooLong } from "#src/hooks/http/observer-backoff";
import { toBase64 } from "#src/lib/encoding";
import { timingSafeEqual } from "#src/lib/timing-safe-equal";
import { openHookLogRows } from "./hook-log-rows";
import { openHookModuleRows } from "./hook-module-rows";
import { openPairing } from "./pairing";
import { type SessionPage, type SessionRows, openSessionRows } from "./profile-session-rows";

/** Sessions that were active this long ago are told at once when a person or a setting is revoked. */
const ACTIVE_MS = 3_600_000;
/** Sessions remembered to be waiting for leave. */
const MAX_WAITING = 200;

type MemoryTarget = "memory" | "user";

/**
 * One agent: what all its sessions share. Never on a turn's path: sessions cache its snapshot, and tell it of
 * themselves now and then, in sums that may be told twice.
 */
export class Profile extends DurableObject<Env> {
  readonly #sql: SqlStorage;
  readonly #modules: ReturnType<typeof openHookModuleRows>;
  readonly #hookLog: ReturnType<typeof openHookLogRows>;
  readonly #sessions: SessionRows;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#sql = ctx.storage.sql;
    this.#modules = openHookModuleRows(ctx.storage.sql);
    this.#hookLog = openHookLogRows(ctx.storage.sql);
    this.#sessions = openSessionRows(ctx.storage.sql);
    this.#sql.exec(`
      CREATE TABLE IF NOT EXISTS facts (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS people (id TEXT PRIMARY KEY, name TEXT, owner INTEGER NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID;`);
  }

  /**
   * What sessions cache; undefined when they have this version already. `startId` names the start or deployment of
   * whoever asks: the first one to ask is told so.
   */
  snapshot(ifVersion?: number, startId?: string): ProfileSnapshot | undefined {
    const version = this.#version();
    if (version === ifVersion) return undefined;
    const before = this.#fact("start");
    const isFirst = startId !== undefined && startId !== before;
    if (isFirst) this.#setFact("start", startId);
    const people = this.#sql.exec<{ id: string; owner: number }>("SELECT id, owner FROM people").toArray();
    return {
      version,
      runtime: this.#runtime(),
      approved: people.map((person) => person.id),
      owners: people.filter((person) => person.owner === 1).map((person) => person.id),
      hooks: this.hooks(),
      allowedAlways: this.allowedAlways(),
      credentials: (this.#fact("credentials") ?? {}) as ProfileSnapshot["credentials"],
      ...(isFirst ? { begins: { isRestart: before !== undefined } } : {}),
    };
  }

  hooks(): ProfileHooks {
    return {
      ...NO_PROFILE_HOOKS,
      seed: this.#hookSeed(),
      ...(this.#fact("hooks") as Partial<ProfileHooks> | undefined),
      modules: this.#modules.list().map(({ sha256 }) => sha256),
    };
  }

  /**
   * Changes what is known of hooks, with who did it. `expected`: the version that whoever changes it had looked at.
   * Returns false, and changes nothing, when it is another one by now.
   */
  changeHooks(changes: Partial<ProfileHooks>, audit: readonly object[], expected?: number): boolean {
    if (expected !== undefined && expected !== this.#version()) return false;
    this.#change(() => {
      this.#keepOfHooks(changes);
      for (const entry of audit) this.#hookLog.audit(entry);
    });
    return true;
  }

  /** Keeps the source of a hook module. Keeping it again changes nothing. */
  keepHookModule(module: HookModuleSource, source: string, audit: object): void {
    if (this.#modules.read(module.sha256) !== undefined) return;
    this.#change(() => {
      this.#modules.keep(module, source);
      this.#hookLog.audit(audit);
    });
  }

  hookModule(sha256: string): string | undefined {
    return this.#modules.read(sha256);
  }

  hookModules(): HookModuleSource[] {
    return this.#modules.list();
  }

  dropHookModule(sha256: string, audit: object): void {
    this.#change(() => {
      this.#modules.drop(sha256);
      this.#hookLog.audit(audit);
    });
  }

  /** Switches a hook or a module off for good, until a person says otherwise. False when it was off. */
  keepOff(list: "disabled" | "quarantined", one: string, audit: object): boolean {
    const off = this.hooks()[list];
    return !off.includes(one) && this.changeHooks({ [list]: [...off, one] }, [audit]);
  }

  /** Notes how a delivery to an observer went; true when the hook is switched off, because none came through for days. */
  noteDelivery(hookId: string, hasArrived: boolean, at: number, audit: object): boolean {
    const { [hookId]: since, ...others } = this.hooks().failing;
    if (hasArrived && since === undefined) return false;
    const isOver = !hasArrived && hasFailedTooLong(since, at);
    this.#keepOfHooks({ failing: hasArrived || isOver ? others : { ...others, [hookId]: since ?? at } });
    return isOver && this.keepOff("disabled", hookId, audit);
  }

  /** Keeps whether a hook's circuit is open. Nobody has to look anew for it: no new version. */
  keepCircuit(hookId: string, circuit: OpenCircuit | undefined): void {
    const { [hookId]: _known, ...others } = this.hooks().circuits;
    this.#keepOfHooks({ circuits: circuit === undefined ? others : { ...others, [hookId]: circuit } });
  }

  #keepOfHooks(changes: Partial<ProfileHooks>): void {
    const { seed: _seed, modules: _modules, ...before } = this.hooks();
    this.#setFact("hooks", { ...before, ...changes });
  }

  /** Notes what the configuration does by itself each time it is read: the first time. */
  auditHooksOnce(entries: readonly object[]): void {
    this.#hookLog.auditOnce(entries);
  }

  /** Notes what hooks did: the latest runs are kept. */
  recordHookRuns(runs: readonly object[]): void {
    this.ctx.storage.transactionSync(() => this.#hookLog.record(runs));
  }

  hookAudit(limit: number): object[] {
    return this.#hookLog.audits(limit);
  }

  hookRuns(limit: number): object[] {
    return this.#hookLog.runs(limit);
  }

  /** A vendor's key failed or came back: the other sessions hear of it. */
  keepCredentials(vendor: string, pool: JsonValue): void {
    const all = (this.#fact("credentials") ?? {}) as Record<string, JsonValue>;
    this.#change(() => this.#setFact("credentials", { ...all, [vendor]: pool }));
  }

  allowedAlways(): readonly string[] {
    return (this.#fact("allowed_always") ?? []) as string[];
  }

  /** Allows kinds of danger for good. */
  allowAlways(keys: readonly string[]): void {
    const all = new Set([...this.allowedAlways(), ...keys]);
    this.#change(() => this.#setFact("allowed_always", [...all]));
  }

  /** Takes a kind of danger off the list. Returns false when it was not on it. */
  disallow(key: string): boolean {
    const left = this.allowedAlways().filter((one) => one !== key);
    const isKnown = left.length < this.allowedAlways().length;
    if (isKnown) this.#change(() => this.#setFact("allowed_always", left));
    return isKnown;
  }

  /** A turn of a session waits for leave to run a call, or no longer does. Whoever reads it asks the session itself. */
  noteWaiting(key: string, isWaiting: boolean): void {
    const others = this.waitingSessions().filter((one) => one !== key);
    this.#setFact("waiting", isWaiting ? [...others, key].slice(-MAX_WAITING) : others);
  }

  waitingSessions(): string[] {
    return (this.#fact("waiting") ?? []) as string[];
  }

  version(): number {
    return this.#version();
  }

  /** 32 random bytes as base64, made once. */
  #hookSeed(): string {
    const known = this.#fact("hook_seed");
    if (typeof known === "string") return known;
    const seed = toBase64(crypto.getRandomValues(new Uint8Array(32)));
    this.#setFact("hook_seed", seed);
    return seed;
  }

  /** Sets or, with `null`, unsets settings of run time; keys are config paths. */
  setRuntime(changes: Readonly<Record<string, unknown>>): void {
    const runtime = { ...this.#runtime(), ...changes };
    for (const [key, value] of Object.entries(changes)) if (value === null) delete runtime[key];
    this.#change(() => this.#setFact("runtime", runtime));
  }

  /** Who waits for approval. Their codes are not told: whoever approves has to hear it from them. */
  async pendingPairings(platforms: readonly string[]) {
    const lists = await Promise.all(
      platforms.map(async (platform) => {
        const pending = await openPairing(this.env.PAIRINGS, platform).list();
        return pending.map(({ code: _code, ...person }) => ({ platform, ...person }));
      }),
    );
    return lists.flat();
  }

  /**
   * Approves the person behind a pairing code: of one platform, or of whichever of several has given it out. Resolves
   * undefined when the code is wrong, old or locked out.
   */
  async approvePairing(where: { readonly platforms: readonly string[]; readonly owner?: boolean }, code: string) {
    const [only] = where.platforms;
    const platform = where.platforms.length === 1 ? only : await this.#giverOf(code, where.platforms);
    if (platform === undefined) return undefined;
    const approved = await openPairing(this.env.PAIRINGS, platform).approve(code);
    if (approved === undefined) return undefined;
    this.approve(`${platform}:${approved.id}`, approved.name, where.owner === true);
    return { platform, userId: approved.id };
  }

  /** The platform that gave a code out; a wrong code counts against none of them. */
  async #giverOf(code: string, platforms: readonly string[]): Promise<string | undefined> {
    for (const platform of platforms) {
      const pending = await openPairing(this.env.PAIRINGS, platform).list();
      if (pending.some((one) => timingSafeEqual(one.code, code.trim().toUpperCase()))) return platform;
    }
    return undefined;
  }

  approve(person: string, name: string | undefined, owner: boolean): void {
    this.#change(() =>
      this.#sql.exec(
        "INSERT OR REPLACE INTO people (id, name, owner, at) VALUES (?, ?, ?, ?)",
        person,
        name ?? null,
        owner ? 1 : 0,
        Date.now(),
      ),
    );
  }

  /** Takes a person's access away, at once for every session of the last hour. Returns false for nobody. */
  revoke(person: string): boolean {
    const known = this.#sql.exec("SELECT 1 FROM people WHERE id = ?", person).toArray().length > 0;
    if (known) this.#change(() => this.#sql.exec("DELETE FROM people WHERE id = ?", person));
    return known;
  }

  people(): {
    readonly id: string;
    readonly name: string | null;
    readonly owner: boolean;
    readonly approvedAt: number;
  }[] {
    return this.#sql
      .exec<{ id: string; name: string | null; owner: number; at: number }>("SELECT * FROM people ORDER BY at")
      .toArray()
      .map(({ id, name, owner, at }) => ({ id, name, owner: owner === 1, approvedAt: at }));
  }

  readMemory(target: MemoryTarget): readonly string[] {
    return (this.#fact(`memory:${target}`) ?? []) as string[];
  }

  /** Replaces a memory document if it is still what the writer read. @throws GatewayError `conflict` */
  writeMemory(target: MemoryTarget, entries: readonly string[], expected: readonly string[]): void {
    if (JSON.stringify(this.readMemory(target)) !== JSON.stringify(expected)) {
      throw new GatewayError("conflict", "The memory was changed meanwhile.");
    }
    this.#setFact(`memory:${target}`, entries);
  }

  recordSession(digest: SessionDigest): void {
    this.#sessions.record(digest);
  }

  sessions(page: SessionPage): ReturnType<SessionRows["list"]> {
    return this.#sessions.list(page);
  }

  sessionsWithDeliveries(limit: number): string[] {
    return this.#sessions.owing(limit);
  }

  usage(): ReturnType<SessionRows["usage"]> {
    return this.#sessions.usage();
  }

  usageByDay(): ReturnType<SessionRows["usageByDay"]> {
    return this.#sessions.usageByDay();
  }

  /** US dollars of a day (`YYYY-MM-DD`, UTC), as far as sessions have told. */
  spentOn(day: string): number {
    return this.usage().reduce((sum, one) => (one.day === day ? sum + (one.costUsd ?? 0) : sum), 0);
  }

  /** Raises the version with a change, and tells the sessions of the last hour. */
  #change(work: () => unknown): void {
    const version = this.#version() + 1;
    this.ctx.storage.transactionSync(() => {
      work();
      this.#setFact("version", version);
    });
    const active = this.#sessions.activeSince(Date.now() - ACTIVE_MS);
    const told = active.map((key) => this.env.SESSIONS.getByName(key).profileChanged(version));
    this.ctx.waitUntil(Promise.allSettled(told));
  }

  // only this object writes the table, under one type a key

  #version(): number {
    return (this.#fact("version") ?? 0) as number;
  }

  #runtime(): Record<string, unknown> {
    return (this.#fact("runtime") ?? {}) as Record<string, unknown>;
  }

  #fact(key: string): unknown {
    const row = this.#sql.exec<{ value: string }>("SELECT value FROM facts WHERE key = ?", key).toArray()[0];
    return row === undefined ? undefined : JSON.parse(row.value);
  }

  #setFact(key: string, value: unknown): void {
    this.#sql.exec("INSERT OR REPLACE INTO facts (key, value) VALUES (?, ?)", key, JSON.stringify(value));
  }
}
