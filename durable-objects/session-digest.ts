import type { DayUsage, SessionDigest } from "#src/domain/profile";
import type { SessionCore } from "./session-core";

/** Whether the session has rows that its profile has not been told of. */
export function isUntold(core: SessionCore): boolean {
  return (core.rows().at(-1)?.id ?? 0) > core.facts().digestedTo;
}

/** Tells the profile what has come of this session: sums, so that a second telling changes nothing. */
export async function tellProfile(
  core: SessionCore,
  platform: string,
  record: (digest: SessionDigest) => Promise<void>,
): Promise<void> {
  if (!isUntold(core)) return;
  const facts = core.facts();
  const news = core.store.since(facts.digestedTo);
  const usage = addUsage(facts.usage, core.store.usageSince(facts.digestedTo));
  const messageCount = facts.messageCount + news.messages;
  await record({
    key: core.key,
    platform,
    ...(facts.title === undefined ? {} : { title: facts.title }),
    preview: news.preview,
    updatedAt: news.lastAt,
    messageCount,
    usage,
    owesDeliveries: core.deliveries.list().length + core.observers.list().length > 0,
  });
  core.commit(() => core.setFacts({ ...core.facts(), digestedTo: news.lastId, messageCount, usage }));
}

/** Two sums of one day and model together. */
export function addDay<Day extends DayUsage>(sum: Day, more: DayUsage): Day {
  return {
    ...sum,
    calls: sum.calls + more.calls,
    inputTokens: sum.inputTokens + more.inputTokens,
    outputTokens: sum.outputTokens + more.outputTokens,
    cachedInputTokens: (sum.cachedInputTokens ?? 0) + (more.cachedInputTokens ?? 0),
    cacheWriteTokens: (sum.cacheWriteTokens ?? 0) + (more.cacheWriteTokens ?? 0),
    costUsd: (sum.costUsd ?? 0) + (more.costUsd ?? 0),
  };
}

/** Sums by day and model, with what has come since. */
function addUsage(sums: readonly DayUsage[], news: readonly DayUsage[]): DayUsage[] {
  const same = (a: DayUsage, b: DayUsage): boolean => a.day === b.day && a.model === b.model;
  const grown = sums.map((sum) => {
    const more = news.find((one) => same(one, sum));
    if (more === undefined) return sum;
    return addDay(sum, more);
  });
  return [...grown, ...news.filter((one) => !sums.some((sum) => same(one, sum)))];
}
