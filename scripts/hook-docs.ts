// Writes docs/hooks/events.md: `node scripts/run.mjs scripts/hook-docs.ts`.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { resolveSourceImports } from "../test/conformance/resolve-source.ts";
import { writeEventsPage } from "./hook-events-page.ts";
import { ROOT } from "./install.mjs";

resolveSourceImports();
const { eventCatalogue } = await import("#src/hooks/event-catalogue");

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const page = writeEventsPage({
  catalogue: eventCatalogue(),
  eventFields: read("src/hooks/event-fields.ts"),
  hookEvent: read("src/domain/hook-event.ts"),
});
writeFileSync(join(ROOT, "docs/hooks/events.md"), page);
