// What makes stopping certain, whoever is killed and how. No packages: this runs before there are any.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { basename } from "node:path";

/** Milliseconds between two looks at whether the parent is still the same. */
const PARENT_POLL_MS = 200;

/** What asks a program to stop. */
export const STOP_SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"];

/** Reads a process group's id a line; when the writer is gone, by whatever death, it kills the last one it read. */
const GUARD_SCRIPT = 'group=; while read -r next; do group=$next; done; [ -n "$group" ] && kill -s KILL -- "-$group"';

/**
 * A small process in a session of its own that kills the watched process group as soon as this process is gone. The
 * kernel closes the pipe to it at any death, SIGKILL too, and no signal to our group reaches it.
 */
export function startGuard() {
  if (process.platform === "win32") return { watch() {}, release() {} };
  let group = "";
  let isReleased = false;
  let shell = open();

  function open() {
    const child = spawn("/bin/sh", ["-c", GUARD_SCRIPT], {
      detached: true,
      stdio: ["pipe", "ignore", "ignore"],
      cwd: "/",
    });
    child.stdin.on("error", () => {}); // it was killed: "exit" follows
    child.on("exit", () => {
      if (isReleased) return;
      shell = open();
      shell.stdin.write(`${group}\n`);
    });
    child.unref();
    child.stdin.unref();
    return child;
  }

  return {
    watch(pid) {
      group = String(pid ?? "");
      shell.stdin.write(`${group}\n`);
    },
    release() {
      isReleased = true;
      shell.stdin.end("\n");
    },
  };
}

/** Calls `onGone` once npm, when it is npm that runs this script, is no longer there. Returns how to stop watching. */
export function watchParent(onGone) {
  const script = basename(process.argv[1] ?? "");
  if (process.platform === "win32" || !process.env.npm_lifecycle_script?.includes(script)) return () => {};
  const parent = process.ppid;
  // npm may have been killed before we could look: then our parent is already whoever takes in orphans. A shell is
  // npm's own, where it does not give way to its last command
  const isOrphan = !/node|npm|yarn|bun|sh$/.test(commandName(parent).trim());
  const timer = setInterval(() => {
    if (!isOrphan && process.ppid === parent) return;
    clearInterval(timer);
    onGone();
  }, PARENT_POLL_MS);
  timer.unref();
  return () => clearInterval(timer);
}

function commandName(pid) {
  try {
    if (process.platform === "linux") return readFileSync(`/proc/${pid}/comm`, "utf8");
    return execFileSync("ps", ["-o", "comm=", "-p", String(pid)], { encoding: "utf8" });
  } catch {
    return ""; // it is gone
  }
}

/** Kills a process group; one that is gone already is fine. */
export function killGroup(pid) {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // no such group: what was wanted
  }
}

/** Runs a program in a process group of its own, none of which outlives this process. Resolves its exit code. */
export async function runGuarded(command, args, options) {
  const guard = startGuard();
  const child = spawn(command, args, { ...options, detached: process.platform !== "win32" });
  guard.watch(child.pid);
  const forward = (signal) => child.kill(signal);
  for (const signal of STOP_SIGNALS) process.on(signal, forward);
  const stopWatching = watchParent(() => process.exit(1));
  const [code, signal] = await once(child, "exit");
  killGroup(child.pid);
  guard.release();
  stopWatching();
  for (const stop of STOP_SIGNALS) process.off(stop, forward);
  return signal === null ? code : 1;
}
