import type { HookModuleSource } from "#src/domain/profile-hooks";
import type { HookAuditEntry } from "#src/hooks/audit";
import { toHex, utf8 } from "#src/lib/encoding";
import { sha256 as digest } from "#src/lib/hmac";
import type { HooksAuthor, HooksRefusal } from "./edit-hooks";
import type { HooksDesk } from "./hooks-desk";

/** Most bytes of one module: it is read by a person before it is approved. */
export const MAX_MODULE_BYTES = 262_144;
const MAX_MODULES = 100;

/** A module that is kept, and how hooks name it. */
export interface KeptModule extends HookModuleSource {
  readonly usedBy: readonly string[];
  /** Whether the operator lets it reach the network. */
  readonly isNetworked: boolean;
}

/** Keeps the source of a hook module. Nothing runs by that: the hook that names its hash waits for approval. */
export async function keepModule(
  desk: HooksDesk,
  source: string,
  by: HooksAuthor,
  at: number,
): Promise<HookModuleSource | HooksRefusal> {
  const bytes = utf8(source).length;
  if (bytes > MAX_MODULE_BYTES) return tooLarge(`A module is larger than ${MAX_MODULE_BYTES} bytes.`);
  const module = { sha256: toHex(await digest(source)), bytes, addedAt: at };
  const kept = await desk.modules();
  const known = kept.find(({ sha256 }) => sha256 === module.sha256);
  if (known !== undefined) return known;
  if (kept.length >= MAX_MODULES)
    return tooLarge(`${MAX_MODULES} modules are kept already; remove one that no hook names.`);
  await desk.keepModule(module, source, auditOf(module.sha256, by, at, "kept"));
  return module;
}

/** What is kept, oldest first, and the hooks that name each. */
export async function listModules(desk: HooksDesk): Promise<readonly KeptModule[]> {
  const [kept, { inventory }] = await Promise.all([desk.modules(), desk.look()]);
  const networked = await desk.networked();
  return kept.map((module) => ({
    ...module,
    isNetworked: networked.has(module.sha256),
    usedBy: inventory.known.flatMap(({ hook }) =>
      hook.target.type === "module" && hook.target.sha256 === module.sha256 ? hook.id : [],
    ),
  }));
}

/** Forgets a module that no hook names. */
export async function dropModule(
  desk: HooksDesk,
  sha256: string,
  by: HooksAuthor,
  at: number,
): Promise<{ readonly removed: string } | HooksRefusal> {
  const module = (await listModules(desk)).find((one) => one.sha256 === sha256);
  if (module === undefined) return { refused: "hook_not_found", detail: `There is no module sha256:${sha256}.` };
  if (module.usedBy.length > 0)
    return { refused: "hook_not_editable", detail: `It is what ${module.usedBy.join(", ")} runs: remove that first.` };
  await desk.dropModule(sha256, auditOf(sha256, by, at, "removed"));
  return { removed: sha256 };
}

function tooLarge(detail: string): HooksRefusal {
  return { refused: "too_large", detail };
}

function auditOf(sha256: string, { principal, surface }: HooksAuthor, at: number, what: string): HookAuditEntry {
  return { at, action: "config_change", principal, surface, contentSha256: sha256, note: `module ${what}` };
}
