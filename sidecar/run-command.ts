import { StringDecoder } from "node:string_decoder";
import type { Command } from "./confine.ts";
import type { CommandJob, Jobs } from "./jobs.ts";
import { capOutput } from "./output.ts";
import type { ExecEnvelope } from "./protocol.ts";
import type { Session } from "./sessions.ts";

/** How a command is run. */
export interface RunOptions {
  readonly command: Command;
  readonly stdin: Buffer | undefined;
  readonly timeoutMs: number;
  /** Most of each of stdout and stderr that is kept. */
  readonly maxOutputBytes: number;
  readonly encoding: "utf8" | "base64";
  /** Ends the command when it aborts. */
  readonly signal?: AbortSignal;
  /** Is told what the command writes as it does; while its promise is open, the command waits. */
  readonly onText?: (name: "stdout" | "stderr", text: string) => Promise<void> | void;
}

const TERM_GRACE_MS = 200;

/** The exit code of a command whose time ran out, as `timeout` has it. */
export const EXIT_TIMED_OUT = 124;

/** Runs a command to its end. @throws {@link Problem} too_many, unavailable, stopping */
export async function runCommand(jobs: Jobs, session: Session, options: RunOptions): Promise<ExecEnvelope> {
  const startedAt = performance.now();
  const elapsed = () => Math.round(performance.now() - startedAt);
  const job = await jobs.start(session, options.command, options.stdin && { stdin: options.stdin }).catch(notStarted);
  if (typeof job === "string") return failedStart(options.command, job, elapsed());
  const stdout = capOutput(options.maxOutputBytes);
  const stderr = capOutput(options.maxOutputBytes);
  follow(job, "stdout", (chunk) => stdout.add(chunk), options.onText);
  follow(job, "stderr", (chunk) => stderr.add(chunk), options.onText);

  const time = { isOver: false };
  let forced: NodeJS.Timeout | undefined;
  const timer = setTimeout(() => {
    time.isOver = true;
    job.signal("SIGTERM");
    forced = setTimeout(() => void job.kill(), TERM_GRACE_MS);
  }, options.timeoutMs);
  const stop = () => void job.kill();
  if (options.signal?.aborted === true) stop();
  options.signal?.addEventListener("abort", stop, { once: true });
  const end = await job.ended;
  clearTimeout(timer);
  clearTimeout(forced);
  options.signal?.removeEventListener("abort", stop);

  const out = stdout.finish(options.encoding);
  const err = stderr.finish(options.encoding);
  const envelope: ExecEnvelope = {
    exit_code: time.isOver ? EXIT_TIMED_OUT : end.exitCode,
    stdout: out.text,
    stderr: err.text,
    stdout_dropped_bytes: out.droppedBytes,
    stderr_dropped_bytes: err.droppedBytes,
    duration_ms: elapsed(),
    ...(time.isOver && { timed_out: true }),
    ...(end.signal !== undefined && { signal: end.signal }),
    ...(end.leftBehind && { left_behind: true }),
    ...(end.limit !== undefined && { error: end.limit }),
  };
  return options.encoding === "utf8" ? nameMissingProgram(envelope, options.command) : envelope;
}

function follow(
  job: CommandJob,
  name: "stdout" | "stderr",
  add: (chunk: Buffer) => void,
  onText: RunOptions["onText"],
): void {
  const stream = job[name];
  const decoder = new StringDecoder("utf8");
  stream.on("data", (chunk: Buffer) => {
    add(chunk);
    const wait = onText?.(name, decoder.write(chunk));
    if (!(wait instanceof Promise)) return;
    stream.pause();
    void wait.finally(() => stream.resume());
  });
}

/** A program that cannot be started is a result; everything else is a failure of ours. */
function notStarted(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === "ENOENT" || code === "EACCES" || code === "E2BIG" || code === "ENOEXEC") return code;
  throw error;
}

function failedStart({ argv }: Command, code: string, durationMs: number): ExecEnvelope {
  const isMissing = code === "ENOENT";
  return {
    exit_code: isMissing ? 127 : 126,
    stdout: "",
    stderr: `${argv[0] ?? ""}: ${isMissing ? "command not found" : `cannot be started (${code})`}\n`,
    stdout_dropped_bytes: 0,
    stderr_dropped_bytes: 0,
    duration_ms: durationMs,
    error: isMissing ? "command_not_found" : "not_executable",
  };
}

/** The programs in front of a command speak for themselves when it cannot be started; the caller asked for the command. */
function nameMissingProgram(envelope: ExecEnvelope, { argv }: Command): ExecEnvelope {
  if (envelope.exit_code !== 126 && envelope.exit_code !== 127) return envelope;
  if (!/^(?:[\w/]*\/)?(?:prlimit|setpriv|env|nsenter|unshare|setsid): /.test(envelope.stderr)) return envelope;
  const isMissing = envelope.exit_code === 127;
  const why = isMissing ? "command not found" : "cannot be started";
  return {
    ...envelope,
    stderr: `${argv[0] ?? ""}: ${why}\n`,
    error: isMissing ? "command_not_found" : "not_executable",
  };
}
