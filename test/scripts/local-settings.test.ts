import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type LocalSettings, readLocalSettings } from "../../scripts/local-settings.ts";

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "talaria-settings-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function read(env: Readonly<Record<string, string>>): LocalSettings {
  return readLocalSettings({ env, isKnown: (name) => name !== "HOME", root, stateFolder: root });
}

it("takes the process environment before the file, and only known names of it", () => {
  writeFileSync(join(root, ".dev.vars"), 'MODEL="from file"\nSLACK_BOT_TOKEN=\'xoxb-$HOME"\'\n');
  const { bindings } = read({ MODEL: "from environment", HOME: "/home/someone", ADMIN_TOKEN: "mine" });
  expect(bindings).toEqual({
    MODEL: "from environment",
    SLACK_BOT_TOKEN: 'xoxb-$HOME"',
    ADMIN_TOKEN: "mine",
    TALARIA_LOCAL: "1",
  });
});

it("counts an empty value as not set", () => {
  writeFileSync(join(root, ".dev.vars"), "MODEL=kept\nOPENAI_API_KEY=\n");
  expect(read({ MODEL: "", ADMIN_TOKEN: "mine" }).bindings).toEqual({
    MODEL: "kept",
    ADMIN_TOKEN: "mine",
    TALARIA_LOCAL: "1",
  });
});

it("reads .env when there is no .dev.vars, as wrangler does", () => {
  writeFileSync(join(root, ".env"), "MODEL=env\n");
  expect(read({}).bindings["MODEL"]).toBe("env");
  writeFileSync(join(root, ".dev.vars"), "OPENAI_BASE_URL=http://127.0.0.1:11434/v1\n");
  expect(read({}).bindings["MODEL"]).toBeUndefined();
});

it("says itself that it is local, whatever the file says", () => {
  writeFileSync(join(root, ".dev.vars"), "TALARIA_LOCAL=0\n");
  expect(read({}).bindings["TALARIA_LOCAL"]).toBe("1");
});

it("makes an admin token once, for nobody else to read", () => {
  const first = read({});
  expect(first.madeToken).toMatchObject({ isNew: true, value: first.bindings["ADMIN_TOKEN"] });
  expect(first.madeToken?.value).toMatch(/^[\w-]{43}$/);
  expect(statSync(join(root, "admin-token")).mode & 0o777).toBe(0o600);
  expect(read({}).madeToken).toMatchObject({ isNew: false, value: first.madeToken?.value });
});

it("makes no admin token when the operator set one", () => {
  expect(read({ ADMIN_TOKEN: "mine" }).madeToken).toBeUndefined();
});
