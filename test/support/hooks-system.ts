// The whole system with a receiver of hooks beside it, and the operator's API to put hooks into it.
import { createServer } from "node:http";
import { freePort } from "./runtime.ts";
import { type System, startSystem } from "./start-system.ts";

/** A hook as the API shows it. */
export interface ListedHook {
  readonly id: string;
  readonly event: string;
  readonly target: string;
  readonly status: string;
  readonly digest: string;
}

export interface HooksSystem extends System {
  /** Address of the receiver, with a slash at its end; what is behind that is the test's own. */
  readonly receiver: string;
  /** Paths and bodies of all that the receiver was sent. */
  readonly received: { readonly path: string; readonly body: string }[];
  /** Asks `/api/hooks`, as the operator. */
  readonly api: <T = unknown>(method: string, path?: string, body?: unknown) => Promise<T>;
  /** Adds one hook of our own dialect; it waits for approval. */
  readonly add: (hook: object) => Promise<ListedHook>;
  readonly approve: (hook: ListedHook) => Promise<void>;
  readonly statusOf: (id: string) => Promise<string | undefined>;
  /** Has the agent run a command in a conversation of its own, and answers what it said. */
  readonly runTurn: (session: string, words: string) => Promise<string>;
}

/** Starts both. `decide` answers for the receiver by what it was sent. */
export async function startHooksSystem(decide: (path: string, body: string) => object): Promise<HooksSystem> {
  const received: { path: string; body: string }[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString("utf8")));
    request.on("end", () => {
      const path = decodeURIComponent(request.url ?? "/");
      received.push({ path, body });
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(decide(path, body)));
    });
  });
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const system = await startSystem({ HOOKS_ALLOW_LOCAL: `127.0.0.1:${port}` });
  const authorization = `Bearer ${system.token}`;

  async function api<T>(method: string, path = "", body?: unknown): Promise<T> {
    const headers = { authorization, "content-type": "application/json" };
    const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) };
    const response = await fetch(`${system.url}/api/hooks${path}`, init);
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
    // the caller names what the route answers
    return (await response.json()) as T;
  }

  return {
    ...system,
    receiver: `http://127.0.0.1:${port}/`,
    received,
    api,
    async add(hook) {
      const { hooks } = await api<{ hooks: ListedHook[] }>("POST", "", { native: [hook] });
      if (hooks[0] === undefined) throw new Error("no hook was added");
      return hooks[0];
    },
    async approve({ event, target, digest }) {
      await api("POST", "/approvals", { event, target, config_sha256: digest });
    },
    async statusOf(id) {
      return (await api<{ hooks: ListedHook[] }>("GET")).hooks.find((hook) => hook.id === id)?.status;
    },
    async runTurn(session, words) {
      const response = await fetch(`${system.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization, "content-type": "application/json", "x-session-id": session },
        body: JSON.stringify({ model: "talaria", messages: [{ role: "user", content: words }] }),
      });
      return response.text();
    },
    async stop() {
      await system.stop();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
