import type { Command, CommandContext } from "#src/domain/command";
import { counted, grouped } from "./markdown";

/** Days that an owner is shown. */
const MAX_DAYS = 7;

/** `/usage`: tokens of this conversation and, for the owner, of all of them by day. */
export const usage: Command = {
  name: "usage",
  summary: "Show the tokens used.",
  busy: "reject",
  async run(_args, context) {
    const { inputTokens, outputTokens, cachedInputTokens = 0, calls, costUsd } = context.session.usage;
    const cached = cachedInputTokens === 0 ? "" : ` (${grouped(cachedInputTokens)} from cache)`;
    const here = `**This conversation:** ${grouped(inputTokens)} tokens in${cached}, ${grouped(outputTokens)} out, ${counted(calls, "call")}${price(costUsd)}`;
    return { reply: [here, ...(await days(context))].join("\n") };
  },
};

async function days({ user, profilePort }: CommandContext): Promise<readonly string[]> {
  if (!user.isOwner) return [];
  const all = [...(await profilePort.usage())].sort((a, b) => b.day.localeCompare(a.day)).slice(0, MAX_DAYS);
  if (all.length === 0) return [];
  const lines = all.map(
    ({ day, inputTokens, outputTokens, calls, costUsd }) =>
      `- ${day}: ${grouped(inputTokens)} in, ${grouped(outputTokens)} out, ${counted(calls, "call")}${price(costUsd)}`,
  );
  return ["**All conversations, by day (UTC)**", ...lines];
}

/** What is known of the price: nothing is said where nothing is. */
function price(usd: number | undefined): string {
  if (usd === undefined || usd === 0) return "";
  return `, $${usd < 0.01 ? usd.toPrecision(2) : usd.toFixed(2)}`;
}
