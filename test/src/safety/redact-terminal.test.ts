import { describe, expect, it } from "vitest";
import { printsEnvironment, redactTerminal } from "#src/safety/redact-terminal";

const VALUE = "jSFpFkIM3Vak1uDSKFQs1DxBA9RelOxO";

it("takes every value of a secret's name out of an environment", () => {
  const output = `MY_SERVICE_TOKEN=${VALUE}\nDB_PASS=x1\nPORT=3000\nHOME=/root`;
  expect(redactTerminal("printenv", output)).toBe("MY_SERVICE_TOKEN=***\nDB_PASS=***\nPORT=3000\nHOME=/root");
});

it("leaves what an environment says of keyboards, authors and desktops", () => {
  const output =
    "KEYMAP=us\nGIT_AUTHOR_NAME=Bob\nXDG_SESSION_TYPE=wayland\nSESSION_MANAGER=local/h:@/tmp/1\nMONKEY=george";
  expect(redactTerminal("env", output)).toBe(output);
});

it("takes only what looks random out of other output, and leaves code alone", () => {
  expect(redactTerminal("node app.js", `API_TOKEN=${VALUE}`)).toBe("API_TOKEN=***");
  expect(redactTerminal("cat app.ts", 'const token = "unset";')).toBe('const token = "unset";');
});

it("does not change what it redacted", () => {
  const once = redactTerminal("env", `A_KEY=${VALUE}\nMAX_TOKENS=100`);
  expect(redactTerminal("env", once)).toBe(once);
});

describe("printsEnvironment", () => {
  it.each([
    "env",
    "sudo env",
    "env | sort",
    "printenv PATH",
    "export -p",
    "set",
    "declare -x",
    "cat ./config/.env.production",
    "grep KEY .env",
    "bash -c 'env'",
    "docker exec app env",
    "cat /proc/1/environ",
    "cd x && cat .env",
    "kubectl get secret x -o yaml",
    'python -c "import os; print(os.environ)"',
  ])("knows %s", (command) => {
    expect(printsEnvironment(command)).toBe(true);
  });

  it.each(["ls -la", "set -e; make", "env NODE_ENV=test npm test", "export A=1", "cat environment.ts", "git diff"])(
    "does not take %s for one",
    (command) => {
      expect(printsEnvironment(command)).toBe(false);
    },
  );
});
