import type { Hook } from "#src/domain/hook";
import { HOOK_EVENTS, type HookEventName } from "#src/domain/hook-event";
import type { HookRow } from "./list-hooks";

/** The answer to `/hooks show`: all of one hook, and what of a conversation leaves with it. */
export function describeHook(hook: Hook, row: HookRow): string {
  const lines: readonly (readonly [string, string | undefined])[] = [
    ["event", `${hook.dialect}:${row.event} (${row.events.join(", ") || "no such moment here"})`],
    ["target", row.target],
    ["from", `${row.source} (${hook.rank})`],
    ["status", row.status],
    ["matches", row.matcher === undefined ? "everything" : JSON.stringify(row.matcher)],
    ["only if", hook.condition],
    ["time-out", `${row.timeoutSeconds} s`],
    [
      "when it fails",
      hook.onError === hook.onTimeout ? hook.onError : `${hook.onError}; out of time: ${hook.onTimeout}`,
    ],
    ["may", hook.observe ? "observe" : capabilitiesOf(hook.events).join(", ")],
    ["gets", describeWhatLeaves(hook)],
    ["approved form", row.digest],
    ...row.flags.map(({ message }): readonly [string, string] => ["note", message]),
  ];
  return [
    `**${row.id}**`,
    ...lines.flatMap(([label, value]) => (value === undefined ? [] : [`- ${label}: ${value}`])),
  ].join("\n");
}

/** What hooks of these events can do, in the words of approvals. */
function capabilitiesOf(events: readonly HookEventName[]): readonly string[] {
  const words = events.flatMap((event) => {
    const spec = HOOK_EVENTS[event];
    return [
      ...CAPABILITIES[spec.kind],
      ...("injects" in spec ? ["inject"] : []),
      ...(event === "tool.pre" ? ["rewrite"] : []),
    ];
  });
  return [...new Set(words)];
}

const CAPABILITIES = {
  gate: ["block"],
  inject: ["inject"],
  transform: ["transform"],
  claim: ["block", "rewrite"],
  "keep-going": ["keep_going"],
  observe: ["observe"],
} as const satisfies Record<(typeof HOOK_EVENTS)[HookEventName]["kind"], readonly string[]>;

function describeWhatLeaves({ target, events, fields }: Hook): string {
  if (target.type === "module") return "everything the event carries; it stays inside the Worker";
  const about = [...new Set(events.map((event) => event.split(".")[0]))].join(", ");
  return `what ${about || "its event"} carries${fields === undefined ? "" : `, as far as ${JSON.stringify(fields)} lets it`}`;
}
