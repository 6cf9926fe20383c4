import { wait } from "#src/lib/abortable";
import { type Reply, parseReply } from "./read-reply";
import type { SidecarDoor } from "./sidecar-door";
import { brokenProtocol, isFault, lost } from "./sidecar-error";

/** A command for the sidecar. Field names are the wire's. */
export interface SidecarCommand {
  readonly argv?: readonly string[];
  readonly shell?: string;
  readonly shell_name?: "sh" | "bash";
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly network?: "default" | "host" | "none";
  readonly timeout_ms?: number;
  readonly max_output?: number;
  readonly script?: { readonly path: string; readonly sha256: string };
}

/** What came of a command. */
export interface SidecarResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly durationMs: number;
  readonly isTimedOut: boolean;
  /** Why it did not run or was ended: `command_not_found`, `memory_limit`... */
  readonly error?: string;
  readonly scriptSha256?: string;
  /** Processes that outlived it were ended. */
  readonly leftBehind: boolean;
}

export interface ExecOptions {
  /** Lets the command be asked for again, and done once. Visible ASCII, at most 200 characters. */
  readonly key?: string;
  readonly signal?: AbortSignal;
  readonly onText?: (text: string) => void;
}

/** The sidecar says every 10 seconds that it is alive. */
const SILENCE_MS = 40_000;
/** Milliseconds that an answer may take beyond the time of its command. */
const GRACE_MS = 60_000;
/** Milliseconds before each new try of a command whose answer was cut off: a sidecar that died may come back. */
const RETRY_DELAYS_MS = [300, 1000, 3000];

/**
 * Runs a command. With a key, an answer that is cut off is asked for again: the sidecar joins the running command, or
 * tells what came of it.
 *
 * @throws SidecarError `lost` when it may or may not have run, `outcome_unknown` when the sidecar itself cannot tell
 */
export async function execute(
  door: SidecarDoor,
  command: SidecarCommand,
  { key, signal, onText }: ExecOptions,
): Promise<SidecarResult> {
  const delays = key === undefined ? [] : RETRY_DELAYS_MS;
  const once = (): Promise<SidecarResult> =>
    executeOnce(door, command, {
      ...(key === undefined ? {} : { key }),
      ...(signal && { signal }),
      ...(onText && { onText }),
    });
  for (const delayMs of delays) {
    try {
      return await once();
    } catch (error) {
      if (!isFault(error, "lost", "unreachable", "stopping")) throw error;
      await wait(delayMs, signal ?? new AbortController().signal);
    }
  }
  try {
    return await once();
  } catch (error) {
    // an earlier try may have come through
    throw isFault(error, "unreachable", "stopping") ? lost(door.host, error) : error;
  }
}

async function executeOnce(
  door: SidecarDoor,
  command: SidecarCommand,
  { key, signal, onText }: ExecOptions,
): Promise<SidecarResult> {
  const response = await door.send({
    method: "POST",
    path: "/v1/exec",
    json: command,
    headers: { accept: "application/x-ndjson", ...(key === undefined ? {} : { "idempotency-key": key }) },
    timeoutMs: (command.timeout_ms ?? 0) + GRACE_MS,
    ...(signal && { signal }),
  });
  for await (const line of linesOf(door, response, signal)) {
    const reply = parseReply(line);
    const type = reply.word("type", ["stdout", "stderr", "alive", "result"]);
    if (type === "result") return readResult(reply.object("result"));
    if (type !== "alive") onText?.(reply.text("text"));
  }
  throw lost(door.host);
}

async function* linesOf(door: SidecarDoor, { body }: Response, signal?: AbortSignal): AsyncGenerator<string> {
  if (body === null) throw brokenProtocol("it is empty");
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest: string[] = [];
  try {
    for (;;) {
      const { done, value } = await door.within(reader.read(), SILENCE_MS, signal);
      if (done) break;
      const [first = "", ...more] = value.split("\n");
      rest.push(first);
      for (const begun of more) {
        yield rest.join("");
        rest = [begun];
      }
    }
  } finally {
    // not waited for: the other side may be gone
    reader.cancel().catch(() => undefined);
  }
  const last = rest.join("");
  if (last.trim() !== "") yield last;
}

function readResult(reply: Reply): SidecarResult {
  const error = reply.optionalText("error");
  const scriptSha256 = reply.optionalText("script_sha256");
  return {
    exitCode: reply.whole("exit_code"),
    stdout: reply.text("stdout"),
    stderr: reply.text("stderr"),
    durationMs: reply.optionalWhole("duration_ms") ?? 0,
    isTimedOut: reply.flag("timed_out"),
    leftBehind: reply.flag("left_behind"),
    ...(error === undefined ? {} : { error }),
    ...(scriptSha256 === undefined ? {} : { scriptSha256 }),
  };
}
