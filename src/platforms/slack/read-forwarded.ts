import type { Attachment } from "#src/domain/message";
import { type Payload, payloadsIn, textIn } from "./fields";
import { readFiles } from "./read-files";
import { readText } from "./read-text";

/** What a person forwarded with a message, beside their own words. */
export interface Forwarded {
  /** Each message as a quotation, with whose it is. */
  readonly texts: readonly string[];
  readonly attachments: readonly Attachment[];
}

/** Messages that were forwarded: Slack leaves the text to the person who forwards, and puts them beside it. */
export function readForwarded(message: Payload): Forwarded {
  const shared = payloadsIn(message, "attachments").filter((attachment) => attachment["is_share"] === true);
  return { texts: shared.flatMap(quote), attachments: shared.flatMap(readFiles) };
}

function quote(shared: Payload): readonly string[] {
  const { text } = readText(textIn(shared, "text") ?? textIn(shared, "fallback") ?? "", undefined);
  if (text === "") return [];
  const author = textIn(shared, "author_name") ?? "someone";
  return [`Forwarded from ${author}:\n${text.replaceAll(/^/gm, "> ")}`];
}
