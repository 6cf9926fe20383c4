import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { findLocalMode } from "../../scripts/find-local-mode.ts";

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "talaria-local-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

it("finds nothing where nobody set it", () => {
  writeFileSync(join(root, "config.yaml"), "# TALARIA_LOCAL is set by npm start alone\nmodel: demo\n");
  writeFileSync(join(root, "notes.md"), "TALARIA_LOCAL=1\n");
  expect(findLocalMode({ root, env: {}, flags: ["--dry-run"] })).toBeUndefined();
});

it.each([
  [".dev.vars", "TALARIA_LOCAL=1\n"],
  [".env", "MODEL=demo\nexport TALARIA_LOCAL=1\n"],
  ["wrangler.toml", '[vars]\nTALARIA_LOCAL = "1"\n'],
  ["wrangler.toml", '[env.paid]\nvars = { TALARIA_LOCAL = "1" }\n'],
  ["config.yaml", "env:\n  TALARIA_LOCAL: 1\n"],
])("finds it in %s", (name, text) => {
  writeFileSync(join(root, name), text);
  expect(findLocalMode({ root, env: {}, flags: [] })).toBe(name);
});

it("finds it in the environment, even when empty, and among the flags", () => {
  expect(findLocalMode({ root, env: { TALARIA_LOCAL: "" }, flags: [] })).toBe("the environment");
  expect(findLocalMode({ root, env: {}, flags: ["--var", "TALARIA_LOCAL:1"] })).toBe("the command line");
});
