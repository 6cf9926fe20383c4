import type { TurnOrigin } from "#src/domain/turn";
import type { JsonObject } from "#src/domain/json";
import { DEFAULT_PROFILE, parseSessionKey } from "#src/domain/session-key";
import type { KnownHook } from "#src/hooks/approvals";
import { isTarget } from "#src/hooks/approvals";
import { describeHook } from "#src/hooks/describe-hook";
import { approvalLine, describeExamination } from "#src/hooks/describe-hooks";
import { describeStatus } from "#src/hooks/describe-status";
import { describeTrial } from "#src/hooks/describe-trial";
import { examineHooks } from "#src/hooks/examine-hooks";
import { isAt, listHooks } from "#src/hooks/list-hooks";
import { type HooksPrincipal, type ManagingCommand, manageHooks } from "#src/hooks/manage-hooks";
import { type HooksCommand, parseHooksArguments } from "#src/hooks/parse-hooks-command";
import { isFields } from "#src/hooks/plain-json";
import { describeRuns } from "#src/hooks/run-statistics";
import {
  type HookFacts,
  type HooksDesk,
  type HooksView,
  type OwedObserver,
  canonicalEvent,
  isOwn,
  openHooksDesk,
  profileChanges,
} from "./hooks-desk";
import { waveringOf } from "./edit-hooks";
import { importHookFiles } from "./import-hook-files";

/** Runs that `/hooks log` shows. */
const SHOWN_RUNS = 20;
const SHOWN_DELIVERIES = 50;

/** Answers what a person typed after `/hooks` in a chat. A hook's words are never the owner's, whoever they come through. */
export async function hooksInChat(args: string, origin: TurnOrigin, env: Env, key: string): Promise<string> {
  const { user, platform, hook } = origin;
  if (!user.isOwner) return "Only the owner may use /hooks.";
  if (hook !== undefined) return "A hook had its hand in these words: hooks are managed by the owner's own.";
  if (platform === "api") return "Hooks are managed in a chat, on the page, or at /api/hooks.";
  const who = { principal: `${platform}:${user.id}`, surface: platform, method: "slash", mayChange: true } as const;
  return runHooksCommand(args, who, openHooksDesk(env, parseSessionKey(key)?.profile ?? DEFAULT_PROFILE));
}

/** Answers a command about hooks; what it changes holds for all sessions from now on. */
export async function runHooksCommand(args: string, who: HooksPrincipal, desk: HooksDesk): Promise<string> {
  const command = parseHooksArguments(args);
  switch (command.type) {
    case "status":
      return describeStatus(await desk.health(await desk.look()));
    case "test":
      return testHooks(command, await desk.look(), desk);
    case "doctor":
      return examine(command.id, await desk.look(), desk);
    case "log":
      return describeRuns(await desk.runs(await desk.look(), SHOWN_RUNS, command.id));
    case "deliveries":
      return command.replay === undefined ? describeDeliveries(await desk.deliveries()) : replay(command.replay, desk);
    case "approve":
      return command.digest === undefined ? askForDigest(command, await desk.look()) : change(command, who, desk);
    case "import":
      return who.mayChange ? importHookFiles(command.path, desk, who, Date.now()) : "Only the owner may import hooks.";
    case "show":
      return show(command.id, await desk.look(), desk);
    case "list":
    case "review":
    case "help":
    case "unknown":
    case "switch":
    case "revoke":
    case "enable":
    case "disable":
      return change(command, who, desk);
  }
}

/** Runs a command that is answered by what is known, and keeps what it changes. */
async function change(command: ManagingCommand, who: HooksPrincipal, desk: HooksDesk): Promise<string> {
  const done = await desk.edit(async (view) => {
    const unchangeable = whyNot(command, view) ?? (await whyNotApproved(command, view));
    if (unchangeable !== undefined) return { result: unchangeable };
    const { reply, changes, audit } = manageHooks(command, inventoryFor(command, view), who);
    return changes.length === 0 ? { result: reply } : { result: reply, changes: profileChanges(changes, view), audit };
  });
  return done?.result ?? "";
}

/** What a person takes back is what a person gave. */
function inventoryFor(command: ManagingCommand, { inventory }: HooksView): HooksView["inventory"] {
  if (command.type !== "revoke") return inventory;
  const { consent } = inventory;
  return { ...inventory, consent: { ...consent, approvals: consent.approvals.filter(isOwn) } };
}

async function whyNotApproved(command: ManagingCommand, { inventory, setup }: HooksView): Promise<string | undefined> {
  if (command.type !== "approve") return undefined;
  const { event, target } = command;
  return waveringOf(
    inventory.known.filter(({ hook, identity }) => isAt(hook, event) && isTarget(identity.target, target)),
    setup,
  );
}

/** Why a command would change nothing, though it looks as if it did. */
function whyNot(command: ManagingCommand, { inventory, profile }: HooksView): string | undefined {
  if (command.type === "revoke") {
    const deployed = inventory.consent.approvals.find((one) => !isOwn(one) && isTarget(one.target, command.words));
    const isGiven = inventory.consent.approvals.some((one) => isOwn(one) && isTarget(one.target, command.words));
    if (deployed === undefined || isGiven) return undefined;
    const hook = inventory.known.find(({ identity }) => identity.target === deployed.target)?.hook;
    return `${command.words} was allowed by the deployment itself. \`/hooks disable ${hook?.id ?? "<id>"}\` switches it off.`;
  }
  if (command.type !== "enable") return undefined;
  const known = inventory.known.find(({ hook }) => hook.id === command.id || hook.name === command.id);
  const isOff = known?.hook.disabled === true;
  const { id = "", target } = known?.hook ?? {};
  const isByUs =
    profile.disabled.includes(id) || (target?.type === "module" && profile.quarantined.includes(target.module));
  return isOff && !isByUs ? `${id} is switched off where it is configured (${known.hook.source}).` : undefined;
}

/** Shows what would be approved: the line to send holds its digest, so nothing else can be approved by it. */
function askForDigest({ event, target }: Extract<HooksCommand, { type: "approve" }>, { inventory }: HooksView): string {
  const meant = inventory.known.filter(({ hook, identity }) => isAt(hook, event) && isTarget(identity.target, target));
  if (meant.length === 0) return `No hook on ${event} has the target ${target}. /hooks list shows them.`;
  const shown = meant.flatMap((known) => {
    const row = listHooks(inventory).find(({ id, digest }) => id === known.hook.id && digest === known.identity.digest);
    return row === undefined
      ? []
      : [`${describeHook(known.hook, row)}\n\nTo approve exactly this:\n\`${approvalLine(row)}\``];
  });
  return shown.join("\n\n");
}

async function show(id: string, view: HooksView, desk: HooksDesk): Promise<string> {
  const by = { principal: "", surface: "", method: "slash", mayChange: false } as const;
  const { reply } = manageHooks({ type: "show", id }, view.inventory, by);
  const known = find(id, view);
  if (known === undefined) return reply;
  const target = known.identity.target;
  const history = (await desk.audit(500)).filter((one) => one.target === target || one.note === known.hook.id);
  const lines = history.slice(0, 10).map(({ at, action, principal, surface }) => {
    const time = new Date(at).toISOString().slice(0, 16).replace("T", " ");
    return `- ${time}: ${action.replaceAll("_", " ")} by ${principal} (${surface})`;
  });
  return lines.length === 0 ? reply : `${reply}\n\nHistory:\n${lines.join("\n")}`;
}

function find(id: string, { inventory }: HooksView): KnownHook | undefined {
  return inventory.known.find(({ hook }) => hook.id === id) ?? inventory.known.find(({ hook }) => hook.name === id);
}

/** Calls the hooks of an event that may run. One that nobody approved is not called, not even for a test. */
async function testHooks(
  { event, tool, payload }: Extract<HooksCommand, { type: "test" }>,
  view: HooksView,
  desk: HooksDesk,
): Promise<string> {
  const data = readPayload(payload);
  if (typeof data === "string") return data;
  const rows = listHooks(view.inventory, event);
  if (rows.length === 0) return `No hook is on ${event}. /hooks list shows them.`;
  const reports: string[] = [];
  for (const row of rows) {
    const known = view.inventory.known.find(({ hook }) => hook.id === row.id);
    const canonical = canonicalEvent(event, known);
    if (row.status !== "active") reports.push(`**${row.id}** was not called: ${row.status.replaceAll("_", " ")}`);
    else if (known === undefined || canonical === undefined) reports.push(`**${row.id}**: no such moment exists here`);
    else {
      const wish = {
        event: canonical,
        ...(tool === undefined ? {} : { tool }),
        ...(data === undefined ? {} : { data }),
      };
      reports.push(describeTrial(row, await desk.trial(view, known, wish)));
    }
  }
  return [
    ...reports,
    "The event was made up and no conversation heard of it; what a hook itself did with it stands.",
  ].join("\n\n");
}

function readPayload(payload: string | undefined): JsonObject | undefined | string {
  if (payload === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(payload);
    return isFields(value) ? value : "--payload: expected a JSON object.";
  } catch {
    return "--payload: that is not JSON.";
  }
}

async function examine(id: string | undefined, view: HooksView, desk: HooksDesk): Promise<string> {
  const known = id === undefined ? undefined : find(id, view);
  if (id !== undefined && known === undefined) return `There is no hook "${id}". /hooks list shows them.`;
  const examination = await examineHooks(
    view.inventory,
    (one) => desk.trial(view, one, { event: canonicalEvent(one.hook.nativeEvent, one) ?? "turn.end" }),
    known?.hook.id,
  );
  const facts = await desk.facts(view, known?.hook.id);
  const more = facts.map((one) => `\`${one.id}\`: ${describeFacts(one)}`);
  return [describeExamination(examination), ...more, SURFACES].join("\n");
}

function describeFacts({ address, last }: HookFacts): string {
  const leads = address === undefined ? "" : `leads to ${address} · `;
  const called =
    last === undefined ? "not called lately" : `last called ${new Date(last.at).toISOString().slice(0, 16)}`;
  return `${leads}${called}`;
}

const SURFACES =
  "Every surface (messengers, page, API, cron, subagents) calls the same hooks; calls that a program makes by itself inside the shell pass none.";

async function replay(id: string, desk: HooksDesk): Promise<string> {
  return (await desk.replay(id)) ? `✓ ${id} is tried again.` : `No delivery with the id ${id} was given up.`;
}

function describeDeliveries(owed: readonly OwedObserver[]): string {
  if (owed.length === 0) return "Nothing is owed to observers.";
  const shown = owed.slice(0, SHOWN_DELIVERIES).map(({ id, record: { delivery, state, attempts, error } }) => {
    const why = error === undefined ? "" : ` · ${error}`;
    return `- \`${id}\` ${delivery.event} → \`${delivery.hookId}\` · ${state === "dead" ? "given up" : "owed"} after ${attempts} tries${why}`;
  });
  const rest = owed.length > SHOWN_DELIVERIES ? [`… and ${owed.length - SHOWN_DELIVERIES} more.`] : [];
  return [...shown, ...rest, "`/hooks deliveries replay <id>` tries one again that was given up."].join("\n");
}
