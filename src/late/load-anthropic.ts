import type { BaseAnthropic } from "@anthropic-ai/sdk/client";

/** The client of the Anthropic SDK, as `scripts/build-late.ts` builds it. */
export interface AnthropicSdk {
  readonly BaseAnthropic: typeof BaseAnthropic;
}

let loaded: AnthropicSdk | undefined;

/** Loads the SDK's client, which only those need who ask such a model. */
export async function loadAnthropic(): Promise<AnthropicSdk> {
  // not its promise: one that belongs to an object that was ended never settles for the others
  // oxlint-disable-next-line typescript/no-unnecessary-type-assertion -- the file may not be built when types are checked
  loaded ??= (await import("./dist/anthropic.js" as string)) as AnthropicSdk;
  return loaded;
}
