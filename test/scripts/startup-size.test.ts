import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { startupGzipBytes } from "../../scripts/startup-size.ts";

it("counts what is imported at the start, however deep, and once; not what is imported later or only written of", async () => {
  const folder = mkdtempSync(join(tmpdir(), "talaria-size-"));
  const files = {
    "main.js":
      'import {\n  a\n} from "./a.js";\nimport b from "./b.yaml";\nimport "node:fs";\nconsole.log(a, b);\nconst text = `\nimport "./lazy.js";\n`;\nexport const later = () => import("./lazy.js");\n',
    "a.js": 'export const a = 1;\nexport * from "./deep/c.js";\nimport "./b.yaml";\n',
    "deep/c.js": 'import "../a.js";\n',
    "b.yaml": "text: from './lazy.js'\n",
    "lazy.js": `export const heavy = 1;\n${"// heavy\n".repeat(1_000)}`,
  };
  mkdirSync(join(folder, "deep"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const { "lazy.js": _, ...atStart } = files;
  const expected = Object.values(atStart).reduce((sum, text) => sum + gzipSync(text).byteLength, 0);
  expect(await startupGzipBytes(join(folder, "main.js"))).toBe(expected);
  rmSync(folder, { recursive: true });
});
