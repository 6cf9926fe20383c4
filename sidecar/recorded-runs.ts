import { createHash, randomBytes } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { Problem } from "./problem.ts";
import { type Session, saveFile } from "./sessions.ts";

/** What was asked for under an idempotency key, so that it happens once. */
export interface RecordedRuns {
  /**
   * Does the work, joins it while it is being done, or answers with what came of it the first time.
   *
   * @throws {@link Problem} idempotency_mismatch when the key was used for something else; outcome_unknown when the
   * sidecar was killed while the work was being done
   */
  once<T>(options: OnceOptions<T>): Promise<T>;
  /** Forgets the runs of a session that is deleted. */
  forget(session: Session): void;
}

interface OnceOptions<T> {
  readonly session: Session;
  readonly key: string;
  /** What is asked for, as JSON. */
  readonly request: unknown;
  readonly work: () => Promise<T>;
}

type Saved = { readonly boot: string; readonly request: string; readonly result?: unknown };

const KEPT_MS = 24 * 3600 * 1000;
const PRUNE_EVERY_MS = 3600 * 1000;

/** Opens the records of runs. A start is on disk before it happens. */
export function openRecordedRuns(root: string): RecordedRuns {
  const folder = join(root, "state", "runs");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const boot = randomBytes(8).toString("hex");
  const running = new Map<string, { readonly request: string; readonly result: Promise<unknown> }>();
  prune(folder);
  setInterval(() => prune(folder), PRUNE_EVERY_MS).unref();

  async function begin(path: string, request: string, work: () => Promise<unknown>): Promise<unknown> {
    writeDurably(path, JSON.stringify({ boot, request } satisfies Saved));
    const result = await work().catch((error: unknown) => {
      rmSync(path, { force: true }); // refused before it began, so it may be asked for again
      throw error;
    });
    saveFile(path, JSON.stringify({ boot, request, result } satisfies Saved));
    return result;
  }

  return {
    async once<T>({ session, key, request, work }: OnceOptions<T>): Promise<T> {
      const path = join(folder, `${session.id}-${hashOf(key)}.json`);
      const wanted = hashOf(canonical(request));
      const live = running.get(path);
      if (live !== undefined) {
        checkSame(live.request, wanted);
        return live.result as Promise<T>; // the same request, so the same kind of answer
      }
      const saved = readSaved(path);
      if (saved === undefined) {
        const result = Promise.resolve()
          .then(async () => begin(path, wanted, work))
          .finally(() => running.delete(path));
        running.set(path, { request: wanted, result });
        return result as Promise<T>; // what `work` gave
      }
      checkSame(saved.request, wanted);
      if (!("result" in saved))
        throw new Problem("outcome_unknown", "The sidecar ended while this ran; whether it was done is not known.");
      return saved.result as T; // kept as JSON by the same route
    },
    forget(session) {
      for (const name of readdirSync(folder))
        if (name.startsWith(`${session.id}-`)) rmSync(join(folder, name), { force: true });
    },
  };
}

function checkSame(first: string, now: string): void {
  if (first === now) return;
  throw new Problem("idempotency_mismatch", "This key was used for another request.", { field: "idempotency-key" });
}

function writeDurably(path: string, text: string): void {
  const fd = openSync(path, "w", 0o600);
  writeSync(fd, text);
  fsyncSync(fd);
  closeSync(fd);
}

function readSaved(path: string): Saved | undefined {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return undefined; // a new key
  }
  try {
    return JSON.parse(text) as Saved; // written above
  } catch {
    return undefined; // cut off while the start was written, which is before anything happened
  }
}

function prune(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (Date.now() - statSync(path).mtimeMs > KEPT_MS) rmSync(path, { force: true });
  }
}

/** The same JSON whatever the order of its names. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return `{${entries
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, inner]) => `${JSON.stringify(name)}:${canonical(inner)}`)
    .join(",")}}`;
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 40);
}
