import * as z from "zod";
import type { JsonObject } from "#src/domain/json";

/** Sentences of what is wrong that a model is told at the most. */
const MAX_ERRORS = 10;

/** What keeps an answer from fitting a JSON Schema, in sentences; empty when it fits. */
export function checkAnswer(answer: string, schema: JsonObject): readonly string[] {
  let value: unknown;
  try {
    value = JSON.parse(jsonIn(answer));
  } catch {
    return ["it is not JSON"];
  }
  try {
    // a model wrote the schema: what zod does not know of it is an error told to it, not to us
    const parsed = z.fromJSONSchema(schema).safeParse(value);
    if (parsed.success) return [];
    const { issues } = parsed.error;
    return issues.slice(0, MAX_ERRORS).map(({ path, message }) => `${path.join(".") || "the answer"}: ${message}`);
  } catch (error) {
    return [`the schema itself cannot be read: ${error instanceof Error ? error.message : "unknown reason"}`];
  }
}

/** The JSON of an answer: inside its code fence when it stands in one. */
function jsonIn(answer: string): string {
  const trimmed = answer.trim();
  if (!trimmed.startsWith("```")) return trimmed;
  const body = trimmed.slice(trimmed.indexOf("\n") + 1);
  const end = body.lastIndexOf("```");
  return end === -1 ? body : body.slice(0, end);
}
