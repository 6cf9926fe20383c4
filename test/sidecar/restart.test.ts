import { rmSync } from "node:fs";
import { expect, it } from "vitest";
import type { ProcessView } from "../../sidecar/protocol.ts";
import { type SidecarProcess, countOf, eventually, isolationModes, startSidecar } from "./sidecar-process.ts";

interface Page {
  readonly events: readonly { readonly type: string; readonly id: string }[];
  readonly next_cursor: string;
  readonly restarted?: true;
}

const keyed = { headers: { "idempotency-key": "k" } };

it.each(isolationModes)("takes everything along when it ends as told, %s", async (mode) => {
  const sidecar = await startSidecar({ mode });
  await sidecar.call("/v1/processes", { json: { shell: "trap '' TERM HUP; (setsid sleep 4701 &); sleep 4701" } });
  await sidecar.call("/v1/terminals", { json: { argv: ["sleep", "4701"] } });
  await eventually(
    () => countOf("sleep 4701"),
    (count) => count === 3,
  );
  expect(await sidecar.end("SIGTERM")).toBe(0);
  expect(countOf("sleep 4701")).toBe(0);
  rmSync(sidecar.root, { recursive: true });
});

it.each(isolationModes)("never runs again what may have run when it was killed, and says so, %s", async (mode) => {
  const first = await startSidecar({ mode });
  const body = { shell: "echo ran >> runs; sleep 4702" };
  const lost = first.call("/v1/exec", { json: body, ...keyed }).catch(() => "broken off");
  const started = await first.call<ProcessView>("/v1/processes", { json: { shell: "sleep 4702; sleep 4702" } });
  const { next_cursor } = (await first.call<Page>("/v1/events")).body;
  const done = await first.exec({ shell: "echo whole; date +%N" }, { headers: { "idempotency-key": "done" } });
  await eventually(
    () => countOf("sleep 4702"),
    (count) => count === 2,
  );
  await first.end("SIGKILL");
  expect(await lost).toBe("broken off");

  const second = await startSidecar({ mode, root: first.root });
  try {
    const again = await second.call("/v1/exec", { json: body, ...keyed });
    expect(again).toMatchObject({ status: 409, body: { code: "outcome_unknown" } });
    expect((await second.exec({ argv: ["cat", "runs"] })).stdout).toBe("ran\n");
    expect(await second.exec({ shell: "echo whole; date +%N" }, { headers: { "idempotency-key": "done" } })).toEqual(
      done,
    );
    expect((await second.call<ProcessView>(`/v1/processes/${started.body.id}`)).body).toMatchObject({ status: "lost" });
    const page = (await second.call<Page>(`/v1/events?after=${next_cursor}`)).body;
    expect(page).toMatchObject({ restarted: true, events: [{ type: "process.lost", id: started.body.id }] });
    await eventually(
      () => countOf("sleep 4702"),
      (count) => count === 0,
    );
  } finally {
    await second.close();
  }
});

it("refuses to work in a folder beside a living one, and takes over from a dead one", async () => {
  const first = await startSidecar();
  await expect(startSidecar({ root: first.root })).rejects.toThrow(`Another sidecar works in ${first.root}.`);
  await first.end("SIGKILL");
  const second: SidecarProcess = await startSidecar({ root: first.root });
  expect((await second.exec({ argv: ["echo", "on"] })).stdout).toBe("on\n");
  await second.close();
});

it("ends with who started it when asked to, and takes everything along", async () => {
  const sidecar = await startSidecar({ env: { SIDECAR_STOP_WITH_STDIN: "1" } });
  await sidecar.call("/v1/processes", { json: { argv: ["sleep", "4703"] } });
  await eventually(
    () => countOf("sleep 4703"),
    (count) => count === 1,
  );
  sidecar.endInput();
  expect(await sidecar.exited).toBe(0);
  expect(countOf("sleep 4703")).toBe(0);
  rmSync(sidecar.root, { recursive: true });
});
