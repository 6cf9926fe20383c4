import type { HookValue } from "#src/domain/hook-event";
import type { JsonObject } from "#src/domain/json";
import type { HookRow } from "./list-hooks";
import { plainJson } from "./plain-json";
import type { EventTrial, HookTrial } from "./try-hook";

/** Longest part of what was sent or came back that a person is shown, in characters. */
const MAX_SHOWN = 1500;

/** The answer to `/hooks test` for one hook: what it was sent, what came back, and what that means. */
export function describeTrial({ id, event, target }: HookRow, trial: HookTrial): string {
  const { isMatched, payload = {}, decision, log, result } = trial;
  return [
    `**${id}** ${event} → ${target}`,
    ...(isMatched ? [] : ["⚠ its matcher does not take this event: it was called for the test alone"]),
    `sent: \`${shortened(JSON.stringify(payload))}\``,
    result === undefined
      ? "it was not called"
      : `answered in ${Math.round(result.durationMs)} ms: ${result.why ?? `exit ${result.exit}`} \`${shortened(answerOf(trial))}\``,
    `means: ${decision === undefined ? "no opinion" : `\`${shortened(JSON.stringify(decision))}\``}`,
    ...log.filter(({ level }) => level !== "debug").map(({ code, message }) => `⚠ ${message ?? code}`),
  ].join("\n");
}

/** A trial for programs. Plain JSON. */
export function trialReport({ isMatched, payload = {}, decision, log, result }: HookTrial): JsonObject {
  return plainJson({
    matched: isMatched,
    request: payload,
    ...(result === undefined
      ? {}
      : {
          response: {
            exit: result.exit,
            via: result.via,
            stdout: result.stdout,
            stderr: result.stderr,
            duration_ms: Math.round(result.durationMs),
            ...(result.status === undefined ? {} : { status: result.status }),
            // the transport has made it plain
            ...(result.returned === undefined ? {} : { returned: result.returned as HookValue }),
            ...(result.why === undefined ? {} : { why: result.why }),
          },
        }),
    decision: decision === undefined ? null : { ...decision },
    log: log.map(({ level, code, message }) => ({ level, code, ...(message === undefined ? {} : { message }) })),
  });
}

/** An event that was tried on its hooks, `rows`, for programs: one that was passed over has nothing but its status. */
export function eventTrialReport(rows: readonly HookRow[], { settlement, trials, log }: EventTrial): JsonObject {
  return plainJson({
    hooks: rows.map(({ id, name, status }) => {
      const trial = trials.get(id);
      return {
        hook: id,
        name,
        status,
        called: trial !== undefined,
        ...(trial === undefined ? {} : trialReport(trial)),
      };
    }),
    settlement: { ...settlement },
    log: log.map(({ level, code, hook, message }) => ({ level, code, hook, message })),
  });
}

function answerOf({ result }: HookTrial): string {
  if (result === undefined) return "";
  if (result.returned !== undefined) return JSON.stringify(result.returned) ?? "";
  return [result.stdout, result.stderr].filter((text) => text !== "").join(" | ");
}

function shortened(text: string): string {
  const plain = text.replaceAll("`", "'");
  return plain.length > MAX_SHOWN ? `${plain.slice(0, MAX_SHOWN)}…` : plain;
}
