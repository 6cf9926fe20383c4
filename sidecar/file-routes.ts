import { createHash } from "node:crypto";
import { createReadStream, rmdirSync, unlinkSync } from "node:fs";
import { pipeline } from "node:stream/promises";
import type { Config } from "./config.ts";
import type { Fields } from "./fields.ts";
import { hashFile, listFolder, makeFolder, movePath, openFile, statPath, writeWhole } from "./files.ts";
import { type Call, type Reply, type Route, bodyOf, checkLength } from "./http.ts";
import type { Jobs } from "./jobs.ts";
import { PATHS, asUser } from "./paths.ts";
import { Problem } from "./problem.ts";
import type { FileView } from "./protocol.ts";
import type { Quota } from "./quota.ts";
import { readRange } from "./read-range.ts";
import { runCommand } from "./run-command.ts";

interface World {
  readonly config: Config;
  readonly jobs: Jobs;
  readonly quota: Quota;
  /** The program that removes folders. */
  readonly rm: string;
}

const MAX_LISTED = 20_000;
const MAX_PATCH_BYTES = 8 * 1024 ** 2;
const MAX_EDITS = 100;
const REMOVE_TIMEOUT_MS = 120_000;

/** Routes of single files and folders. */
export function fileRoutes(world: World): readonly Route[] {
  return [
    { method: "GET", path: "/v1/files/stat", run: stat },
    { method: "GET", path: "/v1/files/list", run: list },
    { method: "GET", path: "/v1/files/content", run: read },
    { method: "PUT", path: "/v1/files/content", run: async (call) => write(world, call) },
    { method: "POST", path: "/v1/files/patch", run: async (call) => patch(world, call) },
    {
      method: "POST",
      path: "/v1/files/mkdir",
      async run(call) {
        const fields = await call.json();
        const path = fields.text("path");
        fields.end();
        makeFolder(call.session, path);
        return { status: 201, body: statPath(call.session, path) };
      },
    },
    {
      method: "POST",
      path: "/v1/files/move",
      async run(call) {
        const fields = await call.json();
        const [from, to] = [fields.text("from"), fields.text("to")];
        const overwrites = fields.flag("overwrite");
        fields.end();
        movePath(call.session, { from, to, overwrites });
        return { body: statPath(call.session, to) };
      },
    },
    { method: "POST", path: "/v1/files/remove", run: async (call) => remove(world, call) },
  ];
}

async function stat({ query, session }: Call): Promise<Reply> {
  const path = query.text("path");
  const hashes = query.flag("hash");
  query.end();
  const view = statPath(session, path);
  return { body: hashes ? await withHash(session, view) : view };
}

async function list({ query, session, gone }: Call): Promise<Reply> {
  const path = query.optionalText("path") ?? ".";
  const isRecursive = query.flag("recursive");
  const hashes = query.flag("hash");
  const limit = query.integer("limit", { min: 1, max: MAX_LISTED, otherwise: 1000 });
  query.end();
  const { entries, isCut } = listFolder(session, path, { isRecursive, limit });
  const described: FileView[] = [];
  for (const entry of entries) {
    if (gone.aborted) return {};
    described.push(hashes ? await withHash(session, entry) : entry);
  }
  return { body: { entries: described, is_cut: isCut } };
}

/** A file that changes or vanishes meanwhile goes without a hash. */
async function withHash(session: Call["session"], view: FileView): Promise<FileView> {
  if (view.type !== "file") return view;
  const sha256 = await hashFile(session, view.path).catch(() => undefined);
  return sha256 === undefined ? view : { ...view, sha256 };
}

async function read({ query, session, request, response }: Call): Promise<void> {
  const path = query.text("path");
  query.end();
  const { fd, stats } = openFile(session, path);
  const stream = (options: { start?: number; end?: number }) => createReadStream("", { fd, ...options });
  const range = tryRange(request.headers.range, stats.size, () => stream({}).destroy());
  response.writeHead(range === undefined ? 200 : 206, {
    "content-type": "application/octet-stream",
    "content-length": range === undefined ? stats.size : range.end - range.start + 1,
    "accept-ranges": "bytes",
    "last-modified": stats.mtime.toUTCString(),
    "x-file-mode": (stats.mode & 0o7777).toString(8),
    "cache-control": "no-store",
    ...(range && { "content-range": `bytes ${range.start}-${range.end}/${stats.size}` }),
  });
  if (stats.size === 0) {
    stream({}).destroy();
    response.end();
    return;
  }
  // a file that grows meanwhile is read to the length that was told
  await pipeline(stream(range ?? { start: 0, end: stats.size - 1 }), response).catch(() => response.destroy());
}

function tryRange(header: string | undefined, size: number, close: () => void) {
  try {
    return readRange(header, size);
  } catch (error) {
    close();
    throw error;
  }
}

async function write(world: World, call: Call): Promise<Reply> {
  const { query, session, request } = call;
  const path = query.text("path");
  const makesFolders = query.flag("parents");
  const mode = readMode(query);
  query.end();
  const maxBytes = world.config.limits.uploadBytes;
  checkLength(request, maxBytes);
  const expected = readExpected(request.headers["if-match"], request.headers["if-none-match"]);
  await world.quota.reserve(session, Number(request.headers["content-length"] ?? 0));
  const room = Math.min(maxBytes, Math.max(0, await world.quota.room(session)));
  const written = await writeWhole(session, path, bodyOf(request), { mode, makesFolders, maxBytes: room, ...expected });
  return {
    status: 201,
    body: { ...statPath(session, path), sha256: written.sha256 },
    headers: { etag: `"${written.sha256}"` },
  };
}

// Source: https://www.rfc-editor.org/rfc/rfc9110#section-13
function readExpected(match: string | undefined, noneMatch: string | undefined): { expected?: string | null } {
  if (noneMatch !== undefined) {
    if (noneMatch.trim() === "*") return { expected: null };
    throw new Problem("field_invalid", "if-none-match can only be *.", { field: "if-none-match" });
  }
  if (match === undefined) return {};
  const sha256 = /^\s*"([0-9a-f]{64})"\s*$/.exec(match)?.[1];
  if (sha256 === undefined)
    throw new Problem("field_invalid", "if-match must be one SHA-256 in quotes.", { field: "if-match" });
  return { expected: sha256 };
}

function readMode(query: Fields): number | undefined {
  const text = query.optionalText("mode");
  if (text === undefined) return undefined;
  if (!/^0?[0-7]{3}$/.test(text)) throw query.refuse("mode", "must be three octal digits");
  return Number.parseInt(text, 8);
}

async function patch(world: World, call: Call): Promise<Reply> {
  const { session } = call;
  const fields = await call.json();
  const path = fields.text("path");
  const edits = fields.objects(
    "edits",
    (edit) => ({
      from: edit.text("old"),
      to: edit.text("new", { allowEmpty: true }),
      isEverywhere: edit.flag("all"),
    }),
    { maxItems: MAX_EDITS },
  );
  fields.end();
  if (edits === undefined || edits.length === 0) throw fields.refuse("edits", "is missing");
  const { fd, stats } = openFile(session, path);
  const stream = createReadStream("", { fd });
  if (stats.size > MAX_PATCH_BYTES) {
    stream.destroy();
    throw new Problem("body_too_large", `Only files up to ${MAX_PATCH_BYTES} bytes are patched.`, { field: "path" });
  }
  const before = Buffer.concat(await stream.toArray());
  const after = edits.reduce(applyEdit, before.toString("utf8"));
  if (!Buffer.from(before.toString("utf8")).equals(before))
    throw new Problem("file_type_wrong", "The file is no text in UTF-8.", { field: "path" });
  const content = Buffer.from(after);
  await world.quota.reserve(session, content.length - before.length);
  const expected = createHash("sha256").update(before).digest("hex");
  const options = { mode: undefined, makesFolders: false, maxBytes: world.config.limits.uploadBytes, expected };
  const { sha256 } = await writeWhole(session, path, chunksOf(content), options);
  return { body: { ...statPath(session, path), sha256 } };
}

function applyEdit(
  text: string,
  { from, to, isEverywhere }: { from: string; to: string; isEverywhere: boolean },
  index: number,
): string {
  const parts = text.split(from);
  if (parts.length === 2 || (parts.length > 2 && isEverywhere)) return parts.join(to);
  const why = parts.length === 1 ? "is not in the file" : `is ${parts.length - 1} times in the file`;
  throw new Problem("text_not_found", `The old text ${why}.`, { field: `edits[${index}].old` });
}

async function* chunksOf(content: Buffer): AsyncGenerator<Buffer> {
  yield content;
}

async function remove({ jobs, config, rm }: World, call: Call): Promise<Reply> {
  const { session } = call;
  const fields = await call.json();
  const path = fields.text("path");
  const isRecursive = fields.flag("recursive");
  fields.end();
  const place = PATHS.place(session, path);
  if (place === session.work) throw fields.refuse("path", "is the session's folder itself");
  const { type } = statPath(session, path);
  if (type !== "folder") asUser(session, () => unlinkSync(place));
  else if (!isRecursive) asUser(session, () => rmdirSync(place));
  else {
    const command = { argv: [rm, "-rf", "--", place], env: new Map(), cwd: session.work, network: config.network };
    const result = await runCommand(jobs, session, {
      command,
      stdin: undefined,
      timeoutMs: REMOVE_TIMEOUT_MS,
      maxOutputBytes: 1000,
      encoding: "utf8",
    });
    if (result.exit_code !== 0) throw new Problem("permission_denied", `Not all was removed: ${result.stderr.trim()}`);
  }
  return { status: 204 };
}
