import type { LiveCommand, LiveEvent } from "#src/domain/live";
import { ApiError } from "../shared/api";
import { askForToken, isAtDoor } from "../shared/door";
import { $ } from "../shared/elements";
import { kept } from "../shared/keep";
import { probeSession } from "./api";
import { inView } from "./session";
import { toast } from "./toasts";
import { isTranscriptEmpty, resumeId } from "./transcript";
import { readEvent, writeCommand } from "./wire";

/** Milliseconds before each further try to connect; the last one repeats. */
const RETRY_MS = [500, 1000, 2000, 4000, 8000];
const LONGEST_RETRY_MS = 15_000;
/** Failures after which a person is told of them. */
const UNTOLD_FAILURES = 2;

/** Who hears of the connection. */
interface ConnectionListeners {
  /** An event came; `isFresh` when the connection began with the whole conversation. */
  readonly onEvent: (event: LiveEvent, isFresh: boolean) => void;
  readonly onLost: () => void;
}

/** How a connection begins. */
interface Beginning {
  /** It reads the whole conversation; another one goes on after what is here. */
  readonly isFresh: boolean;
}

let listeners: ConnectionListeners | undefined;
let socket: WebSocket | undefined;
let timer = 0;

/** The connection to the session in view. */
export const connection = {
  /** Tells one connection from the next. */
  number: 0,
  /** What was missed has been shown: now it may carry messages. */
  isGreeted: false,
  /** Tries that failed in a row. */
  failures: 0,
};

export function listen(told: ConnectionListeners): void {
  listeners = told;
}

export function isConnecting(): boolean {
  return socket !== undefined;
}

/** Sends a command; says false when there is no connection to carry it. */
export function transmit(command: LiveCommand): boolean {
  if (!connection.isGreeted || socket?.readyState !== WebSocket.OPEN) return false;
  socket.send(writeCommand(command));
  return true;
}

/** Connects to the session in view. */
export function connect({ isFresh }: Beginning): void {
  disconnect();
  const after = isFresh ? undefined : resumeId();
  const query = after === undefined ? "" : `?after=${encodeURIComponent(after)}`;
  const address = `${location.origin.replace("http", "ws")}/ws/sessions/${encodeURIComponent(inView.sessionKey)}${query}`;
  const opened = new WebSocket(address, ["talaria", `bearer.${tokenAsProtocol()}`]);
  socket = opened;
  connection.number += 1;
  opened.addEventListener("message", ({ data }) => {
    if (opened === socket) listeners?.onEvent(readEvent(String(data)), after === undefined);
  });
  opened.addEventListener("close", () => {
    if (opened !== socket) return;
    disconnect();
    listeners?.onLost();
    void tryLater({ isFresh: after === undefined });
  });
}

/** Connects again; what is here already is not read again. */
export function reconnect(): void {
  connect({ isFresh: isTranscriptEmpty() });
}

export function disconnect(): void {
  clearTimeout(timer);
  const closing = socket;
  socket = undefined;
  connection.isGreeted = false;
  closing?.close();
}

export function showStatus(state: "open" | "closed", words: string): void {
  $("status").dataset["state"] = state;
  for (const shown of $("status").children) {
    shown.className = state === "open" ? "unseen" : "";
    shown.textContent = words;
  }
}

/** A browser does not say why a socket was refused: the API does. */
async function tryLater({ isFresh }: Beginning): Promise<void> {
  const attempt = connection.number;
  const waitMs = (RETRY_MS[connection.failures] ?? LONGEST_RETRY_MS) * (0.75 + Math.random() / 2);
  connection.failures += 1;
  showStatus("closed", connection.failures > UNTOLD_FAILURES ? "Not connected, trying again" : "Connecting…");
  const problem = await probeSession(inView.sessionKey).then(
    () => undefined,
    (error: unknown) => (error instanceof ApiError ? error : undefined),
  );
  if (attempt !== connection.number || isConnecting() || isAtDoor()) return;
  if (problem?.status === 400) {
    toast(problem.message);
    location.hash = "";
  } else if (problem?.status === 503 && problem.message.includes("ADMIN_TOKEN")) askForToken(problem.message);
  else timer = setTimeout(connect, waitMs, { isFresh: isFresh && isTranscriptEmpty() });
}

/** A WebSocket has no headers of ours: the token goes as a protocol's name, in letters that one may have. */
function tokenAsProtocol(): string {
  const bytes = new TextEncoder().encode(kept.get("token") ?? "");
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}
