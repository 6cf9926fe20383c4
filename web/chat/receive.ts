import type { LiveEvent } from "#src/domain/live";
import { $ } from "../shared/elements";
import { connect, connection, showStatus } from "./connection";
import { offerEarlier } from "./earlier";
import { drawLive, grow, liveTurn, restartText, setLive, showToolCall } from "./live-answer";
import { flushOutbox, showEmpty, showOutbox, takeMessage } from "./outbox";
import { closeQuestion, showQuestion } from "./question";
import { isNearEnd, keepEnd, scrollToEnd } from "./scroll";
import { inView, platformOf } from "./session";
import { markTitle, refreshSessionsSoon, showTitle } from "./sessions";
import { toast } from "./toasts";
import { isTranscriptEmpty, keepMessages, setReadOut } from "./transcript";
import type { EventOf } from "./wire";

type Receivers = {
  readonly [Type in LiveEvent["type"]]?: (event: EventOf<Type>, isFresh: boolean) => void;
};

/** The conversation, counted, that is shown: another one has begun when the server counts on. */
let shownEpoch: number | undefined;

const RECEIVERS: Receivers = {
  hello: greet,
  message: receiveMessage,
  turn({ turn_id, state }) {
    if (state === "started") return setLive(turn_id);
    if (liveTurn() === turn_id) setLive(undefined);
    refreshSessionsSoon();
  },
  delta: grow,
  tool: showToolCall,
  question: ({ question }) => showQuestion(question),
  question_closed: ({ id }) => closeQuestion(id),
  reload: () => connect({ isFresh: true }),
  error: ({ message }) => toast(message),
};

/** Shows what the session tells; a newer server may tell more than this page knows of. */
export function receive<Type extends LiveEvent["type"]>(event: EventOf<Type>, isFresh: boolean): void {
  if (Object.hasOwn(RECEIVERS, event.type)) RECEIVERS[event.type]?.(event, isFresh);
}

function receiveMessage({ message }: EventOf<"message">): void {
  const { role, kind, content, turn_id } = message;
  takeMessage(message);
  if (role === "assistant") restartText(turn_id);
  // the server names a turn only when it has something to show of it
  if (role === "user" && kind === "chat" && liveTurn() === undefined) setLive(turn_id);
  if (document.hidden && role === "assistant" && content !== "") markTitle();
  drawLive();
  showEmpty();
  keepEnd();
}

/** Shows what the page has missed, and then lets it send. */
function greet({ session, messages, live, question }: EventOf<"hello">, isFresh: boolean): void {
  if (connection.failures > 0) refreshSessionsSoon();
  connection.failures = 0;
  showStatus("open", "Connected");
  // another conversation has begun while the page was away: what it shows is of the last one
  if (!isFresh && !isTranscriptEmpty() && session.epoch !== shownEpoch) return connect({ isFresh: true });
  shownEpoch = session.epoch;
  $("about").textContent = `${platformOf(inView.sessionKey)} · ${session.model}`;
  showTitle(session.title);
  const stick = (isFresh && isTranscriptEmpty()) || isNearEnd();
  // a screen reader is not to read the whole conversation out
  setReadOut(!isTranscriptEmpty());
  if (isFresh) keepMessages(new Set(messages.map(({ id }) => id)));
  setLive(live?.turn_id);
  for (const message of messages) takeMessage(message);
  if (live !== undefined) {
    for (const call of live.tools) showToolCall({ turn_id: live.turn_id, call });
    grow({ turn_id: live.turn_id, offset: 0, text: live.text });
  }
  showQuestion(question);
  offerEarlier();
  // only now, so that nothing is sent again that these messages have shown
  connection.isGreeted = true;
  flushOutbox();
  showOutbox();
  if (stick) scrollToEnd();
  requestAnimationFrame(() => setReadOut(true));
}
