import { execFile } from "node:child_process";
import { closeSync, constants, fchmodSync, fchownSync, mkdirSync, openSync, rmSync, writeFileSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { PROGRAM_PATH, type Host } from "./host.ts";

/** Our end of a pipe, and the end that a process gets. */
export interface Pipe {
  readonly stream: Socket;
  /** To be closed here once the process has it. */
  readonly fd: number;
}

/** Pipes for the standard streams of commands. */
export interface Pipes {
  /** A pipe that we read; `undefined` where there are no pipes but Node's. */
  forOutput(uid: number | undefined): Promise<Pipe | undefined>;
  forInput(uid: number | undefined): Promise<Pipe | undefined>;
  /** What a command reads when all of it is known: a file without a name. */
  forContent(content: Buffer, uid: number | undefined): number;
}

const BATCH = 64;
const run = promisify(execFile);

/**
 * Real pipes. What Node itself gives a child are sockets, which a program cannot open by name: `cat /dev/stdin` and
 * `echo x > /dev/stderr` fail on them. There is no call for a pipe in Node, so names are made ahead, in batches, each
 * opened at both ends and removed at once.
 *
 * Source: https://man7.org/linux/man-pages/man7/unix.7.html (open of a socket: ENXIO)
 */
export function createPipes(root: string, host: Host): Pipes {
  const { mkfifo } = host.programs;
  const folder = join(root, "state", "pipes");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const ready: string[] = [];
  let made = 0;
  let making: Promise<unknown> | undefined;

  async function takeName(): Promise<string> {
    for (;;) {
      const name = ready.pop();
      if (name !== undefined) return name;
      making ??= makeBatch().finally(() => (making = undefined));
      await making;
    }
  }

  async function makeBatch(): Promise<void> {
    const names = Array.from({ length: BATCH }, () => join(folder, String(made++)));
    await run(mkfifo ?? "", ["-m", "600", ...names], { env: { PATH: PROGRAM_PATH } });
    ready.push(...names);
  }

  // a pipe with a name can be opened again for reading only while somebody writes to it, a file always
  function forContent(content: Buffer, uid: number | undefined): number {
    const name = join(folder, `content-${made++}`);
    writeFileSync(name, content, { mode: 0o600 });
    const fd = openSync(name, constants.O_RDONLY);
    rmSync(name);
    if (uid !== undefined) fchownSync(fd, uid, uid);
    return fd;
  }

  if (process.platform !== "linux" || mkfifo === undefined)
    return { forOutput: async () => undefined, forInput: async () => undefined, forContent };
  return {
    forContent,
    async forOutput(uid) {
      const name = await takeName();
      const ours = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK);
      const fd = openSync(name, constants.O_WRONLY);
      return finish(name, { ours, fd, uid }, { readable: true, writable: false });
    },
    async forInput(uid) {
      const name = await takeName();
      // opening one end of a pipe waits for the other, unless both are opened at once
      const both = openSync(name, constants.O_RDWR);
      const fd = openSync(name, constants.O_RDONLY);
      const ours = openSync(name, constants.O_WRONLY | constants.O_NONBLOCK);
      closeSync(both);
      return finish(name, { ours, fd, uid }, { readable: false, writable: true });
    },
  };
}

function finish(
  name: string,
  { ours, fd, uid }: { readonly ours: number; readonly fd: number; readonly uid: number | undefined },
  direction: { readonly readable: boolean; readonly writable: boolean },
): Pipe {
  rmSync(name);
  fchmodSync(fd, 0o600);
  // the session's user opens its own end again when a command names /dev/stdout
  if (uid !== undefined) fchownSync(fd, uid, uid);
  const stream = new Socket({ fd: ours, ...direction });
  stream.on("error", () => {}); // the other end is gone: told by the process's end
  return { stream, fd };
}
