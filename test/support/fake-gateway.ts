// A stand-in for the gateway's doors that the web page uses, for what the whole system cannot be brought to do on
// command: connections that are lost, pictures from a messenger, complaints, hostile answers.
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { TranscriptMessage } from "#src/domain/live";
import { buildPage } from "../../scripts/bundle-pages.ts";
import { type FakeSession, openFakeSession } from "./fake-session.ts";
import type { System } from "./start-system.ts";
import { type ServerSocket, acceptWebSocket } from "./websocket-server.ts";

const TOKEN = "stand-in-token";
const PAGE = join(import.meta.dirname, "..", "..", "web", "index.html");
type Page = Awaited<ReturnType<typeof buildPage>>;
/** A garden, roughly. */
const PICTURE = `<svg xmlns="http://www.w3.org/2000/svg" width="320" height="200"><rect width="320" height="200" fill="#cfe3ea"/>
<path d="M0 130q80-50 160 0t160 0v70H0z" fill="#7fa566"/><circle cx="90" cy="120" r="14" fill="#c4472f"/></svg>`;

export interface FakeGateway extends System {
  readonly sessions: Map<string, FakeSession>;
  /** Cuts every socket; new ones are refused while the network is down. */
  setNetwork(isUp: boolean): void;
  /** The next message from a page is lost, and its connection with it. */
  loseNext(): void;
  /** Texts of every `send` and `action` that arrived, repeats included. */
  readonly arrived: string[];
}

export async function startFakeGateway(): Promise<FakeGateway> {
  const sessions = new Map(seed().map((session) => [session.key, session]));
  const sockets = new Set<ServerSocket>();
  const arrived: string[] = [];
  let isUp = true;
  let isLosing = false;
  const page = await buildPage(PAGE);
  const server = createServer((request, response) => {
    if (request.url === "/") sendPage(response, page);
    else answer(request, response, sessions, isUp);
  });

  server.on("upgrade", (request: IncomingMessage, stream) => {
    const url = new URL(request.url ?? "/", "http://x");
    const key = decodeURIComponent(url.pathname.split("/")[3] ?? "");
    if (!isUp || !isAllowed(socketToken(request))) {
      stream.end(`HTTP/1.1 ${isUp ? "401 Unauthorized" : "503 Service Unavailable"}\r\nConnection: close\r\n\r\n`);
      return;
    }
    const session = sessions.get(key) ?? openFakeSession(key);
    sessions.set(key, session);
    const socket = acceptWebSocket(request, stream, "talaria", {
      onText(text) {
        arrived.push(text);
        if (isLosing) socket.cut();
        else session.take(JSON.parse(text));
        isLosing = false;
      },
      onEnd() {
        sockets.delete(socket);
        session.watchers.delete(watch);
      },
    });
    const watch = (event: object): void => socket.send(JSON.stringify(event));
    sockets.add(socket);
    session.watchers.add(watch);
    watch(session.hello(url.searchParams.get("after")));
  });

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // listen on a port gives an address with a port
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    token: TOKEN,
    sessions,
    arrived,
    loseNext() {
      isLosing = true;
    },
    setNetwork(next) {
      isUp = next;
      if (!isUp) for (const socket of sockets) socket.cut();
    },
    async stop() {
      for (const socket of sockets) socket.cut();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answer(
  request: IncomingMessage,
  response: ServerResponse,
  sessions: ReadonlyMap<string, FakeSession>,
  isUp: boolean,
): void {
  const url = new URL(request.url ?? "/", "http://x");
  const [, door, noun, key = "", last] = url.pathname.split("/").map(decodeURIComponent);
  if (door !== "api") return sendJson(response, 404, { detail: "There is nothing here." });
  if (!isUp) return sendJson(response, 503, { detail: "The stand-in is down." });
  if (!isAllowed(request.headers.authorization?.replace("Bearer ", "")))
    return sendJson(response, 401, { detail: "The bearer token is wrong." });
  if (noun === "media") return void response.writeHead(200, { "content-type": "image/svg+xml" }).end(PICTURE);
  if (key === "")
    return sendJson(response, 200, {
      sessions: [...sessions.values()].filter(({ rows }) => rows.length > 0).map(summary),
    });
  if (last === "messages") return sendJson(response, 200, { messages: [] });
  return sendJson(response, 404, { detail: "There is no such session." });
}

function summary({ key, rows }: FakeSession): object {
  const last = rows.at(-1);
  return {
    key,
    platform: key.split(":")[1],
    preview: last?.content.slice(0, 120) ?? "",
    updated_at: last?.created_at ?? new Date(0).toISOString(),
  };
}

/** The page under the strictest policy that it has to work with: hashes of its own script and style. */
function sendPage(response: ServerResponse, { html, scriptHash, styleHash }: Page): void {
  const policy = [
    "default-src 'none'",
    `script-src '${scriptHash}'`,
    `style-src '${styleHash}'`,
    "connect-src 'self'",
    "img-src 'self' data: blob:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ];
  response
    .writeHead(200, { "content-type": "text/html; charset=utf-8", "content-security-policy": policy.join("; ") })
    .end(html);
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}

function isAllowed(token: string | undefined): boolean {
  return token === TOKEN;
}

function socketToken(request: IncomingMessage): string | undefined {
  const offered = request.headers["sec-websocket-protocol"]?.split(", ") ?? [];
  const carried = offered.find((part) => part.startsWith("bearer."))?.slice("bearer.".length);
  return carried === undefined ? undefined : Buffer.from(carried, "base64url").toString("utf8");
}

/** Conversations that were there before anyone opened the page. */
function seed(): FakeSession[] {
  const row = (id: string, role: "user" | "assistant", content: string, minute: number): TranscriptMessage => ({
    id,
    role,
    kind: "chat",
    content,
    created_at: `2026-11-20T18:${String(minute).padStart(2, "0")}:00.000Z`,
    turn_id: "1",
  });
  const picture = { kind: "image", mime: "image/svg+xml", mediaKey: "garden.svg", name: "garden.svg" } as const;
  const question: TranscriptMessage = {
    ...row("1", "user", "What grows in this picture?", 4),
    author: { id: "7001", name: "Ida" },
    attachments: [picture],
  };
  return [
    openFakeSession("main:telegram:dm:7001", [
      question,
      row("2", "assistant", "Tomatoes, **basil** and a fig tree.", 5),
    ]),
    openFakeSession("main:slack:channel:C042", [
      row("1", "user", "When is the release?", 1),
      row("2", "assistant", "On Thursday at 10.", 2),
    ]),
  ];
}
