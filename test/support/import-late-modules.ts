// What the Worker imports when it is first needed. Vitest's module runner gives every importer the first one's promise,
// and that of an object which a test ended never settles: so the first to import is no object but this file.
import "../../durable-objects/hooks-setup";
import { loadAnthropic } from "#src/late/load-anthropic";
import { loadJustBash } from "#src/late/load-just-bash";
import { loadOpenAi } from "#src/late/load-openai";
import { loadPages } from "#src/late/load-pages";

await Promise.all([loadAnthropic(), loadJustBash(), loadOpenAi(), loadPages()]);
