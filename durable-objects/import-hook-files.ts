import { HOME } from "#src/workspace/workspace-path";
import { readYaml } from "#src/config/read-yaml";
import type { JsonObject, JsonValue } from "#src/domain/json";
import { approvalLine, describeRow } from "#src/hooks/describe-hooks";
import { isFields, textOf } from "#src/hooks/plain-json";
import { decodeUtf8Strictly } from "#src/lib/encoding";
import { type HooksAuthor, addHooks, isRefusal } from "./edit-hooks";
import { MAX_MODULE_BYTES, keepModule } from "./hook-modules";
import type { HooksDesk } from "./hooks-desk";

/** Names that the handler beside a HOOK.yaml may have. */
const HANDLERS = ["handler.js", "handler.mjs"];

/**
 * Reads hooks from the workspace, as their system keeps them: a settings.json, a YAML file, or a folder that holds a
 * HOOK.yaml with its handler. They wait for approval. Answers what became of them, for the person who asked.
 */
export async function importHookFiles(path: string, desk: HooksDesk, by: HooksAuthor, at: number): Promise<string> {
  const whole = path.startsWith("/") ? path : `${HOME}/${path}`;
  const isFile = /\.(?:json|ya?ml)$/i.test(whole);
  const file = isFile ? whole : `${whole.replace(/\/+$/, "")}/HOOK.yaml`;
  const text = await textAt(file, desk);
  if (text === undefined) return `There is no file ${file} in the workspace.`;
  const isDeclaration = file.endsWith("/HOOK.yaml");
  const native = /\.json$/i.test(file) ? fromJson(text) : fromYaml(text);
  if (!isFields(native) && !Array.isArray(native)) return `${file} holds no hooks that can be read.`;
  const complete = isDeclaration && isFields(native) ? await withHandler(native, file, desk, by, at) : native;
  if (typeof complete === "string") return complete;
  const { result } = await addHooks(
    desk,
    {
      native: isDeclaration ? { "HOOK.yaml": complete } : complete,
      ...(isDeclaration ? { dialect: "hermes-gateway" } : {}),
    },
    by,
    at,
  );
  if (isRefusal(result)) return `Nothing was added: ${result.detail}`;
  return [
    "They were added, and wait for you to approve them:",
    ...result.hooks.map((row) => `${describeRow(row)}\n  ${approvalLine(row)}`),
    ...result.warnings.map(({ message }) => `⚠ ${message}`),
  ].join("\n");
}

/** A HOOK.yaml with the handler that stands beside it, by its hash; a sentence when there is none. */
async function withHandler(
  declared: JsonObject,
  file: string,
  desk: HooksDesk,
  by: HooksAuthor,
  at: number,
): Promise<JsonObject | string> {
  if (["module", "command", "url", "prompt"].some((key) => key in declared)) return declared;
  const folder = file.slice(0, file.lastIndexOf("/"));
  for (const name of HANDLERS) {
    const source = await textAt(`${folder}/${name}`, desk);
    if (source === undefined) continue;
    const kept = await keepModule(desk, source, by, at);
    if (isRefusal(kept)) return kept.detail;
    return { ...declared, module: `${textOf(declared["name"]) || name}@sha256:${kept.sha256}` };
  }
  return `${folder} has no ${HANDLERS.join(" or ")}: a handler here is a JavaScript module that exports \`handle(eventType, context)\`. One in another language runs as a \`command\` in the sidecar.`;
}

async function textAt(path: string, desk: HooksDesk): Promise<string | undefined> {
  const bytes = await desk.readFile(path).catch(() => undefined);
  return bytes === undefined || bytes.length > MAX_MODULE_BYTES ? undefined : decodeUtf8Strictly(bytes);
}

function fromYaml(text: string): JsonValue | undefined {
  const { tree, problems } = readYaml(text, () => true);
  // a tree without prototypes is none that an object can be sent
  return Object.keys(tree).length === 0 && problems.length > 0 ? undefined : fromJson(JSON.stringify(tree));
}

function fromJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
