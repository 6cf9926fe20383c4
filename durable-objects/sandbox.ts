import { DurableObject } from "cloudflare:workers";
import { GatewayError } from "#src/domain/errors";
import type { ProcessLog, ProcessRecord } from "#src/domain/process";
import type { ExecResult, FileStat } from "#src/domain/tool";
import type { WorkspaceQuota } from "#src/workspace/base-files";
import { MAX_TIMEOUT_MS } from "#src/workspace/exec-limits";
import { loadJustBash } from "#src/late/load-just-bash";
import type { Answer, ExecRequest, SandboxStub, StartRequest } from "#src/workspace/open-workspace";
import { type OverlayTree, createOverlayTree } from "#src/workspace/overlay-tree";
import { type EndReason, runCommand } from "#src/workspace/run-command";
import type { HookCommand, HookCommandResult } from "#src/domain/hook-command";
import { runHookCommand } from "#src/workspace/sidecar/hook-command";
import {
  type ProcessRequest,
  findProcess,
  killProcess,
  readProcessLog,
  startProcess,
  toRecord,
  waitForProcess,
  writeToProcess,
} from "#src/workspace/sidecar/remote-processes";
import { type RemoteShellPorts, runRemotely } from "#src/workspace/sidecar/remote-shell";
import type { ProcessRow, RemoteStore } from "#src/workspace/sidecar/remote-store";
import { toWorkspacePath } from "#src/workspace/sidecar/shell-script";
import { parentOf, parsePath } from "#src/workspace/workspace-path";
import { answering, refusal } from "./sandbox-answer";
import { openBackend } from "./sandbox-backend";
import { notifySession } from "./sandbox-notify";
import { throttled } from "./sandbox-progress";
import { type SandboxRemote, openSandboxRemote } from "./sandbox-remote";
import { openRemoteTables } from "./sandbox-remote-store";
import { type Recorded, type SandboxStore, createSandboxStore } from "./sandbox-store";
import { type SandboxWatch, openSandboxWatch } from "./sandbox-watch";

/** Bytes of one file: what crosses RPC in one piece is at most 32 MiB. */
const MAX_FILE_BYTES = 30 * 1024 * 1024;

const QUOTA: WorkspaceQuota = { maxNodes: 20_000, maxBytes: 200 * 1024 * 1024, maxFileBytes: MAX_FILE_BYTES };

const MAX_KEY_CHARS = 512;
const MAX_COMMAND_CHARS = 1024 * 1024;

/** A mutation that is queued or running. */
interface Pending {
  readonly operation: Recorded["operation"];
  readonly controller: AbortController;
  readonly answer: Promise<Answer<Recorded["value"]>>;
}

/** How a command is ended before its time. */
interface Ending {
  readonly signal: AbortSignal;
  readonly abort: (reason: EndReason) => void;
}

/** What a command that needs a real shell is told where there is none. */
const NEEDS_SHELL =
  "This needs a real shell, and this workspace has the built-in simulated one: only foreground commands run here. " +
  "The operator can set SIDECAR_URL and SIDECAR_TOKEN (on the own machine: SIDECAR=local npm start).";

/** Milliseconds of one wait for a process. */
const MAX_WAIT_MS = 60_000;

/**
 * One workspace: its files, and the shell that works on them. Files change one after another; each mutation is recorded
 * under its key in the transaction that changes the files, so that a second arrival gets the first one's result and
 * changes nothing, and one that is cut off has not happened. Reads see what is committed and wait for nobody, unless
 * something runs in a real shell that may be changing the files.
 *
 * Commands run in the simulated shell, as such a mutation, or in a real one that a sidecar has: there a row says that
 * one is about to run before it does, and one that may have run is asked about and never run again. The files here are
 * the lasting ones either way.
 */
export class Sandbox extends DurableObject<Env> implements SandboxStub {
  readonly #store: SandboxStore;
  readonly #remoteStore: RemoteStore;
  readonly #remote: SandboxRemote;
  readonly #watch: SandboxWatch;
  readonly #pending = new Map<string, Pending>();
  readonly #hooks = new Map<string, AbortController>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    const tables = openRemoteTables(ctx.storage);
    this.#store = createSandboxStore(ctx.storage, Date.now, tables.alsoCommit);
    this.#remoteStore = tables.over(this.#store);
    // objects that were made before names were kept have none
    const name = ctx.id.name ?? ctx.id.toString();
    this.#remote = openSandboxRemote({
      store: this.#remoteStore,
      choose: openBackend(ctx, env, name),
      session: () => sessionOf(ctx.storage.kv, name),
      quota: QUOTA,
      inTurn: (work) => this.#inTurn(work),
      cwd: () => this.#store.shell().cwd,
      now: Date.now,
    });
    this.#watch = openSandboxWatch({
      storage: ctx.storage,
      store: this.#remoteStore,
      remote: this.#remote,
      notify: notifySession(env),
      now: Date.now,
    });
  }

  override alarm(): Promise<void> {
    return this.#watch.look();
  }

  readFile(path: string): Promise<Answer<Uint8Array | undefined>> {
    return this.#looking(() => {
      const tree = this.#tree();
      const target = this.#resolve(tree, path);
      const node = tree.find(target);
      if (node?.kind === "directory") throw new GatewayError("bad_request", `${path} is a folder.`);
      return node && tree.read(target);
    });
  }

  stat(path: string): Promise<Answer<FileStat | undefined>> {
    return this.#looking(() => {
      const tree = this.#tree();
      return statAt(tree, this.#resolve(tree, path));
    });
  }

  list(path: string, limit: number): Promise<Answer<readonly FileStat[]>> {
    return this.#looking(() => {
      const tree = this.#tree();
      const paths = tree.paths(this.#resolve(tree, path)).sort().slice(0, Math.max(0, limit));
      return paths.flatMap((each) => statAt(tree, each) ?? []);
    });
  }

  writeFile(path: string, bytes: Uint8Array, key: string): Promise<Answer<null>> {
    return this.#changing(key, "write", () => {
      const tree = this.#tree();
      const target = this.#resolve(tree, path);
      tree.makeFolders(parentOf(target));
      tree.write(target, bytes);
      this.#store.commit({ key, recorded: { operation: "write", value: null }, changes: tree.changes() });
      return null;
    });
  }

  removeFile(path: string, key: string): Promise<Answer<boolean>> {
    return this.#changing(key, "remove", () => {
      const tree = this.#tree();
      const named = this.#parse(path);
      const target = tree.resolve(named, "unlink", false);
      const kind = tree.find(target)?.kind;
      if (kind === "directory") throw new GatewayError("bad_request", `${path} is a folder.`);
      if (kind !== undefined) tree.remove(target);
      const value = kind !== undefined;
      this.#store.commit({ key, recorded: { operation: "remove", value }, changes: tree.changes() });
      return value;
    });
  }

  exec(command: string, request: ExecRequest, onOutput?: (text: string) => unknown): Promise<Answer<ExecResult>> {
    const { key, timeoutMs, isTerminal = false } = request;
    return this.#once(key, "exec", async (ending) => {
      if (command.length > MAX_COMMAND_CHARS)
        throw new GatewayError("too_large", `The command is longer than ${MAX_COMMAND_CHARS} characters.`);
      // one turn, so that commands and files come in the order in which they were asked for
      const done = await this.#inTurn(async () => {
        const ports = await this.#remote.ports();
        if (ports === undefined && isTerminal) throw new GatewayError("not_configured", NEEDS_SHELL);
        return ports ?? { result: await this.#simulate(command, request, ending) };
      });
      if ("result" in done) return done.result;
      const { workdir } = request;
      const { result, cwd } = await runRemotely(done, {
        key,
        command,
        timeoutMs,
        isTerminal,
        signal: ending.signal,
        ...(workdir === undefined ? {} : { workdir }),
        ...(onOutput === undefined ? {} : { onText: throttled(onOutput, Date.now) }),
      });
      const notes = [...(result.notes ?? []), ...this.#remote.takeNotes()];
      const value: ExecResult = notes.length === 0 ? result : { ...result, notes: [...new Set(notes)] };
      const state = { ...this.#store.shell(), cwd };
      this.#store.commit({ key, recorded: { operation: "exec", value }, changes: [], state });
      this.#later(this.#watch.deliver().then(() => this.#watch.arm()));
      return value;
    });
  }

  async cancel(key: string): Promise<void> {
    this.#pending.get(key)?.controller.abort("cancelled" satisfies EndReason);
    this.#hooks.get(key)?.abort("cancelled" satisfies EndReason);
  }

  startProcess(request: StartRequest): Promise<Answer<ProcessRecord>> {
    const { key } = request;
    return this.#once(key, "start", async () => {
      const value = await startProcess(await this.#realShell(), request satisfies ProcessRequest);
      this.#store.commit({ key, recorded: { operation: "start", value }, changes: [] });
      await this.#watch.arm();
      return value;
    });
  }

  listProcesses(sessionKey: string): Promise<Answer<readonly ProcessRecord[]>> {
    return answering(async () => {
      const ports = await this.#realShell();
      const own = this.#remoteStore.processes().filter((row) => row.sessionKey === sessionKey);
      const found = new Map((await ports.client.processes.list()).map((each) => [each.id, each]));
      return own.map((row) => toRecord(row, found.get(row.id)));
    });
  }

  findProcess(sessionKey: string, id: string): Promise<Answer<ProcessRecord>> {
    return answering(async () => findProcess(await this.#realShell(), this.#processOf(sessionKey, id)));
  }

  processLog(sessionKey: string, id: string, offset: number, limit: number): Promise<Answer<ProcessLog>> {
    return answering(async () =>
      readProcessLog(await this.#realShell(), this.#processOf(sessionKey, id), offset, limit),
    );
  }

  waitForProcess(sessionKey: string, id: string, timeoutMs: number): Promise<Answer<ProcessRecord>> {
    const ms = Math.min(Math.max(0, timeoutMs), MAX_WAIT_MS);
    return answering(async () => waitForProcess(await this.#realShell(), this.#processOf(sessionKey, id), ms));
  }

  killProcess(sessionKey: string, id: string): Promise<Answer<ProcessRecord>> {
    return answering(async () => killProcess(await this.#realShell(), this.#processOf(sessionKey, id)));
  }

  writeToProcess(
    sessionKey: string,
    id: string,
    input: { readonly text: string; readonly closes: boolean; readonly key: string },
  ): Promise<Answer<null>> {
    const { key } = input;
    return this.#once(key, "input", async () => {
      await writeToProcess(await this.#realShell(), this.#processOf(sessionKey, id), input);
      this.#store.commit({ key, recorded: { operation: "input", value: null }, changes: [] });
      return null;
    });
  }

  runHook(command: HookCommand, key: string): Promise<Answer<HookCommandResult | "unavailable">> {
    const controller = new AbortController();
    this.#hooks.set(key, controller);
    const answer = answering<HookCommandResult | "unavailable">(async () => {
      const ports = await this.#remote.ports();
      return ports === undefined ? "unavailable" : runHookCommand(ports, command, controller.signal);
    });
    return answer.finally(() => this.#hooks.delete(key));
  }

  async #simulate(
    command: string,
    { key, workdir, timeoutMs }: ExecRequest,
    { signal, abort }: Ending,
  ): Promise<ExecResult> {
    const store = this.#store;
    const shell = await loadJustBash();
    const timer = setTimeout(() => abort("timeout"), Math.min(Math.max(timeoutMs, 1), MAX_TIMEOUT_MS));
    const state = store.shell();
    try {
      const run = await runCommand({
        shell,
        base: store,
        quota: QUOTA,
        state,
        command,
        signal,
        now: Date.now,
        ...(workdir === undefined ? {} : { workdir: this.#parse(workdir) }),
      });
      store.commit({ key, recorded: { operation: "exec", value: run.result }, changes: run.changes, state: run.state });
      return run.result;
    } finally {
      clearTimeout(timer);
    }
  }

  /** @throws GatewayError `not_configured` */
  async #realShell(): Promise<RemoteShellPorts> {
    const ports = await this.#remote.ports();
    if (ports === undefined) throw new GatewayError("not_configured", NEEDS_SHELL);
    return ports;
  }

  /** @throws GatewayError `not_found`, also for the process of another session */
  #processOf(sessionKey: string, id: string): ProcessRow {
    const row = this.#remoteStore.process(id);
    if (row?.sessionKey === sessionKey) return row;
    throw new GatewayError("not_found", `There is no background process ${id}.`);
  }

  #tree(): OverlayTree {
    return createOverlayTree({ base: this.#store, quota: QUOTA, now: Date.now });
  }

  #resolve(tree: OverlayTree, path: string): string {
    return tree.resolve(this.#parse(path), "open", true);
  }

  /** A path as the workspace has it; the sidecar's own names for its files are known too. */
  #parse(path: string): string {
    const parsed = parsePath(this.#store.shell().cwd, path);
    const root = this.#remoteStore.state()?.root;
    return root === undefined ? parsed : toWorkspacePath(parsed, root);
  }

  /** Reads, after what a real shell may be changing was fetched. */
  async #looking<T>(look: () => T): Promise<Answer<T>> {
    await this.#remote.freshen();
    return answering(look);
  }

  /** Changes files in turn, and sends the change to what runs in a real shell. */
  #changing<Value extends Recorded["value"]>(
    key: string,
    operation: Recorded["operation"],
    change: () => Value,
  ): Promise<Answer<Value>> {
    return this.#once(key, operation, () =>
      this.#inTurn(async () => {
        const value = change();
        if (this.#remoteStore.state()?.isQuiet === false) await this.#remote.share();
        return value;
      }),
    );
  }

  #later(work: Promise<unknown>): void {
    this.ctx.waitUntil(
      work.catch((error: unknown) => console.error("a workspace could not look after its processes", error)),
    );
  }

  /** Runs a mutation unless its key was seen: then it resolves with that one's result, or waits for it. */
  #once<Value extends Recorded["value"]>(
    key: string,
    operation: Recorded["operation"],
    run: (ending: Ending) => Promise<Value>,
  ): Promise<Answer<Value>> {
    if (key === "" || key.length > MAX_KEY_CHARS) return refusal(`The key must have 1 to ${MAX_KEY_CHARS} characters.`);
    const before = this.#pending.get(key) ?? this.#store.recorded(key);
    if (before !== undefined && before.operation !== operation)
      return refusal(`The key was used for "${before.operation}".`);
    // one operation has one type of result
    if (before !== undefined)
      return ("answer" in before ? before.answer : answering(() => before.value)) as Promise<Answer<Value>>;
    const controller = new AbortController();
    const abort = (reason: EndReason): void => controller.abort(reason);
    const answer = answering(() => run({ signal: controller.signal, abort }));
    this.#pending.set(key, { operation, controller, answer });
    return answer.finally(() => this.#pending.delete(key));
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}

/** One sidecar may serve several deployments, whose profiles have the same names. */
function sessionOf(kv: SyncKvStorage, profile: string): string {
  const kept = kv.get<string>("sidecar:session");
  if (kept !== undefined) return kept;
  const made = `workspace:${encodeURIComponent(profile).slice(0, 200)}:${crypto.randomUUID()}`;
  kv.put("sidecar:session", made);
  return made;
}

function statAt(tree: OverlayTree, path: string): FileStat | undefined {
  const node = tree.find(followed(tree, path));
  return node && { path, isDirectory: node.kind === "directory", size: node.size, modifiedAt: node.modifiedAt };
}

/** Where a link leads, or the path itself when it leads nowhere. */
function followed(tree: OverlayTree, path: string): string {
  try {
    return tree.resolve(path, "stat", true);
  } catch {
    return path; // a loop of links is an entry of its folder all the same
  }
}
