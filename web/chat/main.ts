// The page of the conversations: puts its parts together, and shows the session that the address names.
import { readAddress } from "../shared/address";
import { ApiError } from "../shared/api";
import { askForToken, isAtDoor, leaveDoor, startDoor } from "../shared/door";
import { $ } from "../shared/elements";
import { kept } from "../shared/keep";
import { startTheme } from "../shared/theme";
import { focusField, keepDraft, restoreDraft, startComposer } from "./composer";
import { connect, connection, disconnect, isConnecting, listen, reconnect } from "./connection";
import { startDrawer } from "./drawer";
import { offerNothingEarlier, startEarlier } from "./earlier";
import { startKeys } from "./keys";
import { setLive } from "./live-answer";
import { restoreOutbox, showOutbox } from "./outbox";
import { showQuestion } from "./question";
import { receive } from "./receive";
import { startScrolling } from "./scroll";
import { MAIN_SESSION, inView, platformOf } from "./session";
import { refreshSessions, refreshSessionsSoon, showSessions, showTitle, startSessions } from "./sessions";
import { forgetFolds } from "./tool-folds";
import { clearTranscript } from "./transcript";

/** Milliseconds out of sight after which the conversation is read anew rather than resumed. */
const LONG_AWAY_MS = 60_000;

/** Shows the session that the address names; says whether the address brought a token. */
function followAddress(): boolean {
  const { named, hadToken } = readAddress();
  showSession(named.get("session") || MAIN_SESSION);
  return hadToken;
}

function showSession(key: string): void {
  if (key === inView.sessionKey) return;
  keepDraft();
  inView.sessionKey = key;
  clearTranscript();
  forgetFolds();
  showQuestion(undefined);
  setLive(undefined);
  restoreDraft();
  restoreOutbox();
  offerNothingEarlier();
  $("empty").hidden = true;
  $("about").textContent = platformOf(key);
  showTitle();
  showSessions();
  connection.failures = 0;
  if (kept.get("token") === null) askForToken("");
  else connect({ isFresh: true });
}

/** Comes in with the token that is kept, unless the server does not take it. */
async function enter(): Promise<void> {
  try {
    await refreshSessions();
  } catch (error) {
    const status = error instanceof ApiError ? error.status : undefined;
    if (status === 401) return;
    if (error instanceof ApiError && status === 503) return askForToken(error.message);
  }
  leaveDoor();
  if (!isConnecting()) reconnect();
  focusField();
}

startDoor({ onShut: disconnect, onToken: () => void enter() });
listen({ onEvent: receive, onLost: showOutbox });
startScrolling();
startComposer();
startEarlier();
startDrawer();
startSessions();
startKeys();

addEventListener("hashchange", () => {
  if (followAddress()) void enter();
});
addEventListener("online", () => {
  if (!connection.isGreeted) reconnect();
});
addEventListener("pagehide", keepDraft);
let hiddenAt = 0;
document.addEventListener("visibilitychange", () => {
  if (document.hidden) {
    hiddenAt = Date.now();
    return;
  }
  showTitle();
  const wasLong = Date.now() - hiddenAt > LONG_AWAY_MS;
  // a phone that slept may hold a socket that is dead without knowing it
  if (wasLong && !isAtDoor()) connect({ isFresh: true });
  else if (!connection.isGreeted && !isAtDoor()) reconnect();
  if (wasLong) refreshSessionsSoon();
});

startTheme();
followAddress();
if (kept.get("token") !== null) void enter();
