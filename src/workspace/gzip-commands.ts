import type { Command, ResolvedCommandContext } from "just-bash/browser";

/** Bytes that a compressed file may become: the shell holds them in memory. */
const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;

type Direction = "compress" | "decompress";
type Result = Awaited<ReturnType<Command["execute"]>>;

interface GzipOptions {
  readonly direction: Direction;
  readonly toStdout: boolean;
  readonly isForced: boolean;
  readonly keepsInput: boolean;
  readonly files: readonly string[];
}

/**
 * `gzip`, `gunzip` and `zcat` over the platform's own streams: those of just-bash need Node's zlib.
 * `afterWait` is called whenever a command goes on after it waited for a stream.
 */
export function gzipCommands(afterWait: () => void): Command[] {
  const command = (name: string, direction: Direction, toStdout: boolean): Command => ({
    name,
    execute: (args, context) => {
      const options = parseOptions(args, { direction, toStdout, isForced: false, keepsInput: false, files: [] });
      if (typeof options === "string") return Promise.resolve(failure(name, options));
      return runGzip(name, options, context, afterWait);
    },
  });
  return [
    command("gzip", "compress", false),
    command("gunzip", "decompress", false),
    command("zcat", "decompress", true),
  ];
}

function parseOptions(args: readonly string[], defaults: GzipOptions): GzipOptions | string {
  const files: string[] = [];
  let options = defaults;
  for (const arg of args) {
    if (arg === "-" || !arg.startsWith("-")) {
      files.push(arg);
      continue;
    }
    const letters = arg.startsWith("--") ? LONG_OPTIONS[arg] : arg.slice(1);
    if (letters === undefined) return `unrecognized option '${arg}'`;
    for (const letter of letters) {
      const changed = withLetter(options, letter);
      if (changed === undefined) return `invalid option -- '${letter}'`;
      options = changed;
    }
  }
  return { ...options, files };
}

const LONG_OPTIONS: Readonly<Record<string, string>> = {
  "--decompress": "d",
  "--uncompress": "d",
  "--stdout": "c",
  "--to-stdout": "c",
  "--keep": "k",
  "--force": "f",
  "--quiet": "q",
  "--fast": "1",
  "--best": "9",
};

function withLetter(options: GzipOptions, letter: string): GzipOptions | undefined {
  if (letter === "d") return { ...options, direction: "decompress" };
  if (letter === "c") return { ...options, toStdout: true };
  if (letter === "k") return { ...options, keepsInput: true };
  if (letter === "f") return { ...options, isForced: true };
  // the level is the platform's, and names and times are not kept
  return /[1-9nqv]/.test(letter) ? options : undefined;
}

async function runGzip(
  name: string,
  options: GzipOptions,
  context: ResolvedCommandContext,
  afterWait: () => void,
): Promise<Result> {
  let stdout = "";
  for (const file of options.files.length === 0 ? ["-"] : options.files) {
    const path = context.fs.resolvePath(context.cwd, file);
    const target = file === "-" || options.toStdout ? undefined : targetOf(path, options.direction);
    if (target === "") return failure(name, `${file}: unknown suffix -- ignored`, stdout);
    if (target !== undefined && !options.isForced && (await context.fs.exists(target)))
      return failure(name, `${target} already exists`, stdout);
    try {
      // a shell's bytes are a text of one character a byte
      const input = file === "-" ? bytesOf(context.stdin as unknown as string) : await context.fs.readFileBuffer(path);
      const output = await transform(input, options.direction);
      if (target === undefined) stdout += textOf(output);
      else await context.fs.writeFile(target, output);
      if (target !== undefined && !options.keepsInput) await context.fs.rm(path);
    } catch (error) {
      return failure(name, `${file}: ${reasonOf(error)}`, stdout);
    } finally {
      afterWait();
    }
  }
  return { stdout, stdoutKind: "bytes", stdoutEncoding: "binary", stderr: "", exitCode: 0 };
}

/** Name of what comes out; empty when the name does not say that it is compressed. */
function targetOf(path: string, direction: Direction): string {
  if (direction === "compress") return `${path}.gz`;
  if (path.endsWith(".tgz")) return `${path.slice(0, -4)}.tar`;
  return path.endsWith(".gz") ? path.slice(0, -3) : "";
}

async function transform(input: Uint8Array, direction: Direction): Promise<Uint8Array> {
  const stream = direction === "compress" ? new CompressionStream("gzip") : new DecompressionStream("gzip");
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of new Blob([input]).stream().pipeThrough(stream)) {
    size += piece.length;
    // what is not read is not inflated: a bomb ends here
    if (size > MAX_OUTPUT_BYTES) throw new Error(`output is larger than ${MAX_OUTPUT_BYTES} bytes`);
    pieces.push(piece);
  }
  const output = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    output.set(piece, at);
    at += piece.length;
  }
  return output;
}

function reasonOf(error: unknown): string {
  const { message } = error as Error;
  if (message.startsWith("ENOENT")) return "No such file or directory";
  if (message.startsWith("EISDIR")) return "is a directory -- ignored";
  return error instanceof TypeError ? "not in gzip format" : message;
}

function failure(name: string, message: string, stdout = ""): Result {
  return { stdout, stdoutKind: "bytes", stdoutEncoding: "binary", stderr: `${name}: ${message}\n`, exitCode: 1 };
}

function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(text, (char) => char.charCodeAt(0));
}

function textOf(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return text;
}
