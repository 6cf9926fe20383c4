import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/** A receiver that runs as a person starts it. */
export interface Program {
  readonly url: string;
  /** The next line that it prints. */
  line(): Promise<string>;
  stop(): Promise<void>;
}

/** Starts a receiver on a port that is free and resolves when it says where it listens. */
export async function startProgram(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Program> {
  const child = spawn(command, args, {
    stdio: ["ignore", "pipe", "inherit"],
    env: { PATH: process.env["PATH"] ?? "", PORT: "0", ...env },
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const line = async (): Promise<string> => String((await lines.next()).value);
  const said = await line();
  const url = /http:\S+/.exec(said)?.[0];
  if (url === undefined) throw new Error(`it did not say where it listens: ${said}`);
  return { url, line, stop: () => stop(child) };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  child.kill("SIGTERM");
  await once(child, "exit");
}
