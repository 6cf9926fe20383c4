import type { HookDecision, HookOccurrence } from "#src/domain/hook-event";
import type { Hook } from "#src/domain/hook";
import type { EngagedHook } from "#src/hooks/engaged-hook";
import type { Firing } from "#src/hooks/firing";
import { engaged, hookLog, occurrenceOf } from "./hook-fixtures";

/** What a stand-in hook says, maybe depending on what it is shown. */
export type Answer =
  | HookDecision
  | undefined
  | ((occurrence: HookOccurrence, round: number) => HookDecision | undefined);

/** A hook for a firing: its definition and its answer. */
export interface Speaker {
  readonly hook?: Partial<Hook>;
  readonly rest?: Partial<EngagedHook>;
  readonly says: Answer;
}

/** A firing whose hooks answer by a script, and what was asked of whom. */
export function scriptedFiring(
  speakers: Readonly<Record<string, Speaker["says"] | Speaker>>,
  { occurrence = occurrenceOf(), ...over }: Partial<Firing> = {},
) {
  const asked: { readonly id: string; readonly occurrence: HookOccurrence; readonly round: number }[] = [];
  const { entries, log } = hookLog();
  const said = new Map<string, Answer>();
  const hooks = Object.entries(speakers).map(([id, one]) => {
    const speaker: Speaker = isSpeaker(one) ? one : { says: one };
    said.set(id, speaker.says);
    return engaged({ id, name: id, ...speaker.hook }, speaker.rest);
  });
  const firing: Firing = {
    occurrence,
    hooks,
    ask: async (one, shown, round = 0) => {
      asked.push({ id: one.hook.id, occurrence: shown, round });
      const answer = said.get(one.hook.id);
      return typeof answer === "function" ? answer(shown, round) : answer;
    },
    log,
    validate: () => undefined,
    isRepeated: () => false,
    ...over,
  };
  return {
    firing,
    asked,
    log: entries,
    askedIds: () => asked.map(({ id, round }) => (round === 0 ? id : `${id}#${round}`)),
  };
}

function isSpeaker(value: Speaker["says"] | Speaker): value is Speaker {
  return typeof value === "object" && value !== null && "says" in value;
}
