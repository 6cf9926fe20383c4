/** US dollars by the stretches that an operator may limit. */
export interface Money {
  readonly turn: number;
  readonly session: number;
  readonly day: number;
}

/** What a model call cost; `undefined` when the model's price is not known. */
export type Cost = number | undefined;

/** A limit that was reached. */
export interface MoneyStop {
  readonly scope: keyof Money;
  /** What the person reads as the answer. */
  readonly sentence: string;
}

const WORDS: Readonly<Record<keyof Money, { readonly spent: string; readonly whatNow: string }>> = {
  turn: { spent: "This turn has cost", whatNow: "Ask me to go on, or for a smaller part of it." },
  session: { spent: "This conversation has cost", whatNow: "Begin a new one with /new, or raise budgets.session_usd." },
  day: { spent: "Today's work has cost", whatNow: "It goes on tomorrow (UTC), or when budgets.day_usd is raised." },
};

/** The widest comes first: when the day is over, a new conversation would not help. */
const SCOPES = ["day", "session", "turn"] as const;

/**
 * Judges before a model call whether there is money left for it. A limit of 0 is none. The last call may go beyond a
 * limit by what it cost: what a call will cost is only known after it.
 */
export function judgeMoney(spent: Money, limits: Money): MoneyStop | undefined {
  const scope = SCOPES.find((one) => limits[one] > 0 && spent[one] >= limits[one]);
  if (scope === undefined) return undefined;
  const { spent: words, whatNow } = WORDS[scope];
  return {
    scope,
    sentence: `⚠️ I stopped here: ${lowerFirst(words)} ${dollars(spent[scope])}, and the limit is ${dollars(limits[scope])}. ${whatNow}`,
  };
}

/** What was spent with one more call. A call of unknown price counts as nothing: nobody can say what it cost. */
export function withCost(spent: Money, cost: Cost): Money {
  const usd = cost !== undefined && Number.isFinite(cost) && cost > 0 ? cost : 0;
  return { turn: spent.turn + usd, session: spent.session + usd, day: spent.day + usd };
}

/** An amount as people write it; small ones keep two digits that say something. */
export function dollars(usd: number): string {
  if (usd > 0 && usd < 0.01) return `$${usd.toPrecision(2)}`;
  return `$${usd.toFixed(2)}`;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
