import type { Money } from "#src/agent/budgets/money-budget";
import type { DayUsage } from "#src/domain/profile";
import type { Environment } from "./environment";
import type { SessionCore } from "./session-core";
import type { SessionStore } from "./session-store";
import type { RunningTurn } from "./session-turns";

/** US dollars that a session and its subagents have cost since it exists. */
export function costOf(store: SessionStore): number {
  return store.exists() ? costOfDays(store.usageSince(0)) + (store.childCosts()?.total ?? 0) : 0;
}

/** What a turn has spent by now, with what its subagents have. */
export function spentByNow(core: SessionCore, { record, spent, childrenBefore }: RunningTurn): Money {
  const costs = core.store.childCosts();
  if (costs === undefined) return spent;
  return {
    turn: spent.turn + (costs.turnId === record.id ? costs.turn : 0),
    session: spent.session + (costs.epoch === core.facts().epoch ? costs.session : 0),
    // what they had cost before this life of the turn, they have told the profile themselves
    day: spent.day + costs.total - childrenBefore,
  };
}

/** US dollars before this life of the turn, without its subagents'; the day's are asked for only where they are limited. */
export async function spentSoFar(core: SessionCore, turn: RunningTurn, { limits }: Environment): Promise<Money> {
  const { money } = limits;
  if (money.turn + money.session + money.day === 0) return { turn: 0, session: 0, day: 0 };
  const { epoch, digestedTo } = core.facts();
  const session = costOfDays(core.store.usageSince(0, epoch));
  const today = new Date(core.now()).toISOString().slice(0, 10);
  // the profile is told of a session when that rests: what it has not heard yet stands here
  const untold = costOfDays(core.store.usageSince(digestedTo).filter(({ day }) => day === today));
  const day = money.day === 0 ? 0 : (await core.spentToday()) + untold;
  return { turn: core.store.turnCost(turn.record.id), session, day };
}

function costOfDays(days: readonly DayUsage[]): number {
  return days.reduce((sum, { costUsd = 0 }) => sum + costUsd, 0);
}
