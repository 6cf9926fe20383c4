import type { HookEventName } from "#src/domain/hook-event";
import type { Hook } from "#src/domain/hook";

/** Longest that all hooks of one event may take together. */
const EVENT_BUDGET_MS = 120_000;
/** Longest that all hooks of one turn may take together. */
const TURN_BUDGET_MS = 300_000;

/** Longest that one call may take, by how it is made. Over HTTP a decision has to be there before the platform gives up. */
const TRANSPORT_CAP_MS: Readonly<Record<Hook["target"]["type"], number>> = {
  http: 120_000,
  command: 300_000,
  module: 120_000,
  prompt: 120_000,
};

const EVENT_CAP_MS: Partial<Record<HookEventName, number>> = { "model.pre": 30_000, "response.display": 10_000 };

/** Turns whose time is remembered: the last of a session that anybody still calls hooks in. */
const MAX_TURNS = 32;

/** The longest that a hook may take at an event, before budgets. */
export function timeoutOf(hook: Hook, event: HookEventName): number {
  return Math.min(hook.timeoutMs, TRANSPORT_CAP_MS[hook.target.type], EVENT_CAP_MS[event] ?? Number.POSITIVE_INFINITY);
}

/** The time that hooks of one event have left; what is used counts for its turn too. */
export interface EventBudget {
  /** Milliseconds that are left of the event's and the turn's time; never below 0. */
  left(): number;
}

/** Counts the time that hooks take, for all turns of a session. */
export interface TimeBudgets {
  /** Opens the budget of one event; `turn` is what its turn is called. `close` books what it took. */
  open(turn: string): EventBudget & { close(): void };
}

/** Budgets of time, by a clock in epoch milliseconds. */
export function timeBudgets(now: () => number): TimeBudgets {
  const usedMs = new Map<string, number>();
  return {
    open(turn) {
      const startedAt = now();
      const before = usedMs.get(turn) ?? 0;
      return {
        left: () => {
          const took = now() - startedAt;
          return Math.max(0, Math.min(EVENT_BUDGET_MS - took, TURN_BUDGET_MS - before - took));
        },
        close() {
          const took = now() - startedAt;
          if (took === 0) return;
          usedMs.set(turn, (usedMs.get(turn) ?? 0) + took);
          const oldest = usedMs.size > MAX_TURNS ? usedMs.keys().next().value : undefined;
          if (oldest !== undefined) usedMs.delete(oldest);
        },
      };
    },
  };
}
