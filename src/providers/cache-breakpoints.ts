import type { WireBlock, WireMessage, WireTool } from "./anthropic-messages";

/** The parts of a Messages request that can be cached. */
export interface CacheableParts {
  readonly tools: readonly WireTool[];
  readonly system: readonly WireBlock[];
  readonly messages: readonly WireMessage[];
}

/** Breakpoints that a request may have. Source: https://platform.claude.com/docs/en/build-with-claude/prompt-caching */
const MOST_BREAKPOINTS = 4;
const MARK = { cache_control: { type: "ephemeral" } } as const;
/** Blocks that cannot carry a mark themselves. */
const UNMARKABLE = new Set<unknown>(["thinking", "redacted_thinking"]);

/**
 * Marks how far a request may be cached: the beginning of the system prompt that never changes, its end, and the ends
 * of the latest messages with what is left of the four. A mark holds for everything before it, tools first; they are
 * marked themselves only where there is no system prompt.
 */
export function markBreakpoints({ tools, system, messages }: CacheableParts): CacheableParts {
  const isToolMarked = system.length === 0 && tools.length > 0;
  const marked = new Set(system.length === 0 ? [] : [0, system.length - 1]);
  const left = MOST_BREAKPOINTS - marked.size - (isToolMarked ? 1 : 0);
  const firstMarked = messages.length - left;
  return {
    tools: isToolMarked ? markLast(tools) : tools,
    system: system.map((block, at) => (marked.has(at) ? { ...block, ...MARK } : block)),
    messages: messages.map((message, at) =>
      at < firstMarked ? message : { ...message, content: markLast(message.content) },
    ),
  };
}

function markLast<T extends WireTool>(blocks: readonly T[]): readonly T[] {
  const at = blocks.findLastIndex((block) => !UNMARKABLE.has(block["type"]));
  return blocks.map((block, i) => (i === at ? { ...block, ...MARK } : block));
}
