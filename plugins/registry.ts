import type { Plugin } from "#src/domain/plugin";

/** Every plugin that is deployed with the Worker. A new one is a folder here and one line. */
export const plugins: readonly Plugin[] = [];
