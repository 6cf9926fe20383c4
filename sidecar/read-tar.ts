import type { FileHandle } from "node:fs/promises";
import { posix } from "node:path";
import { Problem } from "./problem.ts";

/** An entry of an archive that is safe to unpack. */
export interface TarEntry {
  /** Relative, without `..`. */
  readonly path: string;
  readonly type: "file" | "folder" | "link" | "same";
  readonly size: number;
  readonly mode: number;
  /** Where a link points to, or which entry is the same file. */
  readonly target: string;
  /** Where the content begins in the archive. */
  readonly offset: number;
}

const BLOCK = 512;
const MAX_ENTRIES = 50_000;
const MAX_EXTRA_BYTES = 64 * 1024;

const TYPES: Readonly<Record<string, TarEntry["type"]>> = {
  "0": "file",
  "\0": "file",
  "7": "file",
  "5": "folder",
  "2": "link",
  "1": "same",
};

/**
 * Reads what an archive says that it holds (ustar, pax and GNU names).
 *
 * Source: https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html
 *
 * @throws {@link Problem} archive_invalid; archive_unsafe for what would be written elsewhere, or is no file
 */
export async function readTar(archive: FileHandle, size: number): Promise<readonly TarEntry[]> {
  const entries: TarEntry[] = [];
  let extra: ReadonlyMap<string, string> = new Map();
  for (let at = 0; at + BLOCK <= size;) {
    const header = await readBytes(archive, at, BLOCK);
    if (header.every((byte) => byte === 0)) return entries;
    checkSum(header);
    const offset = at + BLOCK;
    const type = String.fromCharCode(header[156] ?? 0);
    const length = numberOf(extra.get("size") ?? "", header.subarray(124, 136));
    if (offset + length > size) throw invalid("it ends within an entry");
    at = offset + Math.ceil(length / BLOCK) * BLOCK;
    if ("xLKg".includes(type)) {
      if (length > MAX_EXTRA_BYTES) throw invalid("a name is too long");
      if (type !== "g") extra = new Map([...extra, ...readExtra(type, await readBytes(archive, offset, length))]);
      continue;
    }
    const entry = entryOf(header, extra, { offset, type, length });
    extra = new Map();
    if (entry.path !== ".") entries.push(entry);
    if (entries.length > MAX_ENTRIES) throw invalid(`it has more than ${MAX_ENTRIES} entries`);
  }
  if (size > 0 && entries.length === 0) throw invalid("it is no tar");
  return entries;
}

function entryOf(
  header: Buffer,
  extra: ReadonlyMap<string, string>,
  { offset, type, length }: { offset: number; type: string; length: number },
): TarEntry {
  const prefix = textOf(header.subarray(257, 262)) === "ustar" ? textOf(header.subarray(345, 500)) : "";
  const name = extra.get("path") ?? (prefix === "" ? "" : `${prefix}/`) + textOf(header.subarray(0, 100));
  const path = safePath(name);
  const kind = TYPES[type];
  if (kind === undefined) throw unsafe(name, "is no file, folder or link");
  const target = extra.get("linkpath") ?? textOf(header.subarray(157, 257));
  return {
    path,
    type: kind === "file" && name.endsWith("/") ? "folder" : kind,
    size: kind === "file" ? length : 0,
    mode: numberOf("", header.subarray(100, 108)) & 0o777,
    target: kind === "link" ? safeTarget(path, target) : kind === "same" ? safePath(target) : "",
    offset,
  };
}

function safePath(name: string): string {
  if (name === "" || name.includes("\0")) throw invalid("an entry has no name");
  if (name.startsWith("/")) throw unsafe(name, "is an absolute path");
  if (name.split("/").includes("..")) throw unsafe(name, "leads out of the folder");
  return posix.normalize(name).replace(/\/$/, "");
}

function safeTarget(path: string, target: string): string {
  const place = posix.join(posix.dirname(path), target);
  if (target === "" || target.includes("\0")) throw invalid("a link has no target");
  if (target.startsWith("/") || place === ".." || place.startsWith("../"))
    throw unsafe(path, "is a link that leads out of the folder");
  return target;
}

function readExtra(type: string, bytes: Buffer): ReadonlyMap<string, string> {
  if (type === "L") return new Map([["path", textOf(bytes)]]);
  if (type === "K") return new Map([["linkpath", textOf(bytes)]]);
  const records = new Map<string, string>();
  for (let at = 0; at < bytes.length;) {
    const [record, digits = ""] = /^(\d{1,6}) /.exec(bytes.subarray(at, at + 8).toString("latin1")) ?? [];
    const length = Number(digits);
    const text = bytes.subarray(at + digits.length + 1, at + length - 1).toString("utf8");
    const equals = text.indexOf("=");
    if (record === undefined || length < 4 || at + length > bytes.length || equals < 1)
      throw invalid("a pax record is broken");
    records.set(text.slice(0, equals), text.slice(equals + 1));
    at += length;
  }
  return records;
}

function numberOf(decimal: string, field: Buffer): number {
  if (decimal !== "") {
    if (/^\d{1,15}$/.test(decimal)) return Number(decimal);
    throw invalid("a size is no number");
  }
  // GNU writes large numbers in base 256, marked by the first bit
  if ((field[0] ?? 0) >= 0x80) {
    const value = field.subarray(1).reduce((total, byte) => total * 256 + byte, (field[0] ?? 0) & 0x7f);
    if (Number.isSafeInteger(value)) return value;
    throw invalid("a size is too large");
  }
  const text = textOf(field).trim();
  if (/^[0-7]*$/.test(text)) return text === "" ? 0 : Number.parseInt(text, 8);
  throw invalid("a number is not octal");
}

function checkSum(header: Buffer): void {
  const sum = header.reduce((total, byte, i) => total + (i >= 148 && i < 156 ? 0x20 : byte), 0);
  if (sum !== numberOf("", header.subarray(148, 156))) throw invalid("a checksum is wrong");
}

async function readBytes(archive: FileHandle, at: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  const { bytesRead } = await archive.read(bytes, 0, length, at);
  if (bytesRead < length) throw invalid("it is cut off");
  return bytes;
}

function textOf(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  return bytes.subarray(0, end === -1 ? bytes.length : end).toString("utf8");
}

function invalid(why: string): Problem {
  return new Problem("archive_invalid", `The archive cannot be read: ${why}.`);
}

function unsafe(name: string, why: string): Problem {
  return new Problem("archive_unsafe", `Nothing was unpacked: ${JSON.stringify(name.slice(0, 200))} ${why}.`);
}
