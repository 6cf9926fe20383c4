import type { Money } from "#src/agent/budgets/money-budget";
import type { DayUsage } from "#src/domain/profile";
import type { Environment } from "./environment";
import type { SessionCore } from "./session-core";
import type { SessionStore } from "./session-store";
import type { RunningTurn } from "./session-turns";

const SCOPES = ["turn", "session", "day"] as const satisfies readonly (keyof Money)[];

/** What a turn may cost whose parent has nothing left: a limit of 0 would be none. */
const LEAST_USD = 0.0001;

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

/** US dollars that a turn may still give away: not spent, nor set aside for a subagent that runs; undefined where nothing is limited. */
export function moneyLeft(core: SessionCore, turn: RunningTurn, limits: Money): number | undefined {
  const spent = spentByNow(core, turn);
  const left = SCOPES.filter((scope) => limits[scope] > 0).map((scope) => limits[scope] - spent[scope]);
  const running = core.store.children().filter(({ status }) => status === "running");
  const aside = running.reduce((sum, { budgetUsd = 0, costUsd = 0 }) => sum + Math.max(0, budgetUsd - costUsd), 0);
  return left.length === 0 ? undefined : Math.max(0, Math.min(...left) - aside);
}

/** The limits of a session: a subagent's turn has no more money than its parent's had left. */
export function limitsOf(core: SessionCore, { limits }: Environment): Environment["limits"] {
  const { money } = limits;
  const budget = core.facts().parent?.budgetUsd;
  if (budget === undefined) return limits;
  const turn = Math.max(LEAST_USD, Math.min(budget, money.turn > 0 ? money.turn : Number.POSITIVE_INFINITY));
  return { ...limits, money: { ...money, turn } };
}

function costOfDays(days: readonly DayUsage[]): number {
  return days.reduce((sum, { costUsd = 0 }) => sum + costUsd, 0);
}
