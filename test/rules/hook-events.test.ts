import { expect, it } from "vitest";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readSourceFiles } from "./source-files.ts";

// read as text: the sources import each other by paths that only bundlers resolve
const catalogue = readFileSync(join(import.meta.dirname, "../../src/domain/hook-event.ts"), "utf8");
const listed = Array.from(
  catalogue.matchAll(/^ {2}"?([a-z][\w.]*)"?: \{ kind: "[a-z-]+".*$/gm),
  ([line, name = ""]) => ({
    name,
    isAbsent: line.includes("absent: true"),
  }),
);

/** Where events happen. What hooks themselves are made of names events without firing them. */
const sites = readSourceFiles("src/agent", "durable-objects", "workers").filter(({ path }) => path.endsWith(".ts"));

function isFired(name: string): boolean {
  return sites.some(({ text }) => text.includes(`"${name}"`));
}

it("fires every moment of the catalogue somewhere", () => {
  expect(listed.length).toBeGreaterThan(50);
  expect(listed.filter(({ name, isAbsent }) => !isAbsent && !isFired(name)).map(({ name }) => name)).toEqual([]);
});

it("calls no moment absent that is fired", () => {
  expect(listed.filter(({ name, isAbsent }) => isAbsent && isFired(name)).map(({ name }) => name)).toEqual([]);
});
