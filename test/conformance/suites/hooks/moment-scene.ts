import type { HookEventName, HookSettlement } from "#src/domain/hook-event";
import type { Seen, SessionScene, Stage } from "./scene";
import { contextsOf, playTurns } from "./turn-scene";
import { textOf } from "./text-of";

/** Plays an inbound message: the hooks that stand before everything else, then access, then the turn. */
export async function playMessage(stage: Stage, scene: SessionScene): Promise<Seen> {
  const { about } = stage;
  const notes: string[] = [];
  const settled =
    about.data["internal"] === true ? undefined : await stage.hooksFor(scene).fire("message.received", about.data);
  notes.push(...(settled?.notes ?? []));
  const ran = { auth_ran: true, pairing_ran: false, agent_ran: true };
  if (settled?.skip !== undefined || settled?.outcome === "deny" || settled?.outcome === "stop") {
    const none = { auth_ran: false, pairing_ran: false, agent_ran: false };
    return { ...none, outcome: "drop", reason: settled.skip?.reason ?? settled.reason, user_notes: notes };
  }
  const given = textOf(about.data["text"], "hi");
  const text = settled?.text ?? given;
  const turn = await playTurns(stage, { ...scene, turns: 1, text });
  return {
    ...turn,
    ...ran,
    outcome: text === given ? "proceed" : "rewrite",
    reason: settled?.reason,
    text_final: text,
  };
}

/** Plays a conversation that a command ends, and what comes after it. */
export async function playSession(stage: Stage, scene: SessionScene): Promise<Seen> {
  const { simulate } = stage;
  const { old_session_id = "old", new_session_id = "new", then_message } = simulate;
  const hasCommand = simulate.user_command !== undefined;
  const old = { ...scene, ...(hasCommand ? { sessionId: old_session_id } : {}) };
  const next = { ...scene, sessionId: new_session_id };
  let seen: Seen = {};
  if (simulate.turns !== undefined || !hasCommand) {
    seen = await playTurns(stage, { ...old, turns: simulate.turns ?? 1, sessionStart: "startup" });
  }
  if (simulate.user_command !== undefined) {
    await playCommand(stage, simulate.user_command, old, next);
  }
  if (then_message !== undefined) {
    const session = hasCommand ? next : { ...scene, sessionId: old_session_id };
    seen = await playTurns(stage, { ...session, turns: 1, text: then_message, sessionStart: "clear" });
  }
  if (simulate.then === "session_closed") await playEnd(stage, old, "other");
  return seen;
}

async function playCommand(stage: Stage, text: string, old: SessionScene, next: SessionScene): Promise<void> {
  const [, name = "", args = ""] = /^\/(\S+)\s*(.*)$/s.exec(text) ?? [];
  const settled = await stage.hooksFor(old).fire("command.received", { command: name, args });
  if (settled.outcome === "deny" || settled.outcome === "stop") return;
  if (name !== "new" && name !== "reset") return;
  await playEnd(stage, old, "reset");
  await stage.hooksFor(next).fire("session.reset", { reason: "reset" });
}

async function playEnd(stage: Stage, scene: SessionScene, reason: string): Promise<void> {
  const hooks = stage.hooksFor(scene);
  await hooks.fire("session.finalize", { reason, status: "end" });
  await hooks.fire("session.end", { reason, status: "end" });
}

/** Plays the end of subagents: one after the other, each until nobody keeps it going. */
export async function playSubagents(stage: Stage, scene: SessionScene): Promise<Seen> {
  const children = stage.simulate.delegate_children ?? 1;
  const hooks = stage.hooksFor(scene);
  let first: HookSettlement | undefined;
  let continuations = 0;
  const notes: string[] = [];
  for (let child = 0; child < children; child += 1) {
    for (let attempt = 0; attempt < 20; attempt += 1) {
      const { data } = stage.about;
      const settled = await hooks.fire("subagent.stop", {
        ...data,
        attempt,
        stop_hook_active: attempt > 0 || data["stop_hook_active"] === true,
      });
      first ??= settled;
      notes.push(...settled.notes);
      if (settled.keepGoing === undefined) break;
      continuations += 1;
    }
  }
  const isKept = first?.keepGoing !== undefined;
  return {
    outcome: isKept ? "keep_going" : isObserved(stage) ? "proceed" : "stop",
    reason: first?.keepGoing?.message ?? first?.reason,
    target: "subagent",
    max_continuations: continuations,
    final_outcome: "stop",
    user_notes: notes,
  };
}

/** In these dialects the end of a subagent is only told. */
function isObserved({ test }: Stage): boolean {
  return test.dialect === "hermes" || test.dialect === "clawdcode";
}

/** Raises a moment at the dispatcher, as whatever stands around it would. */
export async function playMoment(stage: Stage, scene: SessionScene): Promise<Seen> {
  const { event, data } = stage.about;
  const settled = await stage.hooksFor(scene).fire(event, data);
  const { outcome } = settled;
  const isRefused = outcome === "deny" || outcome === "stop";
  const text = settled.text ?? data["text"];
  return {
    outcome: momentOutcome(event, settled),
    reason: settled.prevent?.reason ?? settled.reason,
    sent: !isRefused,
    compacted: !isRefused,
    model_called: !isRefused,
    tool_executed: false,
    text_final: text,
    user_notes: settled.notes,
    turn_stopped: outcome === "stop",
    contexts: contextsOf(stage.fired, [settled.context ?? ""]),
  };
}

function momentOutcome(event: HookEventName, { outcome, text }: HookSettlement): string {
  if (outcome === "stop") return "stop_turn";
  if (outcome === "deny") return event === "compaction.pre" ? "prevent" : "deny";
  if (outcome === "ask" || outcome === "defer") return "ask";
  return text === undefined ? "proceed" : "rewrite";
}
