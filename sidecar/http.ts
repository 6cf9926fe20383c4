import { type IncomingMessage, type Server, type ServerResponse, createServer } from "node:http";
import type { Authorize } from "./auth.ts";
import { type Fields, bodyFields, queryFields } from "./fields.ts";
import { Problem, problemOf } from "./problem.ts";
import type { Session, Sessions } from "./sessions.ts";

/** One request on its way through a route. */
export interface Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** What the path says in the places that its route names. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Fields;
  /** @throws {@link Problem} session_missing, field_invalid */
  readonly session: Session;
  /** Aborts when the caller goes away before it has its answer. */
  readonly gone: AbortSignal;
  /** @throws {@link Problem} media_type_wrong, body_invalid, body_too_large */
  json(): Promise<Fields>;
}

/** What a route answers; one that answers by itself returns nothing. */
export interface Reply {
  readonly status?: number;
  readonly body?: unknown;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A route; a word of its path that begins with `:` stands for any word. */
export interface Route {
  readonly method: "GET" | "PUT" | "POST" | "DELETE";
  readonly path: string;
  /** Answers also those who bring no token. */
  readonly isOpen?: true;
  run(call: Call): Promise<Reply | void> | Reply | void;
}

interface Door {
  readonly routes: readonly Route[];
  readonly authorize: Authorize;
  readonly sessions: Sessions;
  readonly maxBodyBytes: number;
}

const MAX_URL_CHARS = 16 * 1024;
const MAX_HEADER_BYTES = 16 * 1024;
const HEADERS_TIMEOUT_MS = 30_000;
const READ_OFF_MS = 2000;

/** The server in front of the routes. */
export function createDoor(door: Door): Server {
  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: 0,
  });
  server.on("request", (request, response) => {
    void answer(door, request, response);
  });
  server.on("clientError", (_error, socket) => {
    if (socket.writable) socket.end("HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
  });
  return server;
}

async function answer(door: Door, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  response.on("close", () => !response.writableFinished && gone.abort());
  response.on("error", () => gone.abort());
  request.on("error", () => gone.abort());
  try {
    const { path, key, url } = readTarget(request);
    const { route, params } = findRoute(door.routes, request.method ?? "", path);
    if (route.isOpen !== true) door.authorize(request);
    const reply = await route.run({
      request,
      response,
      params,
      query: queryFields(url.searchParams),
      get session() {
        return door.sessions.open(key);
      },
      gone: gone.signal,
      json: async () => readJson(request, door.maxBodyBytes),
    });
    if (reply) send(request, response, reply);
  } catch (error) {
    await refuse(request, response, problemOf(error));
  }
}

/** Where a request goes: the path without the session that it may name, and the session's key. */
export function readTarget(request: IncomingMessage): { path: string; key: string; url: URL } {
  const target = request.url ?? "/";
  if (target.length > MAX_URL_CHARS) throw new Problem("field_invalid", "The URL is too long.", { field: "url" });
  if (!target.startsWith("/") || !URL.canParse(`http://sidecar${target}`))
    throw new Problem("field_invalid", "The URL is not one.", { field: "url" });
  const url = new URL(`http://sidecar${target}`);
  const named = /^\/v1\/sessions\/([^/]+)(?=\/|$)/.exec(url.pathname);
  const inHeader = request.headers["x-session-key"];
  const key = named?.[1] === undefined ? String(inHeader ?? "") : decodeWord(named[1]);
  const path = named === null ? url.pathname : `/v1${url.pathname.slice(named[0].length) || "/session"}`;
  return { path, key, url };
}

/** @throws {@link Problem} route_not_found, method_not_allowed */
export function findRoute<T extends { readonly method: string; readonly path: string }>(
  routes: readonly T[],
  method: string,
  path: string,
): { readonly route: T; readonly params: Readonly<Record<string, string>> } {
  const fitting = routes.flatMap((route) => {
    const params = matchPath(route.path, path);
    return params === undefined ? [] : [{ route, params }];
  });
  if (fitting.length === 0) throw new Problem("route_not_found", "There is no such route.");
  const found = fitting.find(({ route }) => route.method === method);
  if (found === undefined)
    throw new Problem("method_not_allowed", `Use ${fitting.map(({ route }) => route.method).join(" or ")} here.`);
  return found;
}

function matchPath(pattern: string, path: string): Readonly<Record<string, string>> | undefined {
  const words = pattern.split("/");
  const given = path.split("/");
  if (words.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [i, word] of words.entries()) {
    const value = given[i] ?? "";
    if (word.startsWith(":") && value !== "") params[word.slice(1)] = decodeWord(value);
    else if (word !== value) return undefined;
  }
  return params;
}

function decodeWord(word: string): string {
  try {
    return decodeURIComponent(word);
  } catch (cause) {
    throw new Problem("field_invalid", "The path is not percent-encoded.", { field: "url", cause });
  }
}

async function readJson(request: IncomingMessage, maxBytes: number): Promise<Fields> {
  if (!/^application\/json\s*(?:;|$)/i.test(request.headers["content-type"] ?? ""))
    throw new Problem("media_type_wrong", "The body must be application/json.", { field: "content-type" });
  const body = await readBody(request, maxBytes);
  let parsed: unknown;
  try {
    parsed = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch (cause) {
    throw new Problem("body_invalid", "The body is not JSON in UTF-8.", { cause });
  }
  return bodyFields(parsed);
}

/**
 * Reads a body whole.
 *
 * @throws {@link Problem} body_too_large
 */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  checkLength(request, maxBytes);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const bytes of bodyOf(request)) {
    size += bytes.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

/** A body in pieces; who stops reading can still answer. */
export function bodyOf(request: IncomingMessage): AsyncIterable<Buffer> {
  return request.iterator({ destroyOnReturn: false });
}

/** @throws {@link Problem} body_too_large when the caller says so itself */
export function checkLength(request: IncomingMessage, maxBytes: number): void {
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) throw tooLarge(maxBytes);
}

export function tooLarge(maxBytes: number): Problem {
  return new Problem("body_too_large", `The body is larger than ${maxBytes} bytes.`);
}

function send(request: IncomingMessage, response: ServerResponse, reply: Reply): void {
  if (response.destroyed) return;
  const { status = 200, type = "application/json", headers = {} } = reply;
  const body = reply.body === undefined ? "" : JSON.stringify(reply.body);
  response.writeHead(status, {
    ...headers,
    ...(body !== "" && { "content-type": type }),
    "content-length": Buffer.byteLength(body),
    "cache-control": "no-store",
    // what is left of a body that nobody reads would be taken for the next request
    ...(!request.complete && { connection: "close" }),
  });
  response.end(body);
}

/** Answers with a refusal; an answer that has begun is broken off. */
async function refuse(request: IncomingMessage, response: ServerResponse, problem: Problem): Promise<void> {
  if (problem.code === "internal") console.error("sidecar:", problem.cause);
  if (response.headersSent) {
    response.destroy();
    return;
  }
  if (!request.complete) await readOff(request);
  const headers = problem.code === "unauthorized" ? { "www-authenticate": 'Bearer realm="sidecar"' } : {};
  send(request, response, { status: problem.status, body: problem, type: "application/problem+json", headers });
}

/** A caller who is still sending hears nothing when the connection ends, so the rest is taken for a while. */
async function readOff(request: IncomingMessage): Promise<void> {
  const over = AbortSignal.timeout(READ_OFF_MS);
  request.resume();
  await new Promise<void>((resolve) => {
    request.once("close", resolve);
    request.once("end", resolve);
    over.addEventListener("abort", () => resolve());
  });
}
