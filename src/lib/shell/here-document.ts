import { partsOfText } from "./read-word";
import type { PendingHereDoc, Reader } from "./reader";

/** Passes a line break and reads the bodies of the here-documents that begin behind it. */
export function passLineBreak(reader: Reader): void {
  reader.at += 1;
  for (const pending of reader.pending.splice(0)) readBody(reader, pending);
}

/** A body that nothing ends goes to the end of the text, as a shell takes it. */
function readBody(reader: Reader, { delimiter, isLiteral, stripsTabs, body }: PendingHereDoc): void {
  const { text } = reader;
  const lines: string[] = [];
  while (reader.at < text.length) {
    const end = text.indexOf("\n", reader.at);
    const written = text.slice(reader.at, end === -1 ? undefined : end);
    reader.at = end === -1 ? text.length : end + 1;
    const line = stripsTabs ? written.replace(/^\t+/, "") : written;
    if (line.replace(/\r$/, "") === delimiter) break;
    lines.push(line);
  }
  const content = lines.map((line) => `${line}\n`).join("");
  if (isLiteral) body.push({ type: "text", text: content, isQuoted: true });
  else body.push(...partsOfText(reader, content));
}
