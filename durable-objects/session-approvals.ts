import type { GuardPorts } from "#src/agent/guard-call";
import type { TurnHooks } from "#src/agent/turn-hooks";
import type { Environment } from "./environment";
import type { SessionCore } from "./session-core";
import { noteToPerson } from "./session-journal";
import type { RunningTurn } from "./session-turns";

/** What stands between the calls of one turn and their run. */
export function guardOf(core: SessionCore, turn: RunningTurn, _environment: Environment, hooks: TurnHooks): GuardPorts {
  return {
    hooks,
    judge: () => ({ type: "run" }),
    isAsked: ({ id }) => turn.record.waiting?.callId === id && turn.record.waiting.isApproval === true,
    approve: async () => ({ type: "granted" }),
    notify: (notes) => noteToPerson(core, turn, notes),
    stopTurn: (message) => turn.control.stop(message),
  };
}
