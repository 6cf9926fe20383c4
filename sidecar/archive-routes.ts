import { randomBytes } from "node:crypto";
import { createWriteStream, linkSync, lstatSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import type { Config } from "./config.ts";
import { makeFolder, writeWhole } from "./files.ts";
import type { Host } from "./host.ts";
import { type Call, type Reply, type Route, bodyOf, checkLength, tooLarge } from "./http.ts";
import type { Jobs } from "./jobs.ts";
import { PATHS, asUser } from "./paths.ts";
import { Problem } from "./problem.ts";
import type { Quota } from "./quota.ts";
import { type TarEntry, readTar } from "./read-tar.ts";
import type { Session } from "./sessions.ts";

interface World {
  readonly config: Config;
  readonly host: Host;
  readonly jobs: Jobs;
  readonly quota: Quota;
}

/** Routes that give and take many files at once, as tar. */
export function archiveRoutes(world: World): readonly Route[] {
  const spool = join(world.config.root, "state", "spool");
  rmSync(spool, { recursive: true, force: true });
  mkdirSync(spool, { recursive: true, mode: 0o700 });
  return [
    { method: "GET", path: "/v1/files/archive", run: async (call) => pack(world, call) },
    { method: "PUT", path: "/v1/files/archive", run: async (call) => unpack(world, call, spool) },
  ];
}

async function pack({ config, host, jobs }: World, { query, session, response, gone }: Call): Promise<void> {
  const path = query.optionalText("path") ?? ".";
  const isZipped = query.flag("gzip");
  query.end();
  const { tar } = host.programs;
  if (tar === undefined) throw new Problem("unavailable", "This machine has no tar.");
  const place = PATHS.folder(session, path);
  const argv = [tar, "--create", ...(isZipped ? ["--gzip"] : []), "--directory", place, "--file", "-", "--", "."];
  const job = await jobs.start(session, { argv, env: new Map(), cwd: session.work, network: config.network });
  const stop = () => void job.kill();
  gone.addEventListener("abort", stop, { once: true });
  if (gone.aborted) stop();
  job.stderr.resume();
  response.writeHead(200, {
    "content-type": isZipped ? "application/gzip" : "application/x-tar",
    "cache-control": "no-store",
  });
  job.stdout.pipe(response, { end: false });
  const { exitCode } = await job.ended;
  // 1: a file changed while it was read, which the reader of a living folder has to bear
  if (exitCode <= 1) response.end();
  else response.destroy();
}

async function unpack(world: World, { query, session, request }: Call, spool: string): Promise<Reply> {
  const path = query.optionalText("path") ?? ".";
  query.end();
  const { uploadBytes } = world.config.limits;
  checkLength(request, uploadBytes);
  const name = join(spool, randomBytes(8).toString("hex"));
  try {
    const maxBytes = Math.min(uploadBytes, Math.max(0, await world.quota.room(session)));
    await receive(request, name, maxBytes);
    const archive = await open(name, "r");
    try {
      const entries = await readTar(archive, (await archive.stat()).size);
      makeFolder(session, path);
      checkPlaces(session, path, entries);
      for (const entry of entries) await place(session, path, { entry, archive, maxBytes });
      return { status: 201, body: { entries: entries.length } };
    } finally {
      await archive.close();
    }
  } finally {
    rmSync(name, { force: true });
  }
}

/** Takes an upload, unpacked if it is compressed; what it unpacks to counts. */
async function receive(request: Call["request"], name: string, maxBytes: number): Promise<void> {
  let size = 0;
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      done(size > maxBytes ? tooLarge(maxBytes) : null, chunk);
    },
  });
  const target = createWriteStream(name, { mode: 0o600 });
  if (!/gzip/i.test(`${request.headers["content-type"] ?? ""} ${request.headers["content-encoding"] ?? ""}`))
    return pipeline(bodyOf(request), count, target);
  await pipeline(bodyOf(request), createGunzip(), count, target).catch((error: unknown) => {
    if (error instanceof Problem) throw error;
    throw new Problem("archive_invalid", "The archive cannot be read: it is no gzip.", { cause: error });
  });
}

/** Nothing is unpacked where a link that is there already would lead it out of the folder. */
function checkPlaces(session: Session, folder: string, entries: readonly TarEntry[]): void {
  for (const { path } of entries) {
    const words = path.split("/").slice(0, -1);
    for (const i of words.keys()) {
      const above = join(folder, ...words.slice(0, i + 1));
      if (!exists(session, above)) break;
      PATHS.folder(session, above);
    }
  }
}

function exists(session: Session, path: string): boolean {
  const place = PATHS.place(session, path);
  return asUser(session, () => lstatSync(place, { throwIfNoEntry: false })) !== undefined;
}

async function place(
  session: Session,
  folder: string,
  { entry, archive, maxBytes }: { entry: TarEntry; archive: FileHandle; maxBytes: number },
): Promise<void> {
  const path = join(folder, entry.path);
  if (entry.type === "folder") return makeFolder(session, path);
  makeFolder(session, dirname(path));
  const at = PATHS.place(session, path);
  if (asUser(session, () => lstatSync(at, { throwIfNoEntry: false }))?.isDirectory() === true)
    throw new Problem("file_type_wrong", "A folder stands where the archive has a file.", { field: "path" });
  if (entry.type === "file") {
    // a link in its place is replaced, not written through
    asUser(session, () => rmSync(at, { force: true }));
    const content = readPart(archive, entry);
    await writeWhole(session, path, content, { mode: entry.mode || 0o600, makesFolders: false, maxBytes });
    return;
  }
  asUser(session, () => rmSync(at, { force: true }));
  if (entry.type === "link") {
    const target = resolve(dirname(at), entry.target);
    if (target !== session.work && !target.startsWith(`${session.work}/`))
      throw new Problem("archive_unsafe", `${JSON.stringify(entry.path)} is a link that leads out of the folder.`);
    asUser(session, () => symlinkSync(entry.target, at));
    return;
  }
  const same = PATHS.existing(session, join(folder, entry.target));
  asUser(session, () => linkSync(same, at));
}

async function* readPart(archive: FileHandle, { offset, size }: TarEntry): AsyncGenerator<Buffer> {
  for (let done = 0; done < size;) {
    const bytes = Buffer.alloc(Math.min(256 * 1024, size - done));
    const { bytesRead } = await archive.read(bytes, 0, bytes.length, offset + done);
    if (bytesRead === 0) throw new Problem("archive_invalid", "The archive cannot be read: it is cut off.");
    yield bytes.subarray(0, bytesRead);
    done += bytesRead;
  }
}
