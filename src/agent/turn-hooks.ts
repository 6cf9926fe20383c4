import type { HookDelivery } from "#src/domain/hook";
import { type HookFields, type HookEventName, type HookSettlement, NO_OPINION } from "#src/domain/hook-event";

/** The hooks as one turn sees them: whoever makes it knows the session, the person and the turn. */
export interface TurnHooks {
  /** Whether anybody listens: what an event carries need not be made when nobody does. */
  listens(event: HookEventName): boolean;
  /**
   * Tells the hooks of an event and settles what they want. What is owed to observers over a wire is written with the
   * turn's next commit. Never throws.
   */
  fire(event: HookEventName, data: HookFields): Promise<HookSettlement>;
  /** Makes ready what is told of a step that is about to be committed: rows to commit with it, calls to make after it. */
  tell(events: readonly { readonly event: HookEventName; readonly data: HookFields }[]): Told;
}

export interface Told {
  readonly owed: readonly HookDelivery[];
  readonly call: () => Promise<void>;
}

/** A turn that nobody watches. */
export const NO_HOOKS: TurnHooks = {
  listens: () => false,
  fire: async () => NO_OPINION,
  tell: () => ({ owed: [], call: async () => undefined }),
};

/** Fires an event when anybody listens; what it carries is made only then. */
export async function fireIfHeard(
  hooks: TurnHooks,
  event: HookEventName,
  data: () => HookFields,
): Promise<HookSettlement> {
  return hooks.listens(event) ? hooks.fire(event, data()) : NO_OPINION;
}
