import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { HOOK_EVENTS } from "#src/domain/hook-event";
import { eventCatalogue } from "#src/hooks/event-catalogue";
import { writeEventsPage } from "../../scripts/hook-events-page.ts";

const sources = {
  catalogue: eventCatalogue(),
  eventFields: readFileSync("src/hooks/event-fields.ts", "utf8"),
  hookEvent: readFileSync("src/domain/hook-event.ts", "utf8"),
};

it("has a page of events that says what the code says: node scripts/run.mjs scripts/hook-docs.ts", () => {
  expect(readFileSync("docs/hooks/events.md", "utf8")).toBe(writeEventsPage(sources));
});

it("has a section for every moment, with the fields of its interface", () => {
  const page = writeEventsPage(sources);
  const headings = [...page.matchAll(/^## (\S+)$/gm)].map(([, name]) => name);
  const present = Object.entries(HOOK_EVENTS).flatMap(([name, spec]) => ("absent" in spec ? [] : [name]));
  expect(headings.filter((name) => name !== "Kinds")).toEqual(present);
  const [, ofToolPre = ""] = /^## tool\.pre$([\s\S]*?)^## /m.exec(page) ?? [];
  for (const field of ["tool", "tool.name", "tool.call_id", "input", "original_input?"])
    expect(ofToolPre).toContain(`- \`${field}\`: `);
});

it("links to files and headings that are there", () => {
  const pages = ["README.md", "docs/plugins.md", ...readdirSync("docs/hooks").map((name) => `docs/hooks/${name}`)];
  const broken = pages.flatMap((page) =>
    [...readFileSync(page, "utf8").matchAll(/\]\((?!https?:)([^)]+)\)/g)].flatMap(([, link = ""]) =>
      isThere(page, link) ? [] : [`${page}: ${link}`],
    ),
  );
  expect(broken).toEqual([]);
});

function isThere(page: string, link: string): boolean {
  const [path = "", heading] = link.split("#");
  const file = path === "" ? page : join(dirname(page), path);
  if (!existsSync(file)) return false;
  if (heading === undefined) return true;
  const headings = [...readFileSync(file, "utf8").matchAll(/^#+ (.+)$/gm)].map(([, text = ""]) => slugOf(text));
  return headings.includes(heading);
}

/** As GitHub makes anchors of headings. */
function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, "")
    .replaceAll(" ", "-");
}
