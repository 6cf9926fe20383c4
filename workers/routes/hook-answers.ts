import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { HooksAuthor, HooksRefusal } from "../../durable-objects/edit-hooks";
import { problemResponse } from "../problem";

/** Whoever holds the operator's token is a person: it is the only one that opens this API. */
export const OPERATOR: HooksAuthor = { principal: "operator", surface: "api", method: "ui" };

/** HTTP status of each refusal; the words are part of the API. */
export const STATUS: Readonly<Record<HooksRefusal["refused"] | "hook_not_active", ContentfulStatusCode>> = {
  hook_not_found: 404,
  hooks_unreadable: 400,
  hook_not_editable: 409,
  hook_id_taken: 409,
  hook_unsigned: 409,
  hook_not_active: 409,
  digest_mismatch: 409,
  address_refused: 409,
  version_mismatch: 412,
  too_large: 413,
};

export function refuse(c: Context, { refused, detail }: HooksRefusal): Response {
  return problemResponse(c, STATUS[refused], refused, detail);
}
