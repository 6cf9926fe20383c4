import type { Money } from "#src/agent/budgets/money-budget";
import type { DayUsage } from "#src/domain/profile";
import type { Environment } from "./environment";
import type { SessionCore } from "./session-core";
import type { RunningTurn } from "./session-turns";

/** US dollars before this life of the turn; the day's are asked for only where they are limited. */
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
