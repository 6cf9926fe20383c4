import type { OpenAI } from "openai";

/** The `openai` SDK, as `scripts/build-late.ts` builds it. */
export interface OpenAiSdk {
  readonly OpenAI: typeof OpenAI;
}

let loaded: OpenAiSdk | undefined;

/** Loads the SDK: a module of its own, a quarter of the Worker, which only those need who ask such a model. */
export async function loadOpenAi(): Promise<OpenAiSdk> {
  // not its promise: one that belongs to an object that was ended never settles for the others
  // oxlint-disable-next-line typescript/no-unnecessary-type-assertion -- the file may not be built when types are checked
  loaded ??= (await import("./dist/openai.js" as string)) as OpenAiSdk;
  return loaded;
}
