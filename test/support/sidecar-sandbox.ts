// A Sandbox whose commands run in a sidecar that lives in the test.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { decodeUtf8, utf8 } from "#src/lib/encoding";
import type { Answer } from "#src/workspace/open-workspace";
import { Sandbox } from "../../durable-objects/sandbox";
import { type FakeSidecar, SIDECAR_TOKEN, fakeSidecar } from "./fake-sidecar";

/** A workspace and its sidecar. */
export interface SidecarWorld {
  readonly sidecar: FakeSidecar;
  /** The object as it is now; another one after `reborn`. */
  readonly sandbox: () => Sandbox;
  /** The object has ended, whatever it was doing, and is there again. */
  readonly reborn: (settings?: Readonly<Record<string, unknown>>) => Sandbox;
  readonly exec: (command: string, key?: string) => ReturnType<Sandbox["exec"]>;
  readonly write: (path: string, text: string) => Promise<void>;
  readonly text: (path: string) => Promise<string | undefined>;
  /** Every file of the workspace's lasting copy, as text. */
  readonly files: () => Promise<Record<string, string>>;
  readonly ctx: DurableObjectState;
  /** What sessions were told, as `session key text`. */
  readonly told: string[];
  /** Called when a session is told something; throws when it cannot be. */
  onTold: () => void;
}

let keys = 0;

/** Does something with a workspace of its own, whose sidecar answers at http://sidecar.test. */
export function withSidecar(name: string, work: (world: SidecarWorld) => Promise<void>): Promise<void> {
  const sidecar = fakeSidecar();
  const real = globalThis.fetch;
  vi.spyOn(globalThis, "fetch").mockImplementation((input, init) =>
    typeof input === "string" && input.startsWith("http://sidecar.test")
      ? sidecar.fetch(input, init)
      : real(input, init),
  );
  return runInDurableObject(env.SANDBOXES.getByName(`sidecar-test-${name}`), async (_, ctx) => {
    const told: string[] = [];
    const hearNotice = (session: string) => async (key: string, text: string) => {
      world.onTold();
      told.push(`${session} ${key} ${text}`);
    };
    const SESSIONS = { getByName: (session: string) => ({ hearNotice: hearNotice(session) }) };
    const make = (settings: Readonly<Record<string, unknown>> = {}): Sandbox => {
      const own = { SIDECAR_URL: "http://sidecar.test/", SIDECAR_TOKEN, SESSIONS };
      return new Sandbox(ctx, Object.assign({}, env, own, settings));
    };
    let sandbox = make();
    const world: SidecarWorld = {
      sidecar,
      ctx,
      told,
      onTold: () => undefined,
      sandbox: () => sandbox,
      reborn: (settings) => (sandbox = make(settings)),
      exec: (command, key = `key-${keys++}`) => sandbox.exec(command, { key, timeoutMs: 5000 }),
      async write(path, text) {
        value(await sandbox.writeFile(path, utf8(text), `key-${keys++}`));
      },
      text: (path) => textOf(sandbox, path),
      async files() {
        const stats = value(await sandbox.list("/workspace", 1000)).filter(({ isDirectory }) => !isDirectory);
        const all = await Promise.all(stats.map(async ({ path }) => [path.slice(11), await textOf(sandbox, path)]));
        return Object.fromEntries(all) as Record<string, string>;
      },
    };
    await work(world);
  });
}

/** What was answered. @throws when it was refused */
export function value<T>(answer: Answer<T>): T {
  if (!answer.ok) throw new Error(`${answer.code}: ${answer.message}`);
  return answer.value;
}

async function textOf(sandbox: Sandbox, path: string): Promise<string | undefined> {
  const bytes = value(await sandbox.readFile(path));
  return bytes && decodeUtf8(bytes);
}
