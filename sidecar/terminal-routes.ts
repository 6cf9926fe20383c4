import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import type { Authorize } from "./auth.ts";
import { bodyFields, queryFields } from "./fields.ts";
import { type Route, findRoute, readTarget } from "./http.ts";
import { Problem, problemOf } from "./problem.ts";
import type { ReadCommand } from "./read-command.ts";
import type { Sessions } from "./sessions.ts";
import type { Terminal, Terminals } from "./terminals.ts";

interface World {
  readonly terminals: Terminals;
  readonly readCommand: ReadCommand;
  readonly sessions: Sessions;
  readonly authorize: Authorize;
}

const SOCKET_ROUTES = [{ method: "GET", path: "/v1/terminals/:id/socket" }] as const;
const MAX_SIDE = 1000;
const MAX_FRAME_BYTES = 1024 ** 2;
const MAX_WAITING_BYTES = 4 * 1024 ** 2;
const DEFAULT_SIZE = { cols: 80, rows: 24 };
const PING_EVERY_MS = 30_000;

/** Close code of a socket that read too slowly; it may come back at its offset. */
const TRY_AGAIN_LATER = 1013;

/** Routes of terminals but for their sockets. */
export function terminalRoutes({ terminals, readCommand }: World): readonly Route[] {
  return [
    {
      method: "POST",
      path: "/v1/terminals",
      async run(call) {
        const { session } = call;
        const fields = await call.json();
        const request = readCommand(fields, session, ["bash", "-l"]);
        const cols = fields.integer("cols", { min: 1, max: MAX_SIDE, otherwise: DEFAULT_SIZE.cols });
        const rows = fields.integer("rows", { min: 1, max: MAX_SIDE, otherwise: DEFAULT_SIZE.rows });
        fields.end();
        return { status: 201, body: (await terminals.open(session, request, { cols, rows })).view() };
      },
    },
    {
      method: "GET",
      path: "/v1/terminals",
      run: ({ session }) => ({ body: { terminals: terminals.list(session).map((one) => one.view()) } }),
    },
    {
      method: "GET",
      path: "/v1/terminals/:id",
      run: ({ session, params }) => ({ body: terminals.get(session, params["id"] ?? "").view() }),
    },
    {
      method: "DELETE",
      path: "/v1/terminals/:id",
      async run({ session, params }) {
        const found = terminals.get(session, params["id"] ?? "");
        terminals.remove(session, found.id);
        await found.kill();
        await found.ended;
        return { status: 204 };
      },
    },
  ];
}

/** Lets WebSockets in to terminals. Output is binary; everything else is JSON in text. */
export function acceptSockets(server: Server, world: World): WebSocketServer {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_FRAME_BYTES, perMessageDeflate: false });
  server.on("upgrade", (request, socket, head) => {
    socket.on("error", () => {});
    try {
      const { terminal, after } = findTerminal(world, request);
      sockets.handleUpgrade(request, socket, head, (client) => attach(terminal, client, after));
    } catch (error) {
      refuseUpgrade(socket, problemOf(error));
    }
  });
  return sockets;
}

function findTerminal(world: World, request: IncomingMessage): { terminal: Terminal; after: number } {
  const { path, key, url } = readTarget(request);
  const { params } = findRoute(SOCKET_ROUTES, "GET", path);
  world.authorize(request);
  const query = queryFields(url.searchParams);
  const after = query.integer("after", { min: 0, max: Number.MAX_SAFE_INTEGER, otherwise: 0 });
  query.end();
  return { terminal: world.terminals.get(world.sessions.open(key), params["id"] ?? ""), after };
}

function attach(terminal: Terminal, client: WebSocket, after: number): void {
  const missed = terminal.log.read(after, Number.MAX_SAFE_INTEGER);
  const tell = (message: object) => client.send(JSON.stringify(message));
  tell({ type: "attached", offset: missed.offset, dropped_bytes: missed.droppedBytes, ...sizeOf(terminal) });
  if (missed.bytes.length > 0) client.send(missed.bytes);
  const ping = setInterval(() => client.ping(), PING_EVERY_MS);
  const detach = terminal.attach({
    output(bytes) {
      if (client.bufferedAmount > MAX_WAITING_BYTES)
        client.close(TRY_AGAIN_LATER, "too slow; come back at your offset");
      else client.send(bytes);
    },
    exit(exitCode) {
      tell({ type: "exited", exit_code: exitCode, offset: terminal.log.size() });
      client.close(1000);
    },
  });
  client.on("error", () => client.terminate());
  client.on("close", () => {
    clearInterval(ping);
    detach();
  });
  client.on("message", (data, isBinary) => {
    const bytes = Buffer.isBuffer(data) ? data : Buffer.concat([data].flat() as Buffer[]); // ws gives nothing else
    try {
      if (isBinary) terminal.write(bytes);
      else obey(terminal, bytes.toString("utf8"));
    } catch (error) {
      tell({ type: "problem", problem: problemOf(error) });
    }
  });
}

/** @throws {@link Problem} body_invalid, field_invalid */
function obey(terminal: Terminal, text: string): void {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch (cause) {
    throw new Problem("body_invalid", "A text frame must be JSON.", { cause });
  }
  const fields = bodyFields(message);
  if (fields.choice("type", ["input", "resize"]) === "input") {
    terminal.write(fields.text("text", { allowEmpty: true, allowNul: true }));
  } else {
    const { cols, rows } = sizeOf(terminal);
    terminal.resize(
      fields.integer("cols", { min: 1, max: MAX_SIDE, otherwise: cols }),
      fields.integer("rows", { min: 1, max: MAX_SIDE, otherwise: rows }),
    );
  }
  fields.end();
}

function sizeOf(terminal: Terminal): { cols: number; rows: number } {
  const { cols, rows } = terminal.view();
  return { cols, rows };
}

function refuseUpgrade(socket: Duplex, problem: Problem): void {
  const body = JSON.stringify(problem);
  const head = [
    `HTTP/1.1 ${problem.status} ${problem.toJSON().title}`,
    "content-type: application/problem+json",
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}
