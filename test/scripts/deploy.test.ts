import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { startupGzipBytes } from "../../scripts/startup-size.ts";

/** Bytes of what a Worker may load at its start, so that a cold start stays unnoticed. */
const MAX_STARTUP_GZIP_BYTES = 500 * 1024;

const folder = mkdtempSync(join(tmpdir(), "talaria-deploy-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function deploy(
  flags: readonly string[],
  env: Readonly<Record<string, string>> = {},
): { code: number | null; output: string } {
  const { TALARIA_LOCAL: _, ...rest } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, ["scripts/deploy.ts", ...flags], {
    encoding: "utf8",
    env: { ...rest, WRANGLER_HIDE_BANNER: "true", ...env },
  });
  return { code: status, output: stdout + stderr };
}

for (const [plan, flags, optional] of [
  ["free", [], false],
  ["paid", ["--env", "paid"], true],
] as const) {
  it(`builds for the ${plan} plan, small enough to start at once`, async () => {
    const out = join(folder, plan);
    const { code, output } = deploy([...flags, "--dry-run", "--outdir", out]);
    expect(output).toContain("env.SESSIONS (ChatSession)");
    expect(code).toBe(0);
    for (const binding of ["env.LOADER", "env.MEDIA", "env.AI"]) expect(output.includes(binding)).toBe(optional);
    expect(await startupGzipBytes(join(out, "gateway.js"))).toBeLessThanOrEqual(MAX_STARTUP_GZIP_BYTES);
  });
}

it("builds the container's image for the paid plan where there is Docker", () => {
  const docker = join(folder, "docker");
  // a build reads its Dockerfile from standard input
  writeFileSync(docker, `#!/bin/sh\necho "$@" >> ${docker}.log\n[ "$1" != build ] || cat > /dev/null\n`);
  chmodSync(docker, 0o755);
  const { code, output } = deploy(["--env", "paid", "--dry-run"], { WRANGLER_DOCKER_BIN: docker });
  expect(code, output).toBe(0);
  expect(output).toContain("Sandbox (durable_object)");
  expect(readFileSync(`${docker}.log`, "utf8")).toMatch(/^build .*talaria-sandbox-sidecar.* .*\/sidecar$/m);
});

it("deploys the rest of the paid plan where there is no Docker, and says what is missing", () => {
  const { code, output } = deploy(["--env=paid", "--dry-run"], { WRANGLER_DOCKER_BIN: join(folder, "nothing") });
  expect(code, output).toBe(0);
  expect(output).toMatch(/^No Docker here: deploying without the container/);
  expect(output).toContain("env.LOADER");
  expect(output).not.toContain("durable_object)");
  expect(existsSync("wrangler.without-containers.toml")).toBe(false);
});

it("refuses to deploy the local mode", () => {
  const { code, output } = deploy(["--dry-run"], { TALARIA_LOCAL: "1" });
  expect(code).toBe(1);
  expect(output).toMatch(/^TALARIA_LOCAL is set in the environment: .+\n$/);
});
