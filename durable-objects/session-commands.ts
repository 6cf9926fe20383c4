import { type TurnHooks, fireIfHeard } from "#src/agent/turn-hooks";
import { CHOICE_LABELS } from "#src/approvals/approval-choice";
import { type HookSettlement, NO_OPINION } from "#src/domain/hook-event";
import type { CommandContext, CommandEffect, CommandResult } from "#src/domain/command";
import type { Message } from "#src/domain/message";
import type { TurnRecord } from "#src/domain/turn";
import type { Environment } from "./environment";
import type { SessionCore } from "./session-core";
import { compactConversation, dropSummaryOf, previewCompaction } from "./session-compaction";
import { hooksOf } from "./session-hooks";
import { noteToPerson } from "./session-journal";
import { type RunningTurn, dispatchTool } from "./session-turns";

/** What a command's effects need of the session beside its core. */
export interface CommandPorts {
  readonly running: () => RunningTurn | undefined;
  readonly queued: () => number;
  /** Inside a transaction: begins a turn with these words, after the running one when there is one. */
  readonly beginTurn: (message: Pick<Message, "content" | "attachments">, from: TurnRecord) => () => void;
  /** Inside a transaction: adds a word to the running turn. */
  readonly steer: (text: string, from: TurnRecord) => () => void;
  /** Inside a transaction: answers the question that the running turn waits on. */
  readonly answer: (answer: string, from: TurnRecord) => () => void;
  readonly profile: CommandContext["profilePort"];
  /** Answers what stands after `/hooks`. */
  readonly hooks: (args: string, from: TurnRecord) => Promise<string>;
}

/**
 * Runs a slash command whose row is committed: what it changes, its reply and the end of its turn are one transaction,
 * so that a command which a crash cut off runs again from nothing.
 */
export async function runCommand(core: SessionCore, ports: CommandPorts, turn: TurnRecord): Promise<void> {
  const environment = await core.environment();
  const hooks = hooksOf(core, environment.hooks, { origin: turn.origin, turnId: turn.id });
  const result = await allowedResult(await gateOf(hooks, turn), core, ports, environment, turn, hooks);
  const after: (() => void)[] = [];
  const isNew = result.effects?.some((effect) => effect.type === "new_epoch") === true;
  const ended = hooks.tell(isNew ? sessionEnd("reset") : []);
  const reply = core.commit(() => {
    core.observers.owe(ended.owed);
    for (const effect of result.effects ?? []) after.push(...apply(core, ports, effect, turn));
    const begun = hooks.tell([...(isNew ? [SESSION_RESET] : []), ...switchedTo(result.effects)]);
    core.observers.owe(begun.owed);
    after.push(() => core.keepAlive(ended.call().then(() => begun.call())));
    core.store.removeTurn(turn.id);
    if (result.reply === undefined) return undefined;
    if (core.isMessenger(turn.origin))
      core.deliveries.owe({ turnId: turn.id, origin: turn.origin, text: result.reply });
    return core.append({ role: "assistant", kind: "command", content: result.reply }, turn.id);
  });
  if (reply !== undefined) core.hub.message(reply);
  for (const work of after) work();
  core.hub.turnEnded(turn.id);
  core.deliveries.pump();
}

const SESSION_RESET = { event: "session.reset", data: { reason: "reset" } } as const;

/** What is told of a conversation that is over. */
function sessionEnd(reason: string) {
  const data = { reason, status: "end" };
  return [
    { event: "session.finalize", data },
    { event: "session.end", data },
  ] as const;
}

function switchedTo(effects: CommandResult["effects"]) {
  const effect = effects?.find((one) => one.type === "set_model");
  return effect === undefined ? [] : [{ event: "model.switch.post", data: { model: effect.model ?? "" } } as const];
}

/** Asks the hooks before a command's handler; their refusal is its reply. */
async function gateOf(hooks: TurnHooks, turn: TurnRecord): Promise<string | undefined> {
  const { name, args } = turn.command ?? { name: "", args: "" };
  const settled = await fireIfHeard(hooks, "command.received", () => ({ command: name, args }));
  return isRefusal(settled) ? (settled.reason ?? "Blocked by hook.") : undefined;
}

function isRefusal(settled: HookSettlement): boolean {
  return settled.outcome === "deny" || settled.outcome === "stop";
}

/** A command's result, unless hooks refuse what it would do. */
async function allowedResult(
  refusal: string | undefined,
  core: SessionCore,
  ports: CommandPorts,
  environment: Environment,
  turn: TurnRecord,
  hooks: TurnHooks,
): Promise<CommandResult> {
  if (refusal !== undefined) return { reply: refusal };
  const result = await resultOf(core, ports, environment, turn, hooks);
  for (const effect of result.effects ?? []) {
    const settled = await effectGate(hooks, turn, effect);
    if (isRefusal(settled)) return { reply: settled.reason ?? "Blocked by hook." };
  }
  return result;
}

function effectGate(hooks: TurnHooks, turn: TurnRecord, effect: CommandEffect): Promise<HookSettlement> {
  if (effect.type === "set_model") return fireIfHeard(hooks, "model.switch.pre", () => ({ model: effect.model ?? "" }));
  if (effect.type !== "queue" && effect.type !== "steer") return Promise.resolve(NO_OPINION);
  return fireIfHeard(hooks, "command.expand", () => ({
    expansion_type: "command",
    command_name: turn.command?.name ?? "",
    command_args: turn.command?.args ?? "",
    command_source: "builtin",
    prompt: effect.text,
  }));
}

async function resultOf(
  core: SessionCore,
  ports: CommandPorts,
  environment: Environment,
  turn: TurnRecord,
  hooks: TurnHooks,
): Promise<CommandResult> {
  const { name, args } = turn.command ?? { name: "", args: "" };
  const command = environment.findCommand(name);
  if (command === undefined) return { reply: environment.unknownCommand(name) };
  if (command.ownerOnly === true && !turn.origin.user.isOwner)
    return { reply: `Only the owner may use /${command.name}.` };
  // read before anything is stopped: a command that stops the turn has to know that it ran
  const context = contextOf(core, ports, environment, turn, hooks);
  const running = ports.running();
  if (running !== undefined && command.busy === "reject") {
    return { reply: `/${command.name} has to wait: I am still working. Send /stop to end that first.` };
  }
  if (command.busy === "interrupt") await stopAll(ports);
  try {
    return await command.run(args, context);
  } catch (error) {
    console.error(`/${command.name} failed`, error);
    return { reply: `⚠️ /${command.name} failed; the operator's log has the reason.` };
  }
}

/** Stops what runs, and what was waiting behind it: each ends with its own answer. */
async function stopAll(ports: CommandPorts): Promise<void> {
  for (let running = ports.running(); running !== undefined; running = ports.running()) {
    running.control.stop();
    await running.done;
  }
}

/** Characters of a prompt that is not known yet. */
const PROMPT_CHARS = 8000;
/** Milliseconds that a person waits for a summary. */
const COMPRESS_TIMEOUT_MS = 600_000;

function contextOf(
  core: SessionCore,
  ports: CommandPorts,
  environment: Environment,
  turn: TurnRecord,
  hooks: TurnHooks,
): CommandContext {
  const facts = core.facts();
  const running = ports.running();
  const usage = core.store.usageSince(0, facts.epoch);
  const model = environment.describeModel(facts.model);
  const { user } = turn.origin;
  return {
    sessionKey: core.key,
    profile: core.key.split(":")[0] ?? "main",
    platform: turn.origin.platform,
    user,
    now: core.now(),
    session: {
      ...(facts.title === undefined ? {} : { title: facts.title }),
      epoch: facts.epoch,
      startedAt: facts.epochStartedAt,
      messageCount: core.store.countChat(facts.epoch),
      model: { ...model, isOverride: facts.model !== undefined },
      usage: {
        inputTokens: usage.reduce((sum, day) => sum + day.inputTokens, 0),
        outputTokens: usage.reduce((sum, day) => sum + day.outputTokens, 0),
        calls: usage.reduce((sum, day) => sum + day.calls, 0),
        cachedInputTokens: usage.reduce((sum, day) => sum + (day.cachedInputTokens ?? 0), 0),
        costUsd: usage.reduce((sum, day) => sum + (day.costUsd ?? 0), 0),
      },
      ...(running === undefined
        ? {}
        : {
            running: {
              startedAt: running.record.startedAt,
              steps: core.rows().filter((row) => row.turnId === running.record.id && row.toolCalls !== undefined)
                .length,
              doing: running.doing,
            },
          }),
      queued: ports.queued(),
      isWaitingForApproval: running?.record.waiting?.isApproval === true && running.record.waiting.answer === undefined,
      isYolo: facts.isYolo === true,
    },
    models: environment.models,
    modelProblem: environment.modelProblem,
    commands: environment.commands,
    async compress({ isPreview, ...wish }) {
      const prompt = core.store.prompt(facts.epoch, model.name);
      const scene = {
        environment,
        hooks,
        overheadChars: prompt?.length ?? PROMPT_CHARS,
        signal: AbortSignal.timeout(COMPRESS_TIMEOUT_MS),
        turnId: turn.id,
        notify: (notes: readonly string[]) => noteToPerson(core, turn, notes),
      };
      if (isPreview === true) return previewCompaction(core, scene, { trigger: "manual" });
      return (await compactConversation(core, scene, { trigger: "manual", ...wish })).sentence;
    },
    dispatchTool: async (name, args) => (await dispatchTool(core, turn, name, args)).content,
    hooks: (words) => ports.hooks(words, turn),
    profilePort: ports.profile,
  };
}

/** Applies one effect inside the caller's transaction; what has to follow it outside is returned. */
function apply(
  core: SessionCore,
  ports: CommandPorts,
  effect: CommandEffect,
  turn: TurnRecord,
): readonly (() => void)[] {
  const facts = core.facts();
  const reload = (): void => core.hub.send({ type: "reload" });
  switch (effect.type) {
    case "new_epoch": {
      const { title: _title, windowFrom: _from, ...kept } = facts;
      core.setFacts({
        ...kept,
        epoch: facts.epoch + 1,
        epochStartedAt: core.now(),
        ...(effect.title === undefined ? {} : { title: effect.title }),
      });
      core.store.setTodos([]);
      core.forgetRows();
      return [reload];
    }
    case "stop":
      return [() => ports.running()?.control.stop()];
    case "undo": {
      const starts = core.store.turnStarts(facts.epoch, effect.turns);
      hideFrom(core, starts.at(-1));
      return [reload];
    }
    case "retry": {
      const [last] = core.store.turnStarts(facts.epoch, 1);
      // the command has looked: there is something to answer again
      if (last === undefined) throw new TypeError("nothing to retry");
      hideFrom(core, last);
      const attachments = last.attachments === undefined ? {} : { attachments: last.attachments };
      return [reload, ports.beginTurn({ content: last.content, ...attachments }, turn)];
    }
    case "set_title":
      core.setFacts({ ...facts, title: effect.title });
      return [];
    case "set_model": {
      const { model: _model, ...kept } = facts;
      core.setFacts(effect.model === undefined ? kept : { ...kept, model: effect.model });
      return [];
    }
    case "answer_approval": {
      // words behind the label are no choice any more, and so a no that says why
      const reason = effect.reason === undefined ? "" : `: ${effect.reason}`;
      return [ports.answer(`${CHOICE_LABELS[effect.choice]}${reason}`, turn)];
    }
    case "set_yolo":
      core.setFacts({ ...facts, isYolo: effect.isOn });
      return [];
    case "queue":
      return [ports.beginTurn({ content: effect.text }, turn)];
    case "steer":
      return [
        ports.running() === undefined
          ? ports.beginTurn({ content: effect.text }, turn)
          : ports.steer(effect.text, turn),
      ];
  }
}

function hideFrom(core: SessionCore, message: Message | undefined): void {
  if (message === undefined) return;
  core.store.hideFrom(message.id);
  dropSummaryOf(core, message.id);
  core.forgetRows();
}
