import type { Attachment } from "#src/domain/message";
import { type Payload, payloadsIn, textIn } from "./fields";

/** Why Slack shows a file without letting it be read. */
const PROBLEMS: ReadonlyMap<string, string> = new Map([
  ["tombstone", "the file was deleted"],
  ["hidden_by_limit", "Slack hides the file: the workspace is over its free limit"],
  ["file_not_found", "the file is gone"],
  ["access_denied", "Slack does not let this app read the file"],
]);

/** The files of a message. Source: https://docs.slack.dev/reference/objects/file-object */
export function readFiles(message: Payload): readonly Attachment[] {
  return payloadsIn(message, "files").map(readFile);
}

function readFile(file: Payload): Attachment {
  const id = textIn(file, "id");
  const url = textIn(file, "url_private_download") ?? textIn(file, "url_private");
  const mime = textIn(file, "mimetype");
  const name = textIn(file, "name") ?? textIn(file, "title");
  const size = file["size"];
  const problem = PROBLEMS.get(textIn(file, "mode") ?? "") ?? PROBLEMS.get(textIn(file, "file_access") ?? "");
  return {
    kind: kindOf(mime ?? "", textIn(file, "subtype")),
    ...(id === undefined ? {} : { id }),
    ...(url === undefined ? {} : { url }),
    ...(mime === undefined ? {} : { mime }),
    ...(name === undefined ? {} : { name }),
    ...(typeof size === "number" ? { size } : {}),
    ...(problem === undefined ? {} : { problem }),
  };
}

function kindOf(mime: string, subtype: string | undefined): Attachment["kind"] {
  // clips recorded in the client say what they are apart from their container format
  if (subtype === "slack_audio") return "voice";
  if (subtype === "slack_video") return "video";
  const family = mime.split("/")[0];
  return family === "image" || family === "audio" || family === "video" ? family : "file";
}
