import * as z from "zod";
import type { HookCommandResult } from "#src/domain/hook-command";

/** Content type of an answer that carries what a local command did. */
export const EXEC_CONTENT_TYPE = "application/vnd.agent-hook.exec+json";

const envelopeSchema = z.object({
  exit_code: z.int().nullish(),
  stdout: z.string().default(""),
  stderr: z.string().default(""),
  timed_out: z.boolean().optional(),
  error: z.string().min(1).optional().catch(undefined),
  duration_ms: z.number().nonnegative().optional(),
  script_sha256: z.string().optional(),
});

/** Reads an exec envelope that came over the wire; undefined when the text is none. */
export function readExecEnvelope(text: string): HookCommandResult | undefined {
  const parsed = envelopeSchema.safeParse(parseJson(text));
  if (!parsed.success) return undefined;
  const { exit_code, stdout, stderr, timed_out, error, duration_ms, script_sha256 } = parsed.data;
  // nothing is said about how it ended: then nothing was
  if (exit_code === undefined && timed_out === undefined && error === undefined) return undefined;
  return {
    exit_code: exit_code ?? null,
    stdout,
    stderr,
    ...(timed_out === undefined ? {} : { timed_out }),
    ...(error === undefined ? {} : { error }),
    ...(duration_ms === undefined ? {} : { duration_ms }),
    ...(script_sha256 === undefined ? {} : { script_sha256 }),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
