import type { HookDialectName } from "#src/domain/hook";
import type { JsonValue } from "#src/domain/json";
import type { HookSource, ProfileHooks } from "#src/domain/profile-hooks";
import { type HookApproval, type KnownHook, approve, isTarget, revoke } from "#src/hooks/approvals";
import { type HookAuditEntry, auditApprovals } from "#src/hooks/audit";
import { DIALECTS } from "#src/hooks/dialects/registry";
import { detectDialect } from "#src/hooks/import-hooks";
import { type HookRow, flagOfEntry, isAt, listHooks } from "#src/hooks/list-hooks";
import { isFields } from "#src/hooks/plain-json";
import { splitHooks } from "#src/hooks/split-hooks";
import { utf8 } from "#src/lib/encoding";
import { type HooksDesk, type HooksEdit, type HooksView, isOwn } from "./hooks-desk";
import { wrapped } from "./read-hooks";

/** Why nothing was changed: a word for programs and a sentence for people. */
export interface HooksRefusal {
  readonly refused:
    | "hook_not_found"
    | "hooks_unreadable"
    | "hook_not_editable"
    | "hook_id_taken"
    | "hook_unsigned"
    | "digest_mismatch"
    | "address_refused"
    | "version_mismatch"
    | "too_large";
  readonly detail: string;
}

/** Hooks in the words of some system. */
export interface WrittenHooks {
  /** Told from the form when absent. */
  readonly dialect?: HookDialectName;
  readonly native: JsonValue;
}

/** A hook that was read, with the secret that its requests are signed with. */
export type AddedHook = HookRow & { readonly secret?: string };

export interface AddedHooks {
  readonly hooks: readonly AddedHook[];
  /** What is odd about the configuration, in sentences. */
  readonly warnings: readonly { readonly code?: string; readonly hook?: string; readonly message: string }[];
}

export interface HooksAuthor {
  readonly principal: string;
  readonly surface: string;
  readonly method: HookApproval["approvedBy"]["method"];
}

/** Bytes of all that was added at run time: it stands in one row. */
const MAX_SOURCES_BYTES = 1_000_000;

type Edited<T> = T | HooksRefusal;

/** What a change came to, and the version after it. */
export interface Changed<T> {
  readonly result: Edited<T>;
  readonly version: number;
}

export function isRefusal(result: object): result is HooksRefusal {
  return "refused" in result;
}

async function settle<T extends object>(
  desk: HooksDesk,
  decide: (view: HooksView) => HooksEdit<Edited<T>> | Promise<HooksEdit<Edited<T>>>,
  expected: number | undefined,
): Promise<Changed<T>> {
  const done = await desk.edit<Edited<T>>(decide, expected);
  if (done !== undefined) return done;
  const { version } = await desk.look();
  const detail = `The hooks have changed: they are at version ${version}, not ${expected}. Look again first.`;
  return { version, result: { refused: "version_mismatch", detail } };
}

function refuse(refused: HooksRefusal["refused"], detail: string): { readonly result: HooksRefusal } {
  return { result: { refused, detail } };
}

/** Reads hooks as if they were added, and keeps nothing. */
export async function rehearseHooks(desk: HooksDesk, written: WrittenHooks): Promise<AddedHooks> {
  const view = await desk.look();
  const { hooks, warnings, taken } = await addedTo(desk, view, view.profile.sources, sourcesOf(written, 0));
  return { hooks, warnings: taken === undefined ? warnings : [...warnings, { message: taken }] };
}

/** Adds hooks. They wait for approval. */
export function addHooks(desk: HooksDesk, written: WrittenHooks, by: HooksAuthor, at: number, expected?: number) {
  return settle<AddedHooks>(desk, (view) => replace(desk, view, [], { written, by, at }), expected);
}

/** Replaces the entry that a hook was written in. */
export function replaceHook(
  desk: HooksDesk,
  id: string,
  written: WrittenHooks,
  by: HooksAuthor,
  at: number,
  expected?: number,
) {
  return settle<AddedHooks>(
    desk,
    (view) => {
      const entry = entryOf(id, view);
      return "refused" in entry ? { result: entry } : replace(desk, view, [entry.sourceId], { written, by, at });
    },
    expected,
  );
}

/** Removes the entry that a hook was written in; its approvals go with it. */
export function removeHook(desk: HooksDesk, id: string, by: HooksAuthor, at: number, expected?: number) {
  return settle<{ readonly removed: readonly string[] }>(
    desk,
    (view) => {
      const entry = entryOf(id, view);
      if ("refused" in entry) return { result: entry };
      const removed = entry.hooks.map(({ hook }) => hook.id);
      const { sources, disabled } = view.profile;
      return {
        changes: {
          sources: sources.filter((one) => one.id !== entry.sourceId),
          disabled: disabled.filter((one) => !removed.includes(one)),
        },
        audit: entry.hooks.map((known) => auditOf("config_change", known, by, at, "removed")),
        result: { removed },
      };
    },
    expected,
  );
}

async function replace(
  desk: HooksDesk,
  view: HooksView,
  old: readonly string[],
  { written, by, at }: { readonly written: WrittenHooks; readonly by: HooksAuthor; readonly at: number },
): Promise<HooksEdit<Edited<AddedHooks>>> {
  const added = sourcesOf(written, at);
  const kept = view.profile.sources.filter(({ id }) => !old.includes(id));
  const { taken, ...result } = await addedTo(desk, view, kept, added);
  // an entry that became no hook is told, and not kept
  const sources = [...kept, ...added.filter(({ id }) => result.hooks.some(({ source }) => source === `api:${id}`))];
  if (utf8(JSON.stringify(sources)).length > MAX_SOURCES_BYTES)
    return refuse("too_large", `All hooks together are larger than ${MAX_SOURCES_BYTES} bytes.`);
  if (result.hooks.length === 0) {
    const why = result.warnings.map(({ message }) => message).join(" ");
    return refuse("hooks_unreadable", `native: no hook could be read. ${why}`.trim());
  }
  if (taken !== undefined) return refuse("hook_id_taken", taken);
  const audit = result.hooks.map(({ event, target, digest }): HookAuditEntry => ({
    at,
    action: "config_change",
    principal: by.principal,
    surface: by.surface,
    event,
    target,
    digest,
    note: old.length === 0 ? "added" : "replaced",
  }));
  return { changes: { sources }, audit, result };
}

/** One source for each entry, so that each can be changed by itself. */
function sourcesOf({ dialect, native }: WrittenHooks, at: number): readonly HookSource[] {
  const isSeveral = isFields(native) && Object.keys(native).some((key) => Object.hasOwn(DIALECTS, key));
  // told from the whole: one entry alone may look like another system's
  const told = dialect ?? (isSeveral ? undefined : detectDialect(wrapped(native)));
  return splitHooks(native).map((part) => ({
    id: crypto.randomUUID().slice(0, 8),
    native: part,
    addedAt: at,
    ...(told === undefined ? {} : { dialect: told }),
  }));
}

/** What would come of sources; `taken`: why a name of theirs cannot be theirs. */
async function addedTo(
  desk: HooksDesk,
  view: HooksView,
  kept: readonly HookSource[],
  added: readonly HookSource[],
): Promise<AddedHooks & { readonly taken?: string }> {
  const { inventory, setup } = await desk.rehearse({ ...view.profile, sources: [...kept, ...added] });
  const saidBefore = new Set(view.inventory.importLog.map((entry) => JSON.stringify(entry)));
  const names = new Set(added.map(({ id }) => `api:${id}`));
  const fresh = listHooks(inventory).filter(({ source }) => names.has(source));
  const ids = new Set(fresh.map(({ id }) => id));
  const known = new Set(inventory.known.map(({ hook }) => hook.id));
  const warnings = inventory.importLog
    .filter(({ level, hook }) => level !== "debug" && (hook === undefined || ids.has(hook) || !known.has(hook)))
    .filter((entry) => (entry.hook !== undefined && ids.has(entry.hook)) || !saidBefore.has(JSON.stringify(entry)))
    .map((entry) => ({ ...(entry.hook === undefined ? {} : { hook: entry.hook }), ...flagOfEntry(entry) }));
  const hooks = fresh.map((row): AddedHook => {
    const [secret] = setup?.secretsOf(row.id) ?? [];
    return secret === undefined ? row : { ...row, secret };
  });
  const digestOf = new Map(fresh.map(({ id, digest }) => [id, digest]));
  const taken = inventory.known.find(
    ({ hook, identity }) => ids.has(hook.id) && (!names.has(hook.source) || digestOf.get(hook.id) !== identity.digest),
  )?.hook;
  if (taken === undefined) return { hooks, warnings };
  const why = `There is a hook "${taken.id}" already, from ${taken.source}; change that one, or give this one an id.`;
  return { hooks, warnings, taken: why };
}

/** The entry of the profile that a hook was written in, and all hooks of it. */
function entryOf(
  id: string,
  { inventory }: HooksView,
): { readonly sourceId: string; readonly hooks: readonly KnownHook[] } | HooksRefusal {
  const known = inventory.known.find(({ hook }) => hook.id === id);
  if (known === undefined) return noSuchHook(id);
  const { source } = known.hook;
  if (!source.startsWith("api:"))
    return { refused: "hook_not_editable", detail: `${id} stands in ${source}: it is changed there.` };
  return {
    sourceId: source.slice("api:".length),
    hooks: inventory.known.filter(({ hook }) => hook.source === source),
  };
}

function noSuchHook(id: string): HooksRefusal {
  return { refused: "hook_not_found", detail: `There is no hook "${id}".` };
}

/** Approves the hooks of an event and target exactly as they were shown. */
export function approveShown(
  desk: HooksDesk,
  shown: { readonly event: string; readonly target: string; readonly digest: string },
  by: HooksAuthor,
  expected?: number,
) {
  return settle<{ readonly approved: readonly HookApproval[] }>(
    desk,
    async ({ inventory, setup }) => {
      const { known, consent } = inventory;
      const meant = known.filter(
        ({ hook, identity }) => isAt(hook, shown.event) && isTarget(identity.target, shown.target),
      );
      if (meant.length === 0)
        return refuse("hook_not_found", `No hook on ${shown.event} has the target ${shown.target}.`);
      const done = approve(meant, consent, author(by), shown.digest);
      if ("conflict" in done) return refuse("digest_mismatch", done.conflict);
      const wavering = await waveringOf(meant, setup);
      if (wavering !== undefined) return refuse("address_refused", wavering);
      const approvals = done.approvals.filter(isOwn);
      return {
        changes: { approvals: approvals as unknown as ProfileHooks["approvals"] },
        audit: auditApprovals(consent.approvals.filter(isOwn), approvals, author(by), consent.now),
        result: { approved: approvals.filter(({ digest }) => digest === shown.digest) },
      };
    },
    expected,
  );
}

/** Why hooks cannot be approved, whose names lead now here and now there; undefined when none does. */
export async function waveringOf(hooks: readonly KnownHook[], setup: HooksView["setup"]): Promise<string | undefined> {
  const answers = await Promise.all(hooks.map(async (known) => setup?.wavering(known)));
  const answer = answers.find((one) => one !== undefined);
  return answer === undefined ? undefined : `Its name leads to ${answer}, which no hook may reach.`;
}

/** Takes back the approvals that people gave a target, or only that of one event. */
export function revokeApprovals(
  desk: HooksDesk,
  of: { readonly target: string; readonly event?: string },
  by: HooksAuthor,
  expected?: number,
) {
  return settle<{ readonly revoked: number }>(
    desk,
    ({ inventory: { consent } }) => {
      const before = consent.approvals.filter(isOwn);
      const left = revoke(before, { scope: consent.scope, ...of });
      if (left.length === before.length) return refuse("hook_not_found", `Nobody approved ${of.target}.`);
      return {
        changes: { approvals: left as unknown as ProfileHooks["approvals"] },
        audit: auditApprovals(before, left, author(by), consent.now),
        result: { revoked: before.length - left.length },
      };
    },
    expected,
  );
}

function author({ principal, surface, method }: HooksAuthor): HookApproval["approvedBy"] {
  return { principal, surface, method };
}

/** Gives a hook's requests a new secret. The one before it signs as well for a day. */
export async function renewSecret(desk: HooksDesk, id: string, by: HooksAuthor, at: number, expected?: number) {
  const done = await settle<{ readonly count: number }>(
    desk,
    ({ inventory, profile, setup }) => {
      const known = inventory.known.find(({ hook }) => hook.id === id);
      if (known === undefined) return { result: noSuchHook(id) };
      if ((setup?.secretsOf(id).length ?? 0) === 0)
        return refuse("hook_unsigned", `The requests to ${id} are not signed with a secret of ours.`);
      const count = (profile.renewals[id]?.count ?? 0) + 1;
      return {
        changes: { renewals: { ...profile.renewals, [id]: { count, at } } },
        audit: [auditOf("rotate_secret", known, by, at)],
        result: { count },
      };
    },
    expected,
  );
  if (isRefusal(done.result)) return { ...done, result: done.result };
  const [secret = ""] = (await desk.look()).setup?.secretsOf(id) ?? [];
  return { version: done.version, result: { secret } };
}

/** Lets a hook be called again that failed too often: in every session. */
export function resetCircuit(desk: HooksDesk, id: string, by: HooksAuthor, at: number, expected?: number) {
  return settle<{ readonly reset: true }>(
    desk,
    ({ inventory, profile }) => {
      const known = inventory.known.find(({ hook }) => hook.id === id);
      if (known === undefined) return { result: noSuchHook(id) };
      const { [id]: _open, ...circuits } = profile.circuits;
      return { changes: { circuits }, audit: [auditOf("reset_circuit", known, by, at)], result: { reset: true } };
    },
    expected,
  );
}

function auditOf(
  action: HookAuditEntry["action"],
  { hook, identity }: KnownHook,
  { principal, surface }: HooksAuthor,
  at: number,
  note: string = hook.id,
): HookAuditEntry {
  const { target, digest } = identity;
  return { at, action, principal, surface, event: hook.nativeEvent, target, digest, note };
}
