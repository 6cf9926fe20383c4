import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type SidecarProcess, countOf, eventually, isRoot, isolationModes, startSidecar } from "./sidecar-process.ts";

const MIB = 1024 ** 2;

const CAPS = {
  SIDECAR_PROCESSES: "48",
  SIDECAR_MEMORY_MB: "128",
  SIDECAR_FILE_MB: "4",
  SIDECAR_DISK_MB: "16",
  SIDECAR_CPU_SECONDS: "2",
  SIDECAR_JOBS: "4",
};

describe.each(isolationModes)("limits of a sidecar %s", (mode) => {
  let sidecar: SidecarProcess;
  beforeAll(async () => {
    sidecar = await startSidecar({ mode, env: CAPS });
  });
  afterAll(async () => sidecar.close());

  it("stops a runaway that forks, takes the whole of it away, and goes on serving others", async () => {
    const bomb = sidecar.exec({ shell: "b() { b | b & }; b; sleep 60", timeout_ms: 1500 });
    const other = await sidecar.exec({ shell: "echo alive" }, { session: "another" });
    expect((await bomb).exit_code).not.toBe(0);
    // where users are not their own, the bomb has taken the processes of all for as long as it lasted
    if (isRoot && mode !== "as an ordinary user") expect(other.stdout).toBe("alive\n");
    await eventually(
      async () => (await sidecar.exec({ shell: "echo again" })).stdout,
      (stdout) => stdout === "again\n",
    );
    await eventually(
      async () => (await sidecar.call("/v1/session")).body["running"],
      (running) => running === 0,
    );
  });

  it("takes away a runaway that leaves every group and terminal session", async () => {
    const script =
      "import os,time\nfor i in range(1000):\n  try:\n    if os.fork(): os._exit(0) if i > 20 else None\n    else: os.setsid()\n  except OSError: time.sleep(30)\ntime.sleep(4401)";
    await sidecar.exec({ argv: ["python3", "-c", script], timeout_ms: 1000 });
    await eventually(
      () => countOf(`python3 -c ${script}`),
      (count) => count === 0,
    );
  });

  it("ends a command that takes more memory than there is for it", async () => {
    const result = await sidecar.exec({ argv: ["python3", "-c", `b = bytearray(${256 * MIB}); print(len(b))`] });
    expect(result.exit_code).not.toBe(0);
    expect(result.stdout).toBe("");
  });

  it("ends the largest of many small processes that take too much together", async () => {
    const one = `b = b'x' * ${50 * MIB}; import time; time.sleep(30)`;
    const result = await sidecar.exec({
      shell: `for i in 1 2 3 4; do python3 -c "${one}" & done; wait`,
      timeout_ms: 20_000,
    });
    expect(result).toMatchObject({ exit_code: 137, error: "memory_limit" });
  });

  it("ends a file that grows too large, and a command that computes too long", async () => {
    const file = await sidecar.exec({ shell: "head -c 9000000 /dev/zero > big; stat -c %s big; rm big" });
    expect(Number(file.stdout)).toBe(4 * MIB);
    const busy = await sidecar.exec({ argv: ["python3", "-c", "while True: pass"], timeout_ms: 20_000 });
    expect(busy).toMatchObject({ signal: "SIGKILL" });
  });

  it("takes no upload and lets no command fill the disk beyond the quota", async () => {
    const session = "filler";
    const upload = await sidecar.call("/v1/files/content?path=huge", {
      method: "PUT",
      body: new Uint8Array(17 * MIB),
      session,
    });
    expect(upload).toMatchObject({ status: 507, body: { code: "disk_quota" } });
    const shell =
      "for i in 1 2 3 4 5 6 7 8 9; do head -c 4000000 /dev/zero > f$i; done; sleep 30; for i in 1 2 3 4 5 6 7 8 9; do head -c 4000000 /dev/zero > g$i; sleep 1; done";
    const filled = await sidecar.exec({ shell, timeout_ms: 40_000 }, { session });
    expect(filled).toMatchObject({ error: "disk_limit" });
    // what is too much can still be removed
    expect((await sidecar.exec({ shell: "rm -f f* g*" }, { session })).exit_code).toBe(0);
    const { status } = await sidecar.call("/v1/files/content?path=small", { method: "PUT", body: "fits", session });
    expect(status).toBe(201);
  });

  it("runs only so many things of a session at once", async () => {
    const session = "busy";
    const sleepers = Array.from({ length: 4 }, async () =>
      sidecar.call("/v1/processes", { json: { argv: ["sleep", "30"] }, session }),
    );
    expect((await Promise.all(sleepers)).map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    const fifth = await sidecar.call("/v1/exec", { json: { argv: ["true"] }, session });
    expect(fifth).toMatchObject({ status: 429, body: { code: "too_many" } });
    expect((await sidecar.exec({ argv: ["true"] }, { session: "idle" })).exit_code).toBe(0);
    await sidecar.call("/v1/session", { method: "DELETE", session });
  });

  it("leaves no zombies behind", async () => {
    await sidecar.exec({ shell: "for i in 1 2 3 4 5 6 7 8 9; do (setsid true &); done; sleep 0.2" });
    const zombies = await eventually(
      async () => (await sidecar.exec({ shell: "ps -eo stat,user | grep -c '^Z' || true" })).stdout.trim(),
      (count) => count === "0",
    );
    expect(zombies).toBe("0");
  });
});

describe.runIf(isRoot).each(isolationModes.filter((mode) => mode !== "as an ordinary user"))(
  "sessions of a sidecar %s",
  (mode) => {
    let sidecar: SidecarProcess;
    const ann = { session: "main:telegram:dm:1" };
    const bob = { session: "main:telegram:dm:2" };
    beforeAll(async () => {
      sidecar = await startSidecar({ mode });
    });
    afterAll(async () => sidecar.close());

    it("are users of their own, without rights and without groups", async () => {
      const [one, two] = [await sidecar.exec({ shell: "id" }, ann), await sidecar.exec({ shell: "id" }, bob)];
      expect(one.stdout).toMatch(/^uid=4\d{4} gid=4\d{4} groups=4\d{4}\n$/);
      expect(two.stdout).not.toBe(one.stdout);
      const { stdout } = await sidecar.exec(
        { shell: "grep -E 'NoNewPrivs|CapEff|CapPrm|CapBnd' /proc/self/status" },
        ann,
      );
      expect(stdout).toContain("NoNewPrivs:\t1");
      expect(stdout).toMatch(/CapPrm:\t0+\nCapEff:\t0+\n/);
    });

    it("cannot read, list or change one another's files, nor the sidecar's own", async () => {
      const { body } = await sidecar.call("/v1/session", ann);
      await sidecar.exec({ shell: "echo secret > s; chmod 777 . s" }, ann);
      const result = await sidecar.exec(
        {
          shell: `cat ${String(body["root"])}/s; ls ${String(body["root"])} ${sidecar.root}/state; echo x > ${String(body["root"])}/s`,
        },
        bob,
      );
      expect(result.stdout).toBe("");
      expect(result.exit_code).not.toBe(0);
      expect((await sidecar.exec({ argv: ["cat", "s"] }, ann)).stdout).toBe("secret\n");
    });

    it("cannot see into one another's processes or the sidecar, nor end them", async () => {
      const started = await sidecar.call("/v1/processes", {
        json: { argv: ["sleep", "4501"], env: { MINE: "hidden-word" } },
        ...ann,
      });
      expect(started.status).toBe(201);
      await eventually(
        () => countOf("sleep 4501"),
        (count) => count === 1,
      );
      const spy = `cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n' | grep -c -e hidden-word -e ${sidecar.token}; kill -9 -1 2>/dev/null; true`;
      const result = await sidecar.exec({ shell: spy, timeout_ms: 10_000 }, bob);
      expect(result.stdout.split("\n")[0]).toBe("0");
      expect(countOf("sleep 4501")).toBe(1);
      expect((await sidecar.exec({ shell: `kill -9 ${sidecar.pid}` }, bob)).exit_code).not.toBe(0);
      await sidecar.call("/v1/session", { method: "DELETE", ...ann });
      expect(countOf("sleep 4501")).toBe(0);
    });

    it("find one another's processes and events by no route", async () => {
      const { body } = await sidecar.call("/v1/processes", { json: { argv: ["sleep", "30"] }, ...ann });
      const path = `/v1/processes/${String(body["id"])}`;
      expect((await sidecar.call(path, bob)).status).toBe(404);
      expect((await sidecar.call(`${path}/kill`, { json: {}, ...bob })).status).toBe(404);
      expect((await sidecar.call("/v1/processes", bob)).body).toEqual({ processes: [] });
      await sidecar.call(path, { method: "DELETE", ...ann });
      expect((await sidecar.call<{ events: unknown[] }>("/v1/events", bob)).body.events).toEqual([]);
    });

    it("leave nothing when they are deleted, also not for whoever gets the same name or number", async () => {
      await sidecar.exec({ shell: "echo mine > left; echo mine > $HOME/left; echo mine > $TMPDIR/left" }, ann);
      const before = (await sidecar.exec({ argv: ["id", "-u"] }, ann)).stdout;
      await sidecar.call("/v1/session", { method: "DELETE", ...ann });
      const after = await sidecar.exec({ shell: "id -u; ls -A . $HOME $TMPDIR | grep left" }, ann);
      expect(after.stdout).toBe(before);
    });

    it("may not be followed by the sidecar's own rights through links or races", async () => {
      await sidecar.exec({ shell: `ln -s / out; ln -s ${sidecar.root}/state state; ln -s /etc/passwd file` }, bob);
      for (const path of ["out/etc/passwd", "file", "state/instance", "../../../state/instance", "/etc/passwd"]) {
        const { status, body } = await sidecar.call(`/v1/files/content?path=${encodeURIComponent(path)}`, bob);
        expect([status, body["code"]], path).toEqual([403, expect.stringMatching(/path_outside|permission_denied/)]);
      }
      const racing = sidecar.call("/v1/processes", {
        json: {
          shell: "mkdir -p d; echo fine > d/instance; while :; do mv d e; ln -s ../../../state d; rm d; mv e d; done",
        },
        ...bob,
      });
      const id = String((await racing).body["id"]);
      for (let i = 0; i < 150; i++) {
        const response = await sidecar.fetch("/v1/files/content?path=d/instance", bob);
        const text = await response.text();
        if (response.status === 200) expect(text).toBe("fine\n");
      }
      await sidecar.call(`/v1/processes/${id}`, { method: "DELETE", ...bob });
    });

    it.runIf(mode === "as found")("have a /tmp and a view of processes of their own", async (context) => {
      const { body } = await sidecar.call<{ capabilities: { namespaces: boolean } }>("/v1/health");
      if (!body.capabilities.namespaces) return context.skip();
      await sidecar.exec({ shell: "echo x > /tmp/named; echo x > /dev/shm/named" }, ann);
      const { stdout } = await sidecar.exec({ shell: "ls /tmp /dev/shm | grep named; ps -eo args" }, bob);
      expect(stdout).not.toContain("named\n");
      expect(stdout).not.toContain("server.ts");
    });

    it.runIf(mode === "as found")("can be kept off the network", async (context) => {
      const { body } = await sidecar.call<{ capabilities: { network_none: boolean } }>("/v1/health");
      if (!body.capabilities.network_none) return context.skip();
      const reach = { shell: `curl -s -m 5 ${sidecar.url}/v1/health` };
      expect((await sidecar.exec(reach, ann)).stdout).toContain("ok");
      expect((await sidecar.exec({ ...reach, network: "none" }, ann)).exit_code).toBe(7);
    });

    it.runIf(mode === "in a plain container")(
      "are refused what cannot be had, instead of being run without it",
      async () => {
        const { status, body } = await sidecar.call("/v1/exec", { json: { argv: ["true"], network: "none" }, ...ann });
        expect([status, body["code"], body["field"]]).toEqual([501, "unavailable", "network"]);
      },
    );
  },
);

it.runIf(isRoot)("keeps all commands off the network when the operator says so", async () => {
  const sidecar = await startSidecar({ env: { SIDECAR_NETWORK: "none" } });
  try {
    const { body } = await sidecar.call<{ capabilities: { network_none: boolean } }>("/v1/health");
    const asked = await sidecar.call("/v1/exec", { json: { shell: `curl -s -m 5 ${sidecar.url}/v1/health` } });
    if (body.capabilities.network_none) expect(asked.body).toMatchObject({ exit_code: 7 });
    else expect(asked.status).toBe(501);
    const around = await sidecar.call("/v1/exec", { json: { argv: ["true"], network: "host" } });
    expect(around).toMatchObject({ status: 400, body: { field: "network" } });
  } finally {
    await sidecar.close();
  }
});

it("gives commands the certificate authorities that the operator named, and nothing else of its environment", async () => {
  const sidecar = await startSidecar({ env: { NODE_EXTRA_CA_CERTS: "/etc/authority.crt", SOME_SECRET: "hidden" } });
  const { stdout } = await sidecar.exec({ argv: ["env"] });
  expect(stdout).toContain("NODE_EXTRA_CA_CERTS=/etc/authority.crt\n");
  expect(stdout).not.toContain("SOME_SECRET");
  await sidecar.close();
});
