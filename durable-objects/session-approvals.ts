import {
  type ApprovalRequest,
  type ApprovalVerdict,
  type GuardPorts,
  type Judgement,
  toolFields,
} from "#src/agent/guard-call";
import type { TurnHooks } from "#src/agent/turn-hooks";
import { askOnce } from "#src/agent/call-model";
import { CHOICE_LABELS, readChoice } from "#src/approvals/approval-choice";
import { approvalQuestion } from "#src/approvals/approval-question";
import {
  deniedResult,
  describeRules,
  expiredResult,
  judgedResult,
  unattendedResult,
} from "#src/approvals/approval-results";
import { keysToAsk } from "#src/approvals/grants";
import { judgeCommand } from "#src/approvals/judge-command";
import type { Rule } from "#src/approvals/rule";
import { settleApproval } from "#src/approvals/settle-approval";
import { parseSmartVerdict, smartPrompt } from "#src/approvals/smart-judge";
import type { JsonObject } from "#src/domain/json";
import type { AnyTool } from "#src/domain/tool";
import type { Environment } from "./environment";
import type { SessionCore } from "./session-core";
import { noteToPerson } from "./session-journal";
import { askPerson } from "./session-questions";
import type { RunningTurn } from "./session-turns";

/** Files whose words agents follow: changing one changes what the agent will do from then on. Source: hermes.md, section 14. */
const PROTECTED = /(?:^|\/)(?:AGENTS(?:\.override)?|CLAUDE|SOUL|HERMES|\.hermes)\.md$|(?:^|\/)\.cursorrules$/i;
/** Characters of a call that a person is shown. */
const MAX_SHOWN_CHARS = 1500;

/** What stands between the calls of one turn and their run. */
export function guardOf(core: SessionCore, turn: RunningTurn, environment: Environment, hooks: TurnHooks): GuardPorts {
  return {
    hooks,
    judge: (tool, input) => judge(core, environment, tool, input),
    isAsked: ({ id }) => turn.record.waiting?.callId === id && turn.record.waiting.isApproval === true,
    approve: (request) => approve(core, turn, environment, hooks, request),
    notify: (notes) => noteToPerson(core, turn.record, notes),
    stopTurn: (message) => turn.control.stop(message),
  };
}

function grantsOf(core: SessionCore, environment: Environment) {
  return { session: core.facts().granted ?? [], always: environment.approvals.always };
}

/** What the rules say of a call, with what was allowed before. */
function judge(core: SessionCore, environment: Environment, tool: AnyTool, input: JsonObject): Judgement {
  const file = protectedFile(tool, input);
  if (file !== undefined) {
    const keys = keysToAsk(grantsOf(core, environment), [`agent.instructions:${file}`]);
    return keys.length === 0
      ? { type: "run" }
      : { type: "ask", description: `change ${file}, which tells agents what to do`, keys };
  }
  const command = commandOf(tool, input);
  if (command === undefined) return { type: "run" };
  const { settings } = environment.approvals;
  const settled = settleApproval({
    command,
    verdict: judgeCommand(command),
    settings: core.facts().isYolo === true ? { ...settings, mode: "off" } : settings,
    grants: grantsOf(core, environment),
    // whether anybody can be asked is looked at when it comes to that: hooks may answer first
    surface: "chat",
  });
  if (settled.type === "refuse") return { type: "refuse", reason: settled.content };
  if (settled.type === "run") return settled;
  return { type: "ask", description: describeRules(settled.rules), keys: settled.rules.map((rule) => rule.key) };
}

/** The shell text that a call would run. */
function commandOf(tool: AnyTool, input: JsonObject): string | undefined {
  if (tool.name === "terminal" && typeof input["command"] === "string") return input["command"];
  if (tool.name === "execute_code" && typeof input["code"] === "string")
    return `python3 -c '${input["code"].replaceAll("'", `'\\''`)}'`;
  return undefined;
}

function protectedFile(tool: AnyTool, input: JsonObject): string | undefined {
  if (tool.name !== "write_file" && tool.name !== "patch") return undefined;
  const { path } = input;
  if (typeof path === "string" && PROTECTED.test(path)) return path.slice(path.lastIndexOf("/") + 1);
  // a patch of several files names them in its text
  const patch = typeof input["patch"] === "string" ? input["patch"] : "";
  const named = /^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm;
  const hit = Array.from(patch.matchAll(named), ([, name = ""]) => name.trim()).find((name) => PROTECTED.test(name));
  return hit?.slice(hit.lastIndexOf("/") + 1);
}

async function approve(
  core: SessionCore,
  turn: RunningTurn,
  environment: Environment,
  hooks: TurnHooks,
  request: ApprovalRequest,
): Promise<ApprovalVerdict> {
  // one question at a time: the next one waits its turn
  const before = turn.approving;
  const { promise, resolve } = Promise.withResolvers<void>();
  turn.approving = promise;
  await before;
  try {
    // another call of the same answer may have been allowed for good meanwhile
    const open = keysToAsk(grantsOf(core, environment), request.keys);
    if (request.keys.length > 0 && open.length === 0) return { type: "granted" };
    // a program's events and subagents have nobody to ask
    const isUnattended = core.facts().parent !== undefined || !core.isPersonal;
    if (isUnattended) return { type: "denied", content: unattendedResult(rulesOf(request)) };
    const isSmart = environment.approvals.settings.mode === "smart";
    const verdict = isSmart ? await askJudge(environment, turn, request) : undefined;
    return verdict ?? (await askForPermission(core, turn, environment, hooks, request));
  } finally {
    resolve();
  }
}

/** What a request asks about, as the sentences about rules want it. */
function rulesOf({ description, keys }: ApprovalRequest): readonly Rule[] {
  return [{ key: keys[0] ?? "", category: "agent", description }];
}

async function askForPermission(
  core: SessionCore,
  turn: RunningTurn,
  environment: Environment,
  hooks: TurnHooks,
  request: ApprovalRequest,
): Promise<ApprovalVerdict> {
  const { call, tool, input, description, keys } = request;
  const shown = shownInput(tool, input);
  const fields = {
    ...toolFields(call, tool, input),
    command: environment.redact(shown),
    description,
    pattern_key: keys[0] ?? "",
    pattern_keys: keys,
    surface: "gateway",
  };
  if (hooks.listens("approval.request")) await hooks.fire("approval.request", fields);
  if (hooks.listens("notification"))
    await hooks.fire("notification", {
      message: description,
      title: "Approval",
      notification_type: "permission_prompt",
    });
  const { timeoutMs } = environment.approvals.settings;
  const question = approvalQuestion(shown, rulesOf(request), environment.redact);
  const answer = await askPerson(core, turn, call, question, { timeoutMs, isApproval: true });
  const choice = answer === undefined ? "timeout" : (readChoice(answer) ?? "deny");
  if (hooks.listens("approval.response")) await hooks.fire("approval.response", { ...fields, choice });
  if (choice === "timeout") return { type: "denied", content: expiredResult(rulesOf(request)) };
  if (choice === "deny") {
    // words that are no choice say what they want instead
    const isChoice = answer === undefined || readChoice(answer) !== undefined;
    const said = isChoice ? undefined : answer.replace(`${CHOICE_LABELS.deny}: `, "").slice(0, 2000);
    return { type: "denied", content: deniedResult(rulesOf(request), said) };
  }
  // where there are owners, only they decide for everybody
  const isForAll = choice === "always" && (turn.record.origin.user.isOwner || !environment.hasOwners);
  if (isForAll) await core.allowAlways(keys);
  else if (choice !== "once") {
    const granted = [...new Set([...(core.facts().granted ?? []), ...keys])];
    core.commit(() => core.setFacts({ ...core.facts(), granted }));
  }
  return { type: "granted" };
}

function shownInput(tool: AnyTool, input: JsonObject): string {
  const text = commandOf(tool, input) ?? JSON.stringify(input);
  return text.length <= MAX_SHOWN_CHARS ? text : `${text.slice(0, MAX_SHOWN_CHARS)}…`;
}

/** Asks a model whether a command is harmless in itself; undefined leaves it to a person. */
async function askJudge(
  environment: Environment,
  turn: RunningTurn,
  request: ApprovalRequest,
): Promise<ApprovalVerdict | undefined> {
  const command = commandOf(request.tool, request.input);
  const prompt = command === undefined ? undefined : smartPrompt(environment.redact(command), rulesOf(request));
  if (prompt === undefined) return undefined;
  const chosen = environment.chooseModel(environment.summaryModel);
  const outcome = await askOnce(
    (asked, signal) =>
      chosen.provider.stream(asked, chosen.connection, {
        fetch: environment.fetcher,
        signal,
        requestTimeoutMs: 30_000,
        stallTimeoutMs: 30_000,
      }),
    {
      model: chosen.model,
      messages: [
        { role: "system", content: prompt.system },
        { role: "user", content: prompt.user },
      ],
      tools: [],
      maxOutputTokens: 2000,
    },
    { onText: () => undefined, signal: turn.control.stopped },
  );
  if (outcome.type === "failed") return undefined;
  const { verdict, reason } = parseSmartVerdict(outcome.answer.text);
  turn.refusals = verdict === "deny" ? turn.refusals + 1 : 0;
  if (verdict === "approve") return { type: "granted" };
  if (verdict === "deny") return { type: "denied", content: judgedResult(rulesOf(request), reason, turn.refusals) };
  return undefined;
}
