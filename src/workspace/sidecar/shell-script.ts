import { HOME, joinPath } from "../workspace-path";

/** Where the sidecar's own notes stand, in the home folder of the workspace's user, which is not synced. */
const NOTES = "$HOME/.talaria";

/** The exit code of a command that found another disk than the one it was meant for, and did nothing. */
const EXIT_FRESH = 86;

/** Begins and ends what the script adds to the output: no program prints it by accident. */
const MARK = "\u001E";

/**
 * Nothing runs on a disk that does not have our mark: a sidecar that lost its disk has forgotten which commands it ran.
 * Arguments: the mark, a name of this run, the directory, and where to go when it is gone.
 */
const BEGIN = String.raw`
exec 19>&1
IFS= read -r __talaria_mark 2>/dev/null < "${NOTES}/mark"
if [ "$__talaria_mark" != "$1" ]; then printf '\036%s fresh\036' "$2" >&19; exit ${EXIT_FRESH}; fi
WORKSPACE=$PWD
if [ ${HOME} -ef "$PWD" ]; then WORKSPACE=${HOME}; fi
export WORKSPACE
__talaria_run=$2 __talaria_cwd=$3
case $__talaria_cwd in ${HOME}|${HOME}/*) __talaria_cwd=$WORKSPACE${"${__talaria_cwd#" + HOME + "}"};; esac
[ -r "${NOTES}/shell" ] && . "${NOTES}/shell" 2>/dev/null
if ! cd -- "$__talaria_cwd" 2>/dev/null; then
  if [ "$4" != home ]; then
    printf 'bash: cd: %s: No such file or directory\n' "$__talaria_cwd" >&2
    exit 1
  fi
  cd -- "$WORKSPACE"
fi
`;

/** Keeps directory, variables and functions for the next command; variables of the shell and the machine are not kept. */
const END = String.raw`
__talaria_end() {
  { set +xeu; trap - EXIT; unset -f __talaria_end; } 2>/dev/null
  printf '\036%s at %s\036' "$__talaria_run" "$PWD" >&19
  {
    for __talaria_name in $(compgen -v); do
      case $__talaria_name in
        BASH*|COMP_*|DIRSTACK|EPOCH*|EUID|FUNCNAME|GROUPS|HIST*|HOME|HOST*|IFS|LINENO|LOGNAME|MACHTYPE|OPT*|OSTYPE) ;;
        PIPESTATUS|PPID|PS4|PWD|RANDOM|SECONDS|SHELL|SHELLOPTS|SHLVL|SRANDOM|TALARIA_*|TERM|TMPDIR|UID|USER) ;;
        WORKSPACE|_|__talaria_*) ;;
        *) declare -p "$__talaria_name" ;;
      esac
    done
    declare -f
  } > "${NOTES}/shell.$$" 2>/dev/null && mv -f "${NOTES}/shell.$$" "${NOTES}/shell"
}
trap __talaria_end EXIT
`;

const FOREGROUND = `${BEGIN}
__talaria_command=$(cat; printf x)
__talaria_command=\${__talaria_command%x}
set --
${END}`;

/** `script` comes with every Debian. Source: https://man7.org/linux/man-pages/man1/script.1.html */
const FOREGROUND_TERMINAL = `${BEGIN}
__talaria_command=$(cat; printf x)
exec 19>&- </dev/null
TERM=xterm-256color SHELL=/bin/bash script -qefc "\${__talaria_command%x}" /dev/null
exit $?
`;

const BACKGROUND = `${BEGIN}
exec 19>&-
__talaria_command=$6
set --
`;

const BACKGROUND_TERMINAL = `${BEGIN}
exec 19>&-
TERM=xterm-256color SHELL=/bin/bash script -qefc "$6" /dev/null
exit $?
`;

/** The command is on the first line, so that the lines of its mistakes are its own. */
const BODY = `eval "$5"; eval "$__talaria_command"`;

/** What a script is told beside the command. */
export interface ScriptOptions {
  /** The mark of the disk that it is meant for. */
  readonly mark: string;
  /** Tells this run's additions to the output from everything else. */
  readonly run: string;
  readonly cwd: string;
  /** The directory is the shell's own, and so not the caller's mistake when it is gone. */
  readonly isOwnCwd: boolean;
  readonly isTerminal: boolean;
}

/** The command line that runs a command, which it reads from its standard input, to its end. */
export function foregroundScript(options: ScriptOptions): readonly string[] {
  return argvOf(options.isTerminal ? FOREGROUND_TERMINAL : FOREGROUND, options);
}

/** The command line that runs a command whose standard input stays its own. */
export function backgroundScript(command: string, options: ScriptOptions): readonly string[] {
  return [...argvOf(options.isTerminal ? BACKGROUND_TERMINAL : BACKGROUND, options), command];
}

function argvOf(script: string, { mark, run, cwd, isOwnCwd }: ScriptOptions): readonly string[] {
  return ["bash", "--norc", "-c", BODY, "bash", mark, run, cwd, isOwnCwd ? "home" : "fail", script];
}

/** Writes the mark that makes a disk ours. */
export function markScript(mark: string): string {
  return `mkdir -p "${NOTES}" && printf '%s\\n' ${mark} > "${NOTES}/mark"`;
}

/** Prints the mark of the disk, if it has one. */
export const READ_MARK = `cat "${NOTES}/mark" 2>/dev/null || true`;

/** Ends everything that came from a run, by the variable that all of it has. */
export function killScript(run: string): string {
  return `for round in 1 2 3; do
  found=$(grep -lzxF ${RUN_VARIABLE}=${run} /proc/[0-9]*/environ 2>/dev/null)
  [ -n "$found" ] || exit 0
  for place in $found; do place=\${place#/proc/}; kill -KILL "\${place%/environ}" 2>/dev/null; done
  sleep 0.05
done`;
}

/** Every process of a run has this in its environment. */
export const RUN_VARIABLE = "TALARIA_RUN";

/** What a script added to a command's output. */
export interface ScriptEnding {
  readonly output: string;
  /** Nothing was run: the disk is not the one that it was meant for. */
  readonly isFresh: boolean;
  /** Where the shell was in the end, as the sidecar knows it; undefined when it did not come to its end. */
  readonly cwd: string | undefined;
}

/** Takes out of a command's output what its script added. */
export function readEnding(stdout: string, run: string): ScriptEnding {
  const start = stdout.lastIndexOf(`${MARK}${run} `);
  const end = start === -1 ? -1 : stdout.indexOf(MARK, start + 1);
  if (end === -1) return { output: stdout, isFresh: false, cwd: undefined };
  const said = stdout.slice(start + run.length + 2, end);
  return {
    output: stdout.slice(0, start) + stdout.slice(end + 1),
    isFresh: said === "fresh",
    cwd: said.startsWith("at ") ? said.slice(3) : undefined,
  };
}

/** The part of some output that is the command's own: what a script adds comes at the end. */
export function withoutEnding(text: string, run: string): string {
  const start = text.indexOf(`${MARK}${run} `);
  return start === -1 ? text : text.slice(0, start);
}

/** A path of the sidecar as the workspace knows it: below the folder of files, or as it is. */
export function toWorkspacePath(path: string, root: string): string {
  if (path === root) return HOME;
  return path.startsWith(`${root}/`) ? joinPath(HOME, path.slice(root.length + 1)) : path;
}
