import type { TurnHooks } from "#src/agent/turn-hooks";
import { type HookFields, type HookEventName, type HookSettlement, NO_OPINION } from "#src/domain/hook-event";

export type HookScript = Partial<
  Record<HookEventName, Partial<HookSettlement> | ((data: HookFields, count: number) => Partial<HookSettlement>)>
>;

/** Hooks that answer by a script, and remember what they were told. */
export function scriptedHooks(script: HookScript): TurnHooks & {
  readonly fired: readonly { readonly event: HookEventName; readonly data: HookFields }[];
  names(): readonly HookEventName[];
} {
  const fired: { event: HookEventName; data: HookFields }[] = [];
  const listens = (event: HookEventName): boolean => event in script;
  function answer(event: HookEventName, data: HookFields): HookSettlement {
    fired.push({ event, data });
    const said = script[event];
    const count = fired.filter((one) => one.event === event).length;
    return { ...NO_OPINION, ...(typeof said === "function" ? said(data, count) : said) };
  }
  return {
    fired,
    names: () => fired.map(({ event }) => event),
    listens,
    fire: async (event, data) => answer(event, data),
    tell: (events) => ({
      owed: events
        .filter(({ event }) => listens(event))
        .map(({ event }) => ({ hookId: "h", event, eventId: "evt_1", seq: 1, body: event })),
      call: async () => {
        for (const { event, data } of events) if (listens(event)) answer(event, data);
      },
    }),
  };
}
