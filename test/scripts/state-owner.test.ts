import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type ProcessIdentity, identify, isAlive } from "../../scripts/process-table.ts";
import { ownState } from "../../scripts/state-owner.ts";

const self = identify(process.pid) as ProcessIdentity; // this process lives
const noSuchProcess: ProcessIdentity = { pid: self.pid, startedAt: "another time" };

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "talaria-owner-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function plantOwner(name: string, process: ProcessIdentity, runtime: readonly ProcessIdentity[] = []): void {
  mkdirSync(join(folder, "owners"), { recursive: true });
  writeFileSync(join(folder, "owners", name), JSON.stringify({ process, address: "http://planted", runtime }));
}

async function sleeper(): Promise<ProcessIdentity> {
  const child = spawn("sleep", ["60"]);
  await once(child, "spawn");
  return identify(child.pid ?? 0) as ProcessIdentity; // it was just started
}

it("gives a free folder to the first who asks, and refuses it to the next", async () => {
  expect(await ownState(folder, "http://first")).toHaveProperty("noteRuntime");
  expect(await ownState(folder, "http://second")).toMatchObject({ heldBy: { process: self, address: "http://first" } });
});

it("gives it to exactly one of several who ask at once", async () => {
  plantOwner("7.json", noSuchProcess);
  const answers = await Promise.all(["a", "b", "c"].map((address) => ownState(folder, address)));
  expect(answers.filter((answer) => "noteRuntime" in answer)).toHaveLength(1);
});

it("takes over from an owner whose process id was given to another, and keeps counting", async () => {
  plantOwner("7.json", noSuchProcess);
  expect(await ownState(folder, "http://heir")).toHaveProperty("noteRuntime");
  expect(readdirSync(join(folder, "owners"))).toEqual(["8.json"]);
});

it("takes over from an owner whose file is damaged", async () => {
  mkdirSync(join(folder, "owners"));
  writeFileSync(join(folder, "owners", "1.json"), "{");
  expect(await ownState(folder, "http://heir")).toHaveProperty("noteRuntime");
});

it("ends the processes of a dead owner, and nobody who was given one of their ids", async () => {
  const left = await sleeper();
  const stranger = await sleeper();
  plantOwner("1.json", noSuchProcess, [left, { ...stranger, startedAt: "another time" }]);
  await ownState(folder, "http://heir");
  expect(isAlive(left)).toBe(false);
  expect(isAlive(stranger)).toBe(true);
  process.kill(stranger.pid);
});

it("keeps the names of a dead owner's processes until they are known to be gone", async () => {
  plantOwner("1.json", noSuchProcess, [noSuchProcess]);
  const owned = await ownState(folder, "http://heir");
  expect(JSON.parse(readFileSync(join(folder, "owners", "2.json"), "utf8"))).toMatchObject({
    runtime: [noSuchProcess],
  });
  if ("noteRuntime" in owned) owned.noteRuntime([self]);
  expect(JSON.parse(readFileSync(join(folder, "owners", "2.json"), "utf8"))).toMatchObject({ runtime: [self] });
});
