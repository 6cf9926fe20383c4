import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";

const SCRIPT = join(import.meta.dirname, "../../sidecar/start-in-container.sh");

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "talaria-start-"));
  // stand-ins: the machine's own store of authorities is not a test's to change
  for (const name of ["cp", "update-ca-certificates", "node"]) {
    const path = join(folder, name);
    writeFileSync(path, `#!/bin/sh\necho ${name} "$@" "[$NODE_EXTRA_CA_CERTS $REQUESTS_CA_BUNDLE]" >> ${folder}/log\n`);
    chmodSync(path, 0o755);
  }
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function start(authority: string): string {
  const env = { PATH: `${folder}:/usr/bin:/bin`, EGRESS_AUTHORITY: authority };
  expect(spawnSync("/bin/sh", [SCRIPT], { env }).status).toBe(0);
  return readFileSync(join(folder, "log"), "utf8");
}

it("starts the sidecar as it is where nobody stands between commands and the internet", () => {
  expect(start(join(folder, "none.crt"))).toBe("node server.ts [ ]\n");
});

it("trusts the authority of an intercepted egress before it starts the sidecar", () => {
  const authority = join(folder, "own.crt");
  writeFileSync(authority, "a certificate");
  expect(start(authority)).toBe(
    [
      `cp ${authority} /usr/local/share/ca-certificates/egress.crt [ ]`,
      "update-ca-certificates [ ]",
      `node server.ts [${authority} /etc/ssl/certs/ca-certificates.crt]`,
      "",
    ].join("\n"),
  );
});
