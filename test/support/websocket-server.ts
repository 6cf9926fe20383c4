// The server's side of a WebSocket over node:http, as small as the stand-ins need it: text messages, close and ping.
// Source: https://www.rfc-editor.org/rfc/rfc6455, sections 4.2.2 and 5.2.
import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

const HANDSHAKE_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const TEXT = 1;
const CLOSE = 8;
const PING = 9;
const PONG = 10;

export interface ServerSocket {
  send(text: string): void;
  /** Cuts the connection without a goodbye, as a lost network does. */
  cut(): void;
}

export interface SocketEvents {
  readonly onText: (text: string) => void;
  readonly onEnd: () => void;
}

/** Answers an upgrade request; the returned socket can be written to at once. */
export function acceptWebSocket(
  request: IncomingMessage,
  stream: Duplex,
  protocol: string,
  events: SocketEvents,
): ServerSocket {
  const key = request.headers["sec-websocket-key"] ?? "";
  const accept = createHash("sha1")
    .update(key + HANDSHAKE_GUID)
    .digest("base64");
  const head = ["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade"];
  stream.write(
    [...head, `Sec-WebSocket-Accept: ${accept}`, `Sec-WebSocket-Protocol: ${protocol}`, "", ""].join("\r\n"),
  );
  stream.on("close", events.onEnd);
  // a client that went away shows as `close` as well
  stream.on("error", () => stream.destroy());
  readFrames(stream, events.onText);
  return { send: (text) => void stream.write(frame(TEXT, Buffer.from(text))), cut: () => void stream.destroy() };
}

function readFrames(stream: Duplex, onText: (text: string) => void): void {
  let pending = Buffer.alloc(0);
  let text: Buffer[] = [];
  stream.on("data", (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk]);
    for (let found = takeFrame(pending); found !== undefined; found = takeFrame(pending)) {
      pending = found.rest;
      if (found.opcode === CLOSE) stream.end(frame(CLOSE, found.payload.subarray(0, 2)));
      else if (found.opcode === PING) stream.write(frame(PONG, found.payload));
      else if (found.opcode <= TEXT) text.push(found.payload);
      if (found.opcode > TEXT || !found.isLast) continue;
      onText(Buffer.concat(text).toString("utf8"));
      text = [];
    }
  });
}

interface Frame {
  readonly opcode: number;
  readonly isLast: boolean;
  readonly payload: Buffer;
  readonly rest: Buffer<ArrayBuffer>;
}

/** The first whole frame of what has arrived so far. */
function takeFrame(bytes: Buffer<ArrayBuffer>): Frame | undefined {
  if (bytes.length < 2) return undefined;
  const short = bytes.readUInt8(1) & 0x7f;
  const maskAt = short === 126 ? 4 : short === 127 ? 10 : 2;
  if (bytes.length < maskAt + 4) return undefined;
  const length = short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short;
  const start = maskAt + 4;
  if (bytes.length < start + length) return undefined;
  const mask = bytes.subarray(maskAt, start);
  const payload = Buffer.from(bytes.subarray(start, start + length).map((byte, i) => byte ^ (mask[i % 4] ?? 0)));
  const first = bytes.readUInt8(0);
  return { opcode: first & 0x0f, isLast: (first & 0x80) !== 0, payload, rest: bytes.subarray(start + length) };
}

function frame(opcode: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(payload.length < 126 ? 2 : payload.length < 65_536 ? 4 : 10);
  head.writeUInt8(0x80 | opcode, 0);
  head.writeUInt8(payload.length < 126 ? payload.length : head.length === 4 ? 126 : 127, 1);
  if (head.length === 4) head.writeUInt16BE(payload.length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(payload.length), 2);
  return Buffer.concat([head, payload]);
}
