import { type HookUrlPolicy, type UrlClass, judgeUrl } from "./judge-url";
import type { NameVerdict, ResolvePublic } from "./resolve-public";

/** Whether a hook's URL may be called now. `stage`: refused for its text, or for what its name resolves to. */
export type GuardVerdict =
  | { readonly class: "public"; readonly url: URL; readonly addresses?: readonly string[] }
  | { readonly class: Exclude<UrlClass, "public">; readonly stage: "parse" }
  | (Exclude<NameVerdict, { readonly class: "public" }> & { readonly stage: "call" });

export interface GuardContext {
  readonly policy: HookUrlPolicy;
  readonly resolvePublic: ResolvePublic;
  /** The approval that the URL was allowed by. */
  readonly scope: string;
  readonly signal: AbortSignal;
}

/** Both stages of the guard, for use before every call: a name that was public yesterday may not be today. */
export async function guardUrl(text: string, context: GuardContext): Promise<GuardVerdict> {
  const judged = judgeUrl(text, context.policy);
  if (judged.class !== "public") return { class: judged.class, stage: "parse" };
  if (judged.resolve === undefined) return { class: "public", url: judged.url };
  const named = await context.resolvePublic(judged.resolve, context.scope, context.signal);
  if (named.class !== "public") return { ...named, stage: "call" };
  return { class: "public", url: judged.url, addresses: named.addresses };
}
