import type { Hook } from "#src/domain/hook";
import type { JsonObject, JsonValue } from "#src/domain/json";
import { toHex } from "#src/lib/encoding";
import { sha256 } from "#src/lib/hmac";
import { canonicalJson } from "./canonical-json";

/** What a hook is called where it is approved, listed and revoked, and what exactly was approved of it. */
export interface HookIdentity {
  /** A command as written, `POST <address>`, `module <name>` or `prompt <sha256>`. */
  readonly target: string;
  /** `sha256:` and the hex digest of everything in its definition that a person approves. */
  readonly digest: string;
}

/** Names a hook and hashes its definition: a byte-identical one always has the same digest. */
export async function identifyHook(hook: Hook): Promise<HookIdentity> {
  const target = await targetOf(hook);
  return { target, digest: await digestOf(canonicalJson(approvedPart(hook, target))) };
}

async function targetOf({ target }: Hook): Promise<string> {
  if (target.type === "http") return `POST ${normalUrl(target.url)}`;
  if (target.type === "module") return `module ${target.module}`;
  if (target.type === "command") return target.command;
  return `prompt ${(await digestOf(canonicalJson([target.prompt, target.model ?? null]))).slice("sha256:".length)}`;
}

/** The same address for every way to write it. */
function normalUrl(url: string): string {
  return URL.canParse(url) ? new URL(url).href : url;
}

function approvedPart(hook: Hook, target: string): JsonObject {
  const { target: reached } = hook;
  return omitAbsent({
    dialect: hook.dialect,
    event: hook.nativeEvent,
    matcher: hook.matcher,
    if: hook.condition,
    type: reached.type,
    target,
    timeout: hook.timeoutMs / 1000,
    onError: hook.onError,
    onTimeout: hook.onTimeout,
    fields: hook.fields,
    observe: hook.observe,
    priority: hook.priority,
    // of a module that is not deployed with us: what was shown is what runs
    sha256: reached.type === "module" ? reached.sha256 : undefined,
    ...(reached.type === "http" ? approvedHttpPart(reached) : {}),
  });
}

function approvedHttpPart(target: Extract<Hook["target"], { type: "http" }>): Record<string, JsonValue | undefined> {
  return {
    method: "POST",
    // names and the secrets they draw on: a value is the operator's own affair
    headers: Object.entries(target.headers)
      .map(([name, value]) => [name.toLowerCase(), ...secretsIn(value)].join(" "))
      .sort(),
    secrets: [...target.allowedSecrets].sort(),
    blockStatuses: [...target.blockStatuses].sort((a, b) => a - b),
    responseKey: target.responseKey,
  };
}

function secretsIn(value: string): readonly string[] {
  return [...value.matchAll(/\$\{(?:secret:)?([A-Za-z_]\w*)\}|\$([A-Za-z_]\w*)/g)].map(
    ([, braced, bare]) => braced ?? bare ?? "",
  );
}

function omitAbsent(fields: Record<string, JsonValue | undefined>): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined),
  );
}

async function digestOf(text: string): Promise<string> {
  return `sha256:${toHex(await sha256(text))}`;
}
