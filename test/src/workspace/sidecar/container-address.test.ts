import { expect, it } from "vitest";
import { type ContainerPort, type ContainerStart, openContainer } from "#src/workspace/sidecar/container-address";

/** A container that behaves as its API promises. Never tried on the platform itself. */
function standIn(options: { images?: Record<string, string>; badSnapshot?: string; startsSlowly?: number } = {}) {
  const starts: ContainerStart[] = [];
  const asked: string[] = [];
  /** What it was told, in order. */
  const done: string[] = [];
  let isRunning = false;
  let refusals = options.startsSlowly ?? 0;
  const container: ContainerPort = {
    get running() {
      return isRunning;
    },
    images: options.images ?? {},
    start(start) {
      starts.push(start);
      done.push("start");
      isRunning = start.containerSnapshot?.id !== options.badSnapshot || options.badSnapshot === undefined;
    },
    monitor: () => new Promise(() => {}),
    getTcpPort: (port) => ({
      fetch: async (url) => {
        if (!isRunning || refusals-- > 0) throw new Error("The container is not listening.");
        asked.push(`${port} ${url}`);
        return Response.json({ status: "ok" });
      },
    }),
    destroy: async () => {
      isRunning = false;
    },
    interceptAllOutboundHttp: async () => void done.push("http"),
    interceptOutboundHttps: async (hosts) => void done.push(`https ${hosts}`),
    snapshotContainer: async () => ({ id: `snapshot-${starts.length}` }),
  };
  return { container, starts, asked, done, crash: () => (isRunning = false) };
}

const EGRESS = { fetch: () => Promise.reject(new Error("not asked here")) } as unknown as Fetcher;

function opened(container: ContainerPort, kept?: string, egress?: Fetcher) {
  let snapshot = kept;
  let clock = 0;
  const sidecar = openContainer({
    container,
    token: "made-for-this-object",
    egress,
    size: "standard-1",
    snapshot: { read: () => snapshot, write: (id) => (snapshot = id) },
    now: () => (clock += 1000),
  });
  return { ...sidecar, snapshot: () => snapshot };
}

const ask = (sidecar: ReturnType<typeof opened>) => sidecar.address.fetch("http://sidecar/v1/session", {});

it("starts the container when it is first asked, without keys, and waits until it answers", async () => {
  const { container, starts, asked } = standIn({ startsSlowly: 2 });
  const sidecar = opened(container);
  expect(starts).toEqual([]);
  expect((await ask(sidecar)).ok).toBe(true);
  expect(starts).toEqual([
    {
      enableInternet: false,
      env: { SIDECAR_HOST: "0.0.0.0", SIDECAR_PORT: "8790", SIDECAR_TOKEN: "made-for-this-object" },
    },
  ]);
  expect(asked).toEqual(["8790 http://sidecar/v1/health", "8790 http://sidecar/v1/session"]);
});

it("starts one container for all who ask at once, and another when it has died", async () => {
  const { container, starts, crash } = standIn();
  const sidecar = opened(container);
  await Promise.all([ask(sidecar), ask(sidecar), ask(sidecar)]);
  expect(starts).toHaveLength(1);
  crash();
  await ask(sidecar);
  expect(starts).toHaveLength(2);
});

it("lets requests out through the Worker alone, by a way that is there before the container starts", async () => {
  const { container, starts, done } = standIn();
  await ask(opened(container, undefined, EGRESS));
  expect(done).toEqual(["https *", "http", "start"]);
  expect(starts[0]?.enableInternet).toBe(false);
});

it("makes the way out again for a container that outlived its object, and none where commands stay inside", async () => {
  const { container, done } = standIn();
  await ask(opened(container));
  expect(done).toEqual(["start"]);
  const later = opened(container, undefined, EGRESS);
  await Promise.all([ask(later), ask(later)]);
  await ask(later);
  expect(done).toEqual(["start", "https *", "http"]);
});

it("names image and size where the object chooses them", async () => {
  const { container, starts } = standIn({ images: { sidecar: "registry.example/sidecar:1" } });
  await ask(opened(container));
  expect(starts[0]).toMatchObject({ image: "registry.example/sidecar:1", instance: "standard-1" });
});

it("keeps what the container was like when it stops, and goes on from there", async () => {
  const { container, starts } = standIn();
  const sidecar = opened(container);
  await ask(sidecar);
  await sidecar.stop();
  expect(container.running).toBe(false);
  expect(sidecar.snapshot()).toBe("snapshot-1");
  await ask(sidecar);
  expect(starts[1]).toMatchObject({ containerSnapshot: { id: "snapshot-1" } });
});

it("begins anew when what was kept cannot be started", async () => {
  const { container, starts } = standIn({ badSnapshot: "gone" });
  const sidecar = opened(container, "gone");
  expect((await ask(sidecar)).ok).toBe(true);
  expect(starts.map((start) => start.containerSnapshot?.id)).toEqual(["gone", undefined]);
  expect(sidecar.snapshot()).toBeUndefined();
});

it("says that the container cannot be reached when it never answers", async () => {
  const { container } = standIn({ startsSlowly: 1_000_000 });
  let clock = 0;
  const sidecar = openContainer({
    container,
    token: "t",
    egress: undefined,
    size: "lite",
    snapshot: { read: () => undefined, write: () => undefined },
    now: () => (clock += 30_000),
  });
  await expect(sidecar.address.fetch("http://sidecar/v1/session", {})).rejects.toMatchObject({ code: "unavailable" });
});

it("stops nothing that does not run", async () => {
  const { container } = standIn();
  const sidecar = opened(container);
  await sidecar.stop();
  expect(sidecar.snapshot()).toBeUndefined();
  expect(sidecar.isRunning()).toBe(false);
});
