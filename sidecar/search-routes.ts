import type { Config } from "./config.ts";
import type { Host } from "./host.ts";
import type { Call, Reply, Route } from "./http.ts";
import type { Jobs } from "./jobs.ts";
import { PATHS } from "./paths.ts";
import { Problem } from "./problem.ts";
import { runCommand } from "./run-command.ts";
import type { Session } from "./sessions.ts";

interface World {
  readonly config: Config;
  readonly host: Host;
  readonly jobs: Jobs;
}

/** A line that was found; only its path when names are searched. */
interface Found {
  readonly path: string;
  readonly line?: number;
  readonly text?: string;
}

const SEARCH_TIMEOUT_MS = 20_000;
const MAX_SEARCH_BYTES = 4 * 1024 ** 2;
const MAX_FOUND = 2000;
const MAX_LINE_CHARS = 1000;

/** The route that searches files, by what is in them or by their names. */
export function searchRoutes(world: World): readonly Route[] {
  return [{ method: "POST", path: "/v1/files/search", run: async (call) => search(world, call) }];
}

async function search(world: World, call: Call): Promise<Reply> {
  const { session } = call;
  const fields = await call.json();
  const kind = fields.choice("kind", ["content", "name"]);
  const pattern = fields.text("pattern", { maxChars: 4096 });
  const path = fields.optionalText("path") ?? ".";
  const glob = fields.optionalText("glob", { maxChars: 1024 });
  const ignoresCase = fields.flag("ignore_case");
  const isLiteral = fields.flag("literal");
  const limit = fields.integer("limit", { min: 1, max: MAX_FOUND, otherwise: 200 });
  fields.end();
  if (/[\r\n]/.test(pattern)) throw fields.refuse("pattern", "must be one line");
  const place = PATHS.existing(session, path);
  const where = PATHS.name(session, place);
  const asked = { pattern, where: where === "." ? "." : `./${where}`, glob, ignoresCase, isLiteral };
  const { engine, argv } = kind === "name" ? findByName(world.host, asked) : findByContent(world.host, asked);

  const result = await run(world, session, argv, call.gone);
  // 1 means that nothing was found; find uses it for folders that it may not read
  if (result.exit_code > 1 && result.stdout === "")
    throw new Problem("field_invalid", `pattern was refused: ${result.stderr.slice(0, 300).trim()}`, {
      field: "pattern",
    });
  const whole = result.stdout_dropped_bytes === 0;
  const found = (kind === "name" ? readNames : readLines)(beforeCut(result.stdout, result.stdout_dropped_bytes));
  return {
    body: {
      engine,
      matches: found.slice(0, limit),
      is_cut: !whole || found.length > limit || result.timed_out === true,
    },
  };
}

interface Asked {
  readonly pattern: string;
  readonly where: string;
  readonly glob: string | undefined;
  readonly ignoresCase: boolean;
  readonly isLiteral: boolean;
}

function findByContent({ programs }: Host, { pattern, where, glob, ignoresCase, isLiteral }: Asked) {
  const { rg, grep } = programs;
  const common = [...(ignoresCase ? ["-i"] : []), ...(isLiteral ? ["-F"] : []), "-n", "--null"];
  if (rg !== undefined) {
    const options = ["--no-config", "--no-heading", "--color=never", "--with-filename", "--sort=path", "--hidden"];
    const globs = ["--glob=!.git", ...(glob === undefined ? [] : [`--glob=${glob}`])];
    return { engine: "ripgrep", argv: [rg, ...options, ...common, ...globs, "-e", pattern, "--", where] };
  }
  if (grep === undefined) throw new Problem("unavailable", "This machine has neither ripgrep nor grep.");
  const options = ["-r", "-H", "-I", "--color=never", "--exclude-dir=.git", ...(isLiteral ? [] : ["-E"])];
  const globs = glob === undefined ? [] : [`--include=${glob}`];
  return { engine: "grep", argv: [grep, ...options, ...common, ...globs, "-e", pattern, "--", where] };
}

function findByName({ programs }: Host, { pattern, where, glob, ignoresCase, isLiteral }: Asked) {
  if (programs.find === undefined) throw new Problem("unavailable", "This machine has no find.");
  const word = isLiteral ? `*${pattern.replaceAll(/[*?[\]\\]/g, String.raw`\$&`)}*` : pattern;
  const test = word.includes("/") ? (ignoresCase ? "-ipath" : "-path") : ignoresCase ? "-iname" : "-name";
  const and = glob === undefined ? [] : ["-name", glob];
  const skip = ["-name", ".git", "-prune", "-o"];
  const wanted = test.endsWith("path") ? `./${word.replace(/^\.\//, "")}` : word;
  return { engine: "find", argv: [programs.find, "-P", where, ...skip, test, wanted, ...and, "-print0"] };
}

async function run({ config, jobs }: World, session: Session, argv: readonly string[], signal: AbortSignal) {
  return runCommand(jobs, session, {
    command: { argv, env: new Map(), cwd: session.work, network: config.network },
    stdin: undefined,
    timeoutMs: SEARCH_TIMEOUT_MS,
    maxOutputBytes: MAX_SEARCH_BYTES,
    encoding: "utf8",
    signal,
  });
}

/** Only the beginning is in order when something was dropped from the middle. */
function beforeCut(text: string, droppedBytes: number): string {
  return droppedBytes === 0 ? text : (text.split(`\n[${droppedBytes} bytes dropped]\n`)[0] ?? "");
}

function readLines(output: string): readonly Found[] {
  const found = output.split("\n").flatMap((row) => {
    const [path, rest] = row.split("\0");
    const [, line, text] = /^(\d+):(.*)$/s.exec(rest ?? "") ?? [];
    if (path === undefined || line === undefined || text === undefined) return [];
    return [{ path: path.replace(/^\.\//, ""), line: Number(line), text: text.slice(0, MAX_LINE_CHARS) }];
  });
  return found.sort(byPlace);
}

function byPlace(a: Found, b: Found): number {
  if (a.path !== b.path) return a.path < b.path ? -1 : 1;
  return (a.line ?? 0) - (b.line ?? 0);
}

function readNames(output: string): readonly Found[] {
  return output
    .split("\0")
    .filter((path) => path !== "" && path !== ".")
    .map((path) => ({ path: path.replace(/^\.\//, "") }))
    .sort(byPlace);
}
