import { countField, field, textField } from "./json";

/** One piece of a model's reasoning as routers pass it on: text, a summary, or what only the vendor can read. */
export type ReasoningDetail = Readonly<Record<string, unknown>>;

/**
 * Puts streamed pieces of `reasoning_details` together: those of one index and type are one, their texts joined.
 * Source: https://openrouter.ai/docs/guides/best-practices/reasoning-tokens#preserving-reasoning
 */
export function addReasoningDetails(into: Record<string, unknown>[], pieces: unknown): void {
  if (!Array.isArray(pieces)) return;
  for (const piece of pieces) {
    if (typeof piece !== "object" || piece === null) continue;
    const index = countField(piece, "index");
    const type = field(piece, "type");
    const last = into.findLast((each) => each["index"] === index && each["type"] === type);
    if (last === undefined || index === undefined) into.push({ ...piece });
    else merge(last, piece as Record<string, unknown>); // checked above; the names are the vendor's
  }
}

/** What a person can read of the pieces. */
export function detailsText(pieces: unknown): string {
  if (!Array.isArray(pieces)) return "";
  return pieces.map((piece) => textField(piece, "text") ?? textField(piece, "summary") ?? "").join("");
}

const JOINED = new Set(["text", "summary", "data"]);

function merge(into: Record<string, unknown>, piece: Readonly<Record<string, unknown>>): void {
  for (const [key, value] of Object.entries(piece)) {
    const before = into[key];
    if (JOINED.has(key) && typeof before === "string" && typeof value === "string") into[key] = before + value;
    else if (value !== null && value !== undefined) into[key] = value;
  }
}
