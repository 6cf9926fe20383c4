import type { Usage } from "#src/domain/provider";
import type { ModelPrice } from "./model-metadata";

/** US dollars that a call cost. */
export function costOf(usage: Usage, price: ModelPrice): number {
  const { inputTokens, outputTokens, cachedInputTokens = 0, cacheWriteTokens = 0 } = usage;
  const tier = price.tiers?.findLast(({ aboveInputTokens }) => inputTokens > aboveInputTokens);
  const { inputTimes, outputTimes } = tier ?? { inputTimes: 1, outputTimes: 1 };
  // vendors count what the cache had into the input; one that does not must not make the rest negative
  const uncached = Math.max(0, inputTokens - cachedInputTokens - cacheWriteTokens);
  const input =
    uncached * price.input +
    cachedInputTokens * (price.cachedInput ?? price.input) +
    cacheWriteTokens * (price.cacheWrite ?? price.input);
  return (input * inputTimes + outputTokens * price.output * outputTimes) / 1_000_000;
}
