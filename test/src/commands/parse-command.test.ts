import { expect, it } from "vitest";
import { findCommand, parseCommand } from "#src/commands/parse-command";
import type { Command } from "#src/domain/command";

it.each([
  ["/help", { name: "help", args: "" }],
  ["  /HELP  ", { name: "help", args: "" }],
  ["/title Summer in Oslo", { name: "title", args: "Summer in Oslo" }],
  ["/title   夏休み  🏖️ ", { name: "title", args: "夏休み  🏖️" }],
  ["/queue one\ntwo", { name: "queue", args: "one\ntwo" }],
  ["/queue\ntwo", { name: "queue", args: "two" }],
  ["/status@talaria_bot", { name: "status", args: "" }],
  ["/undo@talaria_bot 3", { name: "undo", args: "3" }],
  ["/read-me_2", { name: "read-me_2", args: "" }],
])("reads %j", (text, expected) => {
  expect(parseCommand(text)).toEqual(expected);
});

it.each([
  "help",
  "",
  "/",
  "//",
  "/ help",
  "/usr/bin",
  "/usr/bin ls",
  "/2",
  "/étoile",
  "/help!",
  "/file.txt",
  "/a@b@c",
  "say /help",
  `/${"a".repeat(65)}`,
])("takes %j for words", (text) => {
  expect(parseCommand(text)).toBeUndefined();
});

function named(name: string, ...aliases: string[]): Command {
  return { name, aliases, summary: "", busy: "dispatch", run: () => ({}) };
}

const COMMANDS = [named("new", "reset"), named("status"), named("stop"), named("s"), named("queue", "q")];

it.each([
  ["new", "new"],
  ["reset", "new"],
  ["res", "new"],
  ["q", "queue"],
  ["s", "s"], // whole before beginnings
  ["st", "status"], // the first in order
  ["sto", "stop"],
  ["STOP", "stop"],
])("finds for %j the command %j", (name, expected) => {
  expect(findCommand(name, COMMANDS)?.name).toBe(expected);
});

it.each(["", "stopp", "constructor", "x"])("finds none for %j", (name) => {
  expect(findCommand(name, COMMANDS)).toBeUndefined();
});
