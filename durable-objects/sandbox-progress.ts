/** Milliseconds between two reports. */
const EVERY_MS = 1000;
/** Characters of the latest output that a report shows. */
const MAX_CHARS = 1000;

/** Hears what a command prints, and says the latest of it now and then. Never throws. */
export function throttled(say: (text: string) => unknown, now: () => number): (text: string) => void {
  let latest = "";
  let saidAt = now();
  return (text) => {
    latest = (latest + text).slice(-MAX_CHARS);
    if (now() - saidAt < EVERY_MS) return;
    saidAt = now();
    // whoever asked may be gone: the command goes on
    void Promise.resolve()
      .then(() => say(latest.toWellFormed()))
      .catch(() => undefined);
  };
}
