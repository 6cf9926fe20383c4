import { type ChildProcess, spawn } from "node:child_process";
import { PROGRAM_PATH, type Host } from "./host.ts";
import { sendSignal } from "./process-table.ts";
import type { Session } from "./sessions.ts";

/** The views of the machine that sessions have. */
export interface Namespaces {
  /** The beginning of a command line that runs the rest of it inside a session's view. */
  enter(session: Session): Promise<readonly string[]>;
  /** Lets a view go some time after nothing runs in it any more. */
  leaveLater(session: Session): void;
  /** Ends everything inside a session's view, at once. */
  end(session: Session): Promise<void>;
}

interface Holder {
  readonly child: ChildProcess;
  readonly ready: Promise<void>;
  readonly gone: Promise<void>;
  timer?: NodeJS.Timeout;
}

const IDLE_MS = 30_000;

/**
 * The first process of a session's view. It takes in orphans, gives the session a /tmp of its own, and takes
 * everything inside with it when it dies. Where the new /tmp hides the session's folder and the scripts,
 * they are mounted again, by descriptors that were opened before; -c keeps these from being looked up by name.
 */
const FIRST_PROCESS = `
set -e
umask 022
exec 3<"$1/tmp" 4<"$1" 5<"$2"
for place in /tmp /var/tmp /dev/shm; do
  [ -d "$place" ] || continue
  mount -c --bind /proc/self/fd/3 "$place"
  case "$1" in "$place"/*)
    mkdir -p "$1" "$2"
    mount -c --bind /proc/self/fd/4 "$1"
    mount -c --bind /proc/self/fd/5 "$2";;
  esac
done
exec 3<&- 4<&- 5<&-
echo ready
set +e
while :; do sleep 1000000 & wait; done
`;

/** Views by Linux namespaces, in which the folder of scripts is seen; a session's lives while something runs in it and a little longer. */
export function createNamespaces({ programs }: Host, scripts: string): Namespaces {
  const { unshare = "", setpriv = "", nsenter = "" } = programs;
  const holders = new Map<string, Holder>();

  function start(session: Session): Holder {
    // dies with the sidecar, and --kill-child takes the first process with it, and that the whole view
    const asView = [unshare, "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"];
    const child = spawn(
      setpriv,
      ["--pdeathsig", "KILL", ...asView, "sh", "-c", FIRST_PROCESS, "sh", session.folder, scripts],
      {
        stdio: ["ignore", "pipe", "pipe"],
        env: { PATH: PROGRAM_PATH },
        cwd: "/",
        detached: true,
      },
    );
    const gone = new Promise<void>((resolve) => {
      child.once("exit", () => resolve());
      child.once("error", () => resolve());
    });
    const ready = new Promise<void>((resolve, reject) => {
      let complaint = "";
      child.stderr.on("data", (chunk) => (complaint = `${complaint}${chunk}`.slice(0, 1000)));
      child.stdout.once("data", () => resolve());
      void gone.then(() => reject(new Error(`the session's view could not be made: ${complaint}`)));
    });
    const holder: Holder = { child, ready, gone };
    holders.set(session.id, holder);
    void gone.then(() => holders.get(session.id) === holder && holders.delete(session.id));
    return holder;
  }

  return {
    async enter(session) {
      const holder = holders.get(session.id) ?? start(session);
      clearTimeout(holder.timer);
      await holder.ready;
      const at = `/proc/${holder.child.pid}`;
      // entering alone would leave a changed root (chroot) behind
      const root = [`--root=${at}/root`, `--wd=${at}/root`];
      return [nsenter, `--mount=${at}/ns/mnt`, `--pid=${at}/ns/pid_for_children`, ...root, "--"];
    },
    leaveLater(session) {
      const holder = holders.get(session.id);
      if (holder === undefined) return;
      clearTimeout(holder.timer);
      holder.timer = setTimeout(() => {
        holders.delete(session.id); // nobody enters what is about to go
        sendSignal(holder.child.pid, "SIGKILL");
      }, IDLE_MS).unref();
    },
    async end(session) {
      const holder = holders.get(session.id);
      if (holder?.child.pid === undefined) return;
      clearTimeout(holder.timer);
      holders.delete(session.id);
      sendSignal(holder.child.pid, "SIGKILL");
      await holder.gone;
    },
  };
}
