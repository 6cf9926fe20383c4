import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { PlatformSetting } from "#src/domain/platform";
import { findBadNames, findRepeats } from "./find-name-clashes.ts";

/** Rooms of members of one kind. */
const ROOMS = ["platforms", "providers", "tools", "commands", "hooks"];

interface Member {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly settings?: readonly PlatformSetting[];
}

const registries = await Promise.all(
  ROOMS.map((room) => ({ room, path: join(import.meta.dirname, `../../src/${room}/registry.ts`) }))
    .filter(({ path }) => existsSync(path))
    .map(async ({ room, path }) => ({
      room,
      lists: Object.values((await import(path)) as Record<string, unknown>).filter(isMembers),
    })),
);

function isMembers(value: unknown): value is readonly Member[] {
  return Array.isArray(value) && value.length > 0 && value.every((member) => typeof member?.name === "string");
}

it("finds the registries and their members", () => {
  expect(registries.length).toBeGreaterThan(2);
  expect(registries.filter(({ lists }) => lists.length === 0).map(({ room }) => room)).toEqual([]);
});

for (const { room, lists } of registries) {
  it(`gives every member of ${room} a name of its own, fit for routes, keys and files`, () => {
    for (const members of lists) {
      const names = members.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
      expect(findRepeats(names)).toEqual([]);
      expect(findBadNames(names)).toEqual([]);
    }
  });
}

it("gives no environment name to two platforms", () => {
  const platforms = registries.filter(({ room }) => room === "platforms").flatMap(({ lists }) => lists.flat());
  const names = platforms.flatMap(({ settings = [] }) => settings.map(({ env }) => env));
  expect(names.length).toBeGreaterThan(0);
  expect(findRepeats(names)).toEqual([]);
  expect(names.filter((name) => !/^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*$/.test(name))).toEqual([]);
});

it("sees names that repeat or are not fit", () => {
  expect(findRepeats(["a", "b", "a", "a"])).toEqual(["a"]);
  expect(findBadNames(["read_file", "open-ai2", "qq"])).toEqual([]);
  const bad = ["ReadFile", "read file", "-x", "x_", "a--b", "", "ä"];
  expect(findBadNames(bad)).toEqual(bad);
});
