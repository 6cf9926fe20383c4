import { ApiError, bearer, refusalIn } from "../shared/api";
import { askForToken } from "../shared/door";
import { kept } from "../shared/keep";
import { state } from "./state";
import type {
  Approval,
  AuditEntry,
  Delivery,
  Diagnosis,
  HookDetail,
  HookList,
  ModuleRow,
  Moment,
  Run,
  Trial,
} from "./wire";

/** Calls that are shown. */
const RUNS = 300;
const AUDIT_ENTRIES = 500;

interface Sent {
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What the routes answer to a `GET`, by the path without its query. */
interface Answers {
  "": HookList;
  "/log": { readonly runs: readonly Run[] };
  "/approvals": { readonly approvals: readonly Approval[] };
  "/audit": { readonly audit: readonly AuditEntry[] };
  "/modules": { readonly modules: readonly ModuleRow[] };
  "/events": { readonly events: readonly Moment[] };
  "/status": { readonly open_circuits: readonly string[] };
  "/deliveries": { readonly deliveries: readonly Delivery[] };
  "/doctor": Diagnosis;
}

/** Asks the operator's API of hooks; without the right token the page asks for one. Throws {@link ApiError}. */
export async function request(method: string, path: string, { body, headers }: Sent = {}): Promise<Response> {
  const response = await fetch(`/api/hooks${path}`, {
    method,
    headers: { ...bearer(), ...headers },
    ...(body === undefined ? {} : { body }),
  }).catch(() => {
    throw new ApiError(0, "The server cannot be reached.", "network");
  });
  if (response.ok) return response;
  const refusal = await refusalIn(response);
  const { status, message } = refusal;
  if (status === 401) askForToken(kept.get("token") === null ? "" : "That token is not the right one.");
  else if (status === 503 && message.includes("ADMIN_TOKEN")) askForToken(message);
  throw refusal;
}

/** The hooks, and their version. */
export async function readList(): Promise<{ readonly list: HookList; readonly etag: string }> {
  const response = await request("GET", "");
  // what this route answers
  return { list: (await response.json()) as HookList, etag: response.headers.get("etag") ?? "" };
}

export function readRuns(): Promise<Answers["/log"]> {
  return read("/log", `?limit=${RUNS}`);
}

export function readAudit(): Promise<Answers["/audit"]> {
  return read("/audit", `?limit=${AUDIT_ENTRIES}`);
}

/** Reads what a route answers. */
export async function read<Path extends keyof Answers>(path: Path, query = ""): Promise<Answers[Path]> {
  const response = await request("GET", path + query);
  // what this route answers
  return (await response.json()) as Answers[Path];
}

/** All of a hook; undefined when it is gone. */
export async function readHook(id: string): Promise<HookDetail | undefined> {
  const response = await request("GET", `/${encodeURIComponent(id)}`).catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  });
  // what this route answers
  return response === undefined ? undefined : ((await response.json()) as HookDetail);
}

/** The source of a module that is kept. */
export async function readModule(sha256: string): Promise<string> {
  return (await request("GET", `/modules/${sha256}`)).text();
}

/** Keeps the source of a module, and tells its hash. */
export async function keepModule(source: string): Promise<string> {
  const response = await request("POST", "/modules", { body: source, headers: { "content-type": "text/javascript" } });
  // what this route answers
  const { sha256 } = (await response.json()) as { readonly sha256: string };
  return sha256;
}

/** Calls the hooks of an event with made-up data. */
export async function tryEvent(wish: object): Promise<Trial> {
  const headers = { "content-type": "application/json" };
  const response = await request("POST", "/test", { body: JSON.stringify(wish), headers });
  // what this route answers
  return (await response.json()) as Trial;
}

/** Changes something, provided that it is still as it was last shown. */
export async function change(method: string, path: string, value?: object): Promise<void> {
  const version = { "if-match": state.etag };
  const sent =
    value === undefined
      ? { headers: version }
      : { headers: { ...version, "content-type": "application/json" }, body: JSON.stringify(value) };
  const response = await request(method, path, sent);
  state.etag = response.headers.get("etag") ?? state.etag;
  await response.arrayBuffer();
}

/** A change of one hook, by its id. */
export function changeHook(id: string, what: "enable" | "disable" | "reset-circuit"): Promise<void> {
  return change("POST", `/${encodeURIComponent(id)}/${what}`);
}

/** Why nothing was done, for the person who asked for it. */
export function whyNot({ word, status, message }: ApiError): string {
  if (status === 0)
    return "No answer came: it may be done or not. The page shows which as soon as there is a connection.";
  if (word === "version_mismatch")
    return "Somebody changed the hooks meanwhile, so nothing was done. This is how they are now: look again.";
  if (word === "address_refused") return `Not approved: the address is refused. ${message}`;
  return word === "digest_mismatch" ? `Not approved. ${message}` : message;
}
