import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { performance } from "node:perf_hooks";
import { load } from "./load.ts";
import type { Report } from "./main.ts";
import { type System, median, round, startSystem } from "./systems.ts";

const CHAT = 5000;
const TURNS = 100;
const ROUNDS = 7;

/** What one HTTP gate on loopback adds to a turn, in milliseconds, beside a bare POST to the same receiver. */
export async function gate(report: Report): Promise<void> {
  const receiver = createServer((request, response) => {
    request.resume().on("end", () => response.writeHead(204).end());
  }).listen(0, "127.0.0.1");
  await once(receiver, "listening");
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/gate`;
  const system = await startSystem("wrangler.toml", undefined, { HOOKS_ALLOW_LOCAL: new URL(url).host });
  try {
    await addGate(system, url);
    const turnMs = async (isOn: boolean): Promise<number> => {
      await operate(system, "PUT", "/api/hooks/master", { on: isOn });
      const { seconds } = await load(system.runtime, system.telegram, { sessions: [CHAT], inFlight: 1, turns: TURNS });
      return (seconds * 1000) / TURNS;
    };
    await turnMs(true);
    const pairs: { readonly without: number; readonly gated: number; readonly bare: number }[] = [];
    for (let i = 0; i < ROUNDS; i++)
      pairs.push({ without: await turnMs(false), gated: await turnMs(true), bare: await bareMs(url) });
    report({
      name: "http_gate_ms",
      turn: round(median(pairs.map(({ without }) => without))),
      turn_with_gate: round(median(pairs.map(({ gated }) => gated))),
      gate: round(median(pairs.map(({ gated, without }) => gated - without))),
      bare_post: round(median(pairs.map(({ bare }) => bare))),
    });
  } finally {
    receiver.closeAllConnections();
    await Promise.all([system.close(), new Promise((closed) => receiver.close(closed))]);
  }
}

/** Adds a guard before every call of the model, and approves it as it was shown. */
async function addGate(system: System, url: string): Promise<void> {
  const native = [{ event: "model.pre", url, onFailure: "deny" }];
  const { hooks } = (await operate(system, "POST", "/api/hooks", { native })) as {
    readonly hooks: readonly { readonly event: string; readonly target: string; readonly digest: string }[];
  };
  for (const { event, target, digest } of hooks)
    await operate(system, "POST", "/api/hooks/approvals", { event, target, config_sha256: digest });
}

async function operate({ runtime }: System, method: string, path: string, body: object): Promise<unknown> {
  const response = await fetch(`${runtime.url}${path}`, {
    method,
    headers: { authorization: "Bearer bench-admin", "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return response.json();
}

async function bareMs(url: string): Promise<number> {
  const body = JSON.stringify({ type: "model.pre", data: {} });
  const startedAt = performance.now();
  for (let i = 0; i < TURNS; i++) await (await fetch(url, { method: "POST", body })).arrayBuffer();
  return (performance.now() - startedAt) / TURNS;
}
