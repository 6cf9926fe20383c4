import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { knownNames, mentionedNames } from "../../scripts/known-names.ts";

it("reads names where code describes or uses a setting, and nothing else in capitals", () => {
  const code = `
    { key: "botToken", env: "TELEGRAM_BOT_TOKEN" }, env.SLACK_BOT_TOKEN, env["HASS_URL"]
    const MAX_BYTES = 4; throw new Error("NOT A_NAME"); Number.MAX_SAFE_INTEGER`;
  expect(mentionedNames(code)).toEqual(["TELEGRAM_BOT_TOKEN", "SLACK_BOT_TOKEN", "HASS_URL"]);
});

it("knows what the sources and config.yaml mention and what is composed from a platform's name", () => {
  const root = mkdtempSync(join(tmpdir(), "talaria-names-"));
  mkdirSync(join(root, "src/platforms"), { recursive: true });
  writeFileSync(join(root, "src/platforms/telegram.ts"), 'env: "TELEGRAM_BOT_TOKEN"');
  writeFileSync(join(root, "config.yaml"), "hooks:\n  - url: ${MY_HOOK_URL}\n");
  const isKnown = knownNames(root);
  rmSync(root, { recursive: true });
  const known = [
    "TELEGRAM_BOT_TOKEN",
    "MY_HOOK_URL",
    "TELEGRAM_ALLOWED_USERS",
    "LINE_API_BASE",
    "MODEL",
    "OPENAI_API_KEY",
  ];
  expect(known.filter((name) => !isKnown(name))).toEqual([]);
  const unknown = ["HOME", "AWS_SECRET_ACCESS_KEY", "TALARIA_LOCAL", "TALARIA_STATE", "PORT", "NODE_OPTIONS"];
  expect(unknown.filter(isKnown)).toEqual([]);
});
