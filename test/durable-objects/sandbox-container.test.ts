// The container is a stand-in of the platform's API: what Cloudflare's own does was not tried.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";
import { decodeUtf8, utf8 } from "#src/lib/encoding";
import type { ContainerStart } from "#src/workspace/sidecar/container-address";
import { Sandbox } from "../../durable-objects/sandbox";
import { SIDECAR_TOKEN, fakeSidecar } from "../support/fake-sidecar";
import { value } from "../support/sidecar-sandbox";
import { until } from "../support/until";

afterEach(() => {
  vi.restoreAllMocks();
});

const MINUTE_MS = 60_000;

it("runs commands in a container of the object's own, stops it when it is idle, and loses nothing", async () => {
  const profile = "container-test";
  await env.PROFILES.getByName(profile).setRuntime({ "terminal.backend": "container", "terminal.internet": false });
  await runInDurableObject(env.SANDBOXES.getByName(profile), async (_, ctx) => {
    const sidecar = fakeSidecar();
    const starts: ContainerStart[] = [];
    let isRunning = false;
    const container = {
      get running() {
        return isRunning;
      },
      start(start: ContainerStart) {
        starts.push(start);
        isRunning = true;
      },
      monitor: () => new Promise<void>(() => {}),
      getTcpPort: () => ({
        fetch: (url: string, init: RequestInit) => {
          const headers = new Headers(init.headers);
          // the stand-in has a token of its own
          if (headers.has("authorization")) headers.set("authorization", `Bearer ${SIDECAR_TOKEN}`);
          return url.endsWith("/health") && !headers.has("authorization")
            ? Promise.resolve(Response.json({ status: "ok" }))
            : sidecar.fetch(url, { ...init, headers });
        },
      }),
      interceptAllOutboundHttp: () => Promise.reject(new Error("commands are to stay inside")),
      interceptOutboundHttps: () => Promise.reject(new Error("commands are to stay inside")),
      destroy: async () => {
        isRunning = false;
        sidecar.restart({ keepsDisk: false });
      },
    };
    Object.defineProperty(ctx, "container", { value: container });
    const { storage } = ctx;
    let clock = Date.now();
    vi.spyOn(Date, "now").mockImplementation(() => clock++);
    const sandbox = new Sandbox(ctx, env);
    await sandbox.writeFile("a", utf8("1"), "w1");
    sidecar.run = (_command, box) => {
      box.write("b", "2");
      return { stdout: Object.keys(box.files()).join() };
    };
    expect(value(await sandbox.exec("ls", { key: "e1", timeoutMs: 1000 })).stdout).toBe("a,b");
    expect(starts).toHaveLength(1);
    expect(starts[0]?.enableInternet).toBe(false);
    expect(Object.keys(starts[0]?.env ?? {})).toEqual(["SIDECAR_HOST", "SIDECAR_PORT", "SIDECAR_TOKEN"]);

    await until(async () => expect(await storage.getAlarm()).toBeGreaterThan(clock + 9 * MINUTE_MS));
    await sandbox.alarm();
    expect(isRunning).toBe(true);
    clock += 11 * MINUTE_MS;
    await sandbox.alarm();
    expect(isRunning).toBe(false);
    expect(await storage.getAlarm()).toBeNull();

    expect(decodeUtf8(value(await sandbox.readFile("b")) ?? new Uint8Array())).toBe("2");
    expect(value(await sandbox.exec("ls", { key: "e2", timeoutMs: 1000 })).stdout).toBe("a,b");
    expect(starts).toHaveLength(2);
  });
});

it("says that there is no container where the deployment has none", async () => {
  const profile = "no-container-test";
  await env.PROFILES.getByName(profile).setRuntime({ "terminal.backend": "container" });
  const answer = await env.SANDBOXES.getByName(profile).exec("ls", { key: "k", timeoutMs: 1000 });
  expect(answer).toMatchObject({ ok: false, code: "not_configured", message: expect.stringContaining("container") });
});
