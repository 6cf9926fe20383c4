// A vendor's endpoint over real HTTP on loopback: it keeps what it was asked, and answers what its test says, in pieces of
// any size, cut off or left open at any byte.
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** One request as it came in. */
export interface VendorRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What is answered. */
export interface VendorReply {
  /** 200 when absent. */
  readonly status?: number;
  /** `text/event-stream` when absent. */
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  /** Bytes of one write; all at once when absent. */
  readonly pieceBytes?: number;
  /** How it goes on after the body: it ends, stays open, or the socket is destroyed. */
  readonly ending?: "end" | "open" | "destroy";
}

export interface FakeVendor {
  readonly url: string;
  readonly requests: readonly VendorRequest[];
  /** Requests whose client went away before they were answered whole. */
  readonly leftEarly: () => number;
  close(): Promise<void>;
}

/** Starts an endpoint that answers each request as `reply` says. */
export async function startFakeVendor(reply: (request: VendorRequest) => VendorReply): Promise<FakeVendor> {
  const requests: VendorRequest[] = [];
  let left = 0;
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    response.on("close", () => {
      if (!response.writableEnded) left++;
    });
    incoming.on("end", () => {
      const text = Buffer.concat(chunks).toString("utf8");
      const request = {
        path: incoming.url ?? "",
        headers: incoming.headers,
        body: JSON.parse(text) as VendorRequest["body"],
      };
      requests.push(request);
      void send(response, reply(request));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // a server that listens on TCP has an address with a port
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    leftEarly: () => left,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** A vendor's refusal. */
export function refusal(status: number, error: object, headers: Readonly<Record<string, string>> = {}): VendorReply {
  return { status, contentType: "application/json", headers, body: JSON.stringify(error) };
}

async function send(response: ServerResponse, reply: VendorReply): Promise<void> {
  const { status = 200, contentType = "text/event-stream; charset=utf-8", headers = {}, ending = "end" } = reply;
  const bytes = Buffer.from(reply.body);
  const pieceBytes = reply.pieceBytes ?? Math.max(1, bytes.length);
  response.writeHead(status, { "content-type": contentType, ...headers });
  for (let at = 0; at < bytes.length && !response.destroyed; at += pieceBytes) {
    await new Promise<void>((resolve) => response.write(bytes.subarray(at, at + pieceBytes), () => resolve()));
  }
  if (ending === "end") response.end();
  else if (ending === "destroy") response.socket?.destroy();
}
