import type { Config } from "./config.ts";
import type { Host } from "./host.ts";
import type { Namespaces } from "./namespaces.ts";
import { PROGRAM_PATH } from "./host.ts";
import { MARK_NAME } from "./process-table.ts";
import { Problem } from "./problem.ts";
import type { Session } from "./sessions.ts";

/** A command as a caller asks for it. */
export interface Command {
  readonly argv: readonly string[];
  /** What the caller adds to the variables that every command has. */
  readonly env: ReadonlyMap<string, string>;
  readonly cwd: string;
  readonly network: "host" | "none";
}

/** A command as it is started: behind the programs that take privileges and limits from it. */
export interface Launch {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly uid?: number;
  readonly gid?: number;
}

/** Turns a command into what is started for it. */
export type Confine = (session: Session, command: Command, options: LaunchOptions) => Promise<Launch>;

export interface LaunchOptions {
  /** Tells a process of this job wherever it goes. */
  readonly mark: string;
  /** In a terminal the command leads a terminal session of its own. */
  readonly isTerminal: boolean;
}

/**
 * How commands are confined on this machine.
 *
 * A caller's variables reach no program that runs with privileges: a library named in one would be loaded there. So
 * they are set by `env` after the change of user, or, without namespaces, Node changes the user first.
 */
export function createConfine(
  { limits, authorities }: Pick<Config, "limits" | "authorities">,
  host: Host,
  namespaces: Namespaces,
  otherThreads: number,
): Confine {
  const { env: envProgram = "", prlimit = "", setpriv = "", setsid = "", unshare = "" } = host.programs;
  // without users of their own, the sessions' processes are counted among all of the sidecar's user
  const processes = limits.processes + (host.hasUsers ? 0 : otherThreads);
  const bounds = {
    core: 0,
    cpu: limits.cpuSeconds,
    data: limits.memoryBytes,
    fsize: limits.fileBytes,
    nofile: limits.openFiles,
    nproc: processes,
  };
  const limit = host.hasLimits
    ? [prlimit, ...Object.entries(bounds).map(([name, value]) => `--${name}=${value}:${value}`), "--"]
    : [];

  return async (session, { argv, env, cwd, network }, { mark, isTerminal }) => {
    if (network === "none" && !host.canCutNetwork)
      throw new Problem("unavailable", "This machine cannot start a command without network.", { field: "network" });
    const standard = { ...standardEnvironment(session, isTerminal), ...authorities };
    const variables = { ...standard, ...Object.fromEntries(env), [MARK_NAME]: mark };
    const { uid } = session;
    if (!host.hasNamespaces || uid === undefined) {
      const free = setpriv === "" ? [] : [setpriv, "--no-new-privs", "--pdeathsig", "KILL"];
      const line = [...limit, ...free, ...argv];
      return { ...splitLine(line), env: variables, cwd, ...(uid !== undefined && { uid, gid: uid }) };
    }
    const asUid = [setpriv, `--reuid=${uid}`, `--regid=${uid}`, "--clear-groups", "--no-new-privs", "--"];
    const settings = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
    const withVariables = [envProgram, "-i", "-C", cwd, ...settings];
    const line = [
      ...(await namespaces.enter(session)),
      ...(network === "none" ? [unshare, "--net", "--"] : []),
      ...(isTerminal ? [setsid, "--ctty"] : []),
      ...limit,
      ...asUid,
      ...withVariables,
      ...argv,
    ];
    return { ...splitLine(line), env: { PATH: PROGRAM_PATH }, cwd: "/" };
  };
}

/** What a command has instead of the sidecar's environment. */
function standardEnvironment({ home, tmp }: Session, isTerminal: boolean): Readonly<Record<string, string>> {
  return {
    PATH: PROGRAM_PATH,
    HOME: home,
    TMPDIR: tmp,
    USER: "agent",
    LOGNAME: "agent",
    SHELL: "/bin/bash",
    LANG: "C.UTF-8",
    TERM: isTerminal ? "xterm-256color" : "dumb",
  };
}

function splitLine([file = "", ...args]: readonly string[]): Pick<Launch, "file" | "args"> {
  return { file, args };
}
