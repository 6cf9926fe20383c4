import { HOOK_EVENTS, type HookDecision, type HookEventName, type HookEventSpec } from "#src/domain/hook-event";
import type { HookDialectName } from "#src/domain/hook";
import { supports } from "./decision-fields";
import { DIALECTS } from "./dialects/registry";

/** One event as people choose it: what it is for, what a hook may answer, and what other systems call it. */
export interface CatalogueEntry {
  readonly name: HookEventName;
  readonly kind: HookEventSpec["kind"];
  readonly when: string;
  /** No such moment exists here. */
  readonly absent?: true;
  /** Fields of a decision that mean something here. */
  readonly answers: readonly (keyof HookDecision)[];
  readonly names: Readonly<Partial<Record<HookDialectName, readonly string[]>>>;
}

const FIELDS = Object.keys({
  decision: 1,
  reason: 1,
  stop: 1,
  keepGoing: 1,
  prevent: 1,
  skip: 1,
  input: 1,
  text: 1,
  output: 1,
  context: 1,
  notes: 1,
  permission: 1,
  elicitation: 1,
  retry: 1,
  ruleKey: 1,
  meta: 1,
} satisfies Record<keyof HookDecision, 1>) as readonly (keyof HookDecision)[]; // its keys are those of a decision

/** Every event, in the order of a turn. */
export function eventCatalogue(): readonly CatalogueEntry[] {
  // the keys of HOOK_EVENTS are the names of events
  return (Object.keys(HOOK_EVENTS) as readonly HookEventName[]).map((name) => {
    const spec: HookEventSpec = HOOK_EVENTS[name];
    return {
      name,
      kind: spec.kind,
      when: spec.when,
      ...(spec.absent === undefined ? {} : { absent: spec.absent }),
      answers: FIELDS.filter((field) => supports(name, field)),
      names: namesOf(name),
    };
  });
}

function namesOf(event: HookEventName): CatalogueEntry["names"] {
  const all = Object.values(DIALECTS)
    .filter(({ name }) => name !== "native")
    .map((dialect) => {
      const names = dialect.nativeEvents.filter((native) => dialect.resolveEvent(native)?.includes(event) === true);
      return [dialect.name, names] as const;
    });
  return Object.fromEntries(all.filter(([, names]) => names.length > 0));
}
