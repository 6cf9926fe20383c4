import type { OutboundFile } from "#src/domain/platform";
import type { Workspace } from "#src/domain/tool";

/** What a file is by its ending: how a messenger shows it, and its media type. */
const TYPES: Readonly<Record<string, readonly [OutboundFile["kind"], string]>> = {
  png: ["image", "image/png"],
  jpg: ["image", "image/jpeg"],
  jpeg: ["image", "image/jpeg"],
  gif: ["image", "image/gif"],
  webp: ["image", "image/webp"],
  svg: ["file", "image/svg+xml"],
  mp4: ["video", "video/mp4"],
  mp3: ["audio", "audio/mpeg"],
  ogg: ["voice", "audio/ogg"],
  wav: ["audio", "audio/wav"],
  pdf: ["file", "application/pdf"],
  txt: ["file", "text/plain"],
  md: ["file", "text/markdown"],
  csv: ["file", "text/csv"],
  json: ["file", "application/json"],
  html: ["file", "text/html"],
  zip: ["file", "application/zip"],
};

/** Reads a workspace file to send; undefined when it is not there. */
export async function readOutboundFile(workspace: Workspace, path: string): Promise<OutboundFile | undefined> {
  const bytes = await workspace.readFile(path);
  if (bytes === undefined) return undefined;
  const name = path.slice(path.lastIndexOf("/") + 1);
  const [kind, mime] = TYPES[name.slice(name.lastIndexOf(".") + 1).toLowerCase()] ?? [
    "file",
    "application/octet-stream",
  ];
  return { kind, name, mime, bytes };
}
