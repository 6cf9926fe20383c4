import { DurableObject } from "cloudflare:workers";
import { type ErrorCode, GatewayError } from "#src/domain/errors";
import type { ExecResult, FileStat } from "#src/domain/tool";
import type { WorkspaceQuota } from "#src/workspace/base-files";
import { MAX_TIMEOUT_MS } from "#src/workspace/exec-limits";
import { FsError, type FsErrorCode } from "#src/workspace/fs-error";
import { loadJustBash } from "#src/workspace/load-just-bash";
import type { Answer, ExecRequest, SandboxStub } from "#src/workspace/open-workspace";
import { type OverlayTree, createOverlayTree } from "#src/workspace/overlay-tree";
import { type EndReason, runCommand } from "#src/workspace/run-command";
import { parentOf, parsePath } from "#src/workspace/workspace-path";
import { type Recorded, type SandboxStore, createSandboxStore } from "./sandbox-store";

/** Bytes of one file: what crosses RPC in one piece is at most 32 MiB. */
const MAX_FILE_BYTES = 30 * 1024 * 1024;

const QUOTA: WorkspaceQuota = { maxNodes: 20_000, maxBytes: 200 * 1024 * 1024, maxFileBytes: MAX_FILE_BYTES };

const MAX_KEY_CHARS = 512;
const MAX_COMMAND_CHARS = 1024 * 1024;

const CODES: Partial<Record<FsErrorCode, ErrorCode>> = {
  ENOENT: "not_found",
  ENOSPC: "too_large",
  EFBIG: "too_large",
  EROFS: "forbidden",
};

/** A mutation that is queued or running. */
interface Pending {
  readonly operation: Recorded["operation"];
  readonly controller: AbortController;
  readonly answer: Promise<Answer<Recorded["value"]>>;
}

/**
 * One workspace: its files, and the shell that works on them. Mutations run one after another; each is recorded under
 * its key in the transaction that changes the files, so that a second arrival gets the first one's result and changes
 * nothing, and one that is cut off has not happened. Reads see what is committed and wait for nobody.
 */
export class Sandbox extends DurableObject<Env> implements SandboxStub {
  readonly #store: SandboxStore;
  readonly #pending = new Map<string, Pending>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#store = createSandboxStore(ctx.storage, Date.now);
  }

  readFile(path: string): Promise<Answer<Uint8Array | undefined>> {
    return answering(() => {
      const tree = this.#tree();
      const target = this.#resolve(tree, path);
      const node = tree.find(target);
      if (node?.kind === "directory") throw new GatewayError("bad_request", `${path} is a folder.`);
      return node && tree.read(target);
    });
  }

  stat(path: string): Promise<Answer<FileStat | undefined>> {
    return answering(() => {
      const tree = this.#tree();
      return statAt(tree, this.#resolve(tree, path));
    });
  }

  list(path: string, limit: number): Promise<Answer<readonly FileStat[]>> {
    return answering(() => {
      const tree = this.#tree();
      const paths = tree.paths(this.#resolve(tree, path)).sort().slice(0, Math.max(0, limit));
      return paths.flatMap((each) => statAt(tree, each) ?? []);
    });
  }

  writeFile(path: string, bytes: Uint8Array, key: string): Promise<Answer<null>> {
    return this.#once(key, "write", () => {
      const tree = this.#tree();
      const target = this.#resolve(tree, path);
      tree.makeFolders(parentOf(target));
      tree.write(target, bytes);
      this.#store.commit({ key, recorded: { operation: "write", value: null }, changes: tree.changes() });
      return null;
    });
  }

  removeFile(path: string, key: string): Promise<Answer<boolean>> {
    return this.#once(key, "remove", () => {
      const tree = this.#tree();
      const named = parsePath(this.#store.shell().cwd, path);
      const target = tree.resolve(named, "unlink", false);
      const kind = tree.find(target)?.kind;
      if (kind === "directory") throw new GatewayError("bad_request", `${path} is a folder.`);
      if (kind !== undefined) tree.remove(target);
      const value = kind !== undefined;
      this.#store.commit({ key, recorded: { operation: "remove", value }, changes: tree.changes() });
      return value;
    });
  }

  exec(command: string, { key, workdir, timeoutMs }: ExecRequest): Promise<Answer<ExecResult>> {
    return this.#once(key, "exec", async ({ signal, abort }) => {
      if (command.length > MAX_COMMAND_CHARS)
        throw new GatewayError("too_large", `The command is longer than ${MAX_COMMAND_CHARS} characters.`);
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
          ...(workdir === undefined ? {} : { workdir: parsePath(state.cwd, workdir) }),
        });
        store.commit({
          key,
          recorded: { operation: "exec", value: run.result },
          changes: run.changes,
          state: run.state,
        });
        return run.result;
      } finally {
        clearTimeout(timer);
      }
    });
  }

  async cancel(key: string): Promise<void> {
    this.#pending.get(key)?.controller.abort("cancelled" satisfies EndReason);
  }

  #tree(): OverlayTree {
    return createOverlayTree({ base: this.#store, quota: QUOTA, now: Date.now });
  }

  #resolve(tree: OverlayTree, path: string): string {
    return tree.resolve(parsePath(this.#store.shell().cwd, path), "open", true);
  }

  /** Runs a mutation unless its key was seen: then it resolves with that one's result, or waits for it. */
  #once<Value extends Recorded["value"]>(
    key: string,
    operation: Recorded["operation"],
    run: (ending: {
      readonly signal: AbortSignal;
      readonly abort: (reason: EndReason) => void;
    }) => Value | Promise<Value>,
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
    const answer = this.#inTurn(() => answering(() => run({ signal: controller.signal, abort })));
    this.#pending.set(key, { operation, controller, answer });
    return answer.finally(() => this.#pending.delete(key));
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}

function refusal(message: string): Promise<{ readonly ok: false; readonly code: ErrorCode; readonly message: string }> {
  return Promise.resolve({ ok: false, code: "bad_request", message });
}

/** What the caller is at fault for becomes an answer; our own mistakes are thrown. */
async function answering<T>(work: () => T | Promise<T>): Promise<Answer<T>> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    if (error instanceof GatewayError) return { ok: false, code: error.code, message: error.message };
    if (error instanceof FsError)
      return { ok: false, code: CODES[error.code] ?? "bad_request", message: error.message };
    throw error;
  }
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
