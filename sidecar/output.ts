/** Text that a command wrote, cut in the middle when it was too much. */
export interface CappedText {
  readonly text: string;
  readonly droppedBytes: number;
}

/** Keeps the beginning and the end of a stream, whatever comes between. */
export interface CappedOutput {
  add(chunk: Buffer): void;
  /** What was kept, in the caller's encoding; a line in the middle says how much is missing. */
  finish(encoding: "utf8" | "base64"): CappedText;
}

/** Keeps at most so many bytes: half of them from the beginning, half from the end. */
export function capOutput(maxBytes: number): CappedOutput {
  const headBytes = Math.ceil(maxBytes / 2);
  const tailBytes = maxBytes - headBytes;
  const head: Buffer[] = [];
  let headSize = 0;
  const tail = keepTail(tailBytes);
  return {
    add(chunk) {
      const part = chunk.subarray(0, headBytes - headSize);
      if (part.length > 0) head.push(part);
      headSize += part.length;
      if (part.length < chunk.length) tail.add(chunk.subarray(part.length));
    },
    finish(encoding) {
      const start = Buffer.concat(head);
      const end = tail.read();
      const droppedBytes = tail.droppedBytes();
      if (encoding === "base64") return { text: Buffer.concat([start, end]).toString("base64"), droppedBytes };
      if (droppedBytes === 0) return { text: Buffer.concat([start, end]).toString("utf8"), droppedBytes };
      const marker = `\n[${droppedBytes} bytes dropped]\n`;
      return { text: `${trimEnd(start).toString("utf8")}${marker}${trimStart(end).toString("utf8")}`, droppedBytes };
    },
  };
}

/** The last bytes of a stream. */
export interface Tail {
  add(chunk: Buffer): void;
  read(): Buffer;
  droppedBytes(): number;
}

const FIRST_ROOM_BYTES = 8192;

/** Keeps the last bytes of a stream in one piece of memory, which grows to what is kept and is then written round. */
export function keepTail(maxBytes: number): Tail {
  let room = Buffer.alloc(Math.min(maxBytes, FIRST_ROOM_BYTES));
  let first = 0;
  let size = 0;
  let total = 0;

  function read(): Buffer {
    const end = Math.min(room.length, first + size);
    return Buffer.concat([room.subarray(first, end), room.subarray(0, size - (end - first))]);
  }

  function grow(wanted: number): void {
    if (wanted <= room.length || room.length === maxBytes) return;
    const larger = Buffer.alloc(Math.min(maxBytes, Math.max(wanted, 2 * room.length)));
    read().copy(larger);
    room = larger;
    first = 0;
  }

  return {
    read,
    droppedBytes: () => total - size,
    add(chunk) {
      total += chunk.length;
      grow(size + chunk.length);
      if (room.length === 0) return;
      const part = chunk.subarray(Math.max(0, chunk.length - room.length));
      const at = (first + size) % room.length;
      const copied = part.copy(room, at);
      part.copy(room, 0, copied);
      const lost = Math.max(0, size + part.length - room.length);
      first = (first + lost) % room.length;
      size += part.length - lost;
    },
  };
}

/** A part of a log, by its place in all that was ever written. */
export interface LogPart {
  readonly offset: number;
  readonly bytes: Buffer;
  readonly nextOffset: number;
  /** Bytes that were asked for but are no longer kept. */
  readonly droppedBytes: number;
}

/** The last bytes of everything that was written, found by their place in all of it. */
export interface Log {
  add(chunk: Buffer): void;
  read(offset: number, maxBytes: number): LogPart;
  /** How much was written in all. */
  size(): number;
}

/** Keeps a log of which the beginning goes when it grows. */
export function keepLog(maxBytes: number): Log {
  const tail = keepTail(maxBytes);
  let size = 0;
  return {
    add(chunk) {
      size += chunk.length;
      tail.add(chunk);
    },
    size: () => size,
    read(wanted, max) {
      const bytes = tail.read();
      const first = size - bytes.length;
      const offset = Math.min(Math.max(wanted, first), size);
      const part = bytes.subarray(offset - first, offset - first + max);
      return { offset, bytes: part, nextOffset: offset + part.length, droppedBytes: offset - Math.min(wanted, offset) };
    },
  };
}

/** How many bytes at the end are the beginning of a character that is not whole. */
export function unfinishedBytes(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte < 0xc0) continue;
    const wanted = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return wanted > back ? back : 0;
  }
  return 0;
}

function trimEnd(bytes: Buffer): Buffer {
  return bytes.subarray(0, bytes.length - unfinishedBytes(bytes));
}

function trimStart(bytes: Buffer): Buffer {
  const first = bytes.subarray(0, 4).findIndex((byte) => (byte & 0xc0) !== 0x80);
  return first <= 0 ? bytes : bytes.subarray(first);
}
