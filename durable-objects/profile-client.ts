import { GatewayError } from "#src/domain/errors";
import type { MemoryStore } from "#src/domain/tool";

/** The memory of a profile, over its Durable Object. */
export function openMemory(env: Env, profile: string): MemoryStore {
  const stub = env.PROFILES.getByName(profile);
  return {
    read: async (target) => stub.readMemory(target),
    async write(target, entries, expected) {
      try {
        await stub.writeMemory(target, entries, expected);
      } catch (error) {
        // RPC keeps an error's message and drops its class
        throw new GatewayError(
          "conflict",
          error instanceof Error ? error.message : "The memory could not be written.",
          { cause: error },
        );
      }
    },
  };
}
