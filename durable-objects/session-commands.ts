import type { CommandContext, CommandEffect, CommandResult } from "#src/domain/command";
import type { Message } from "#src/domain/message";
import type { TurnRecord } from "#src/domain/turn";
import type { Environment } from "./environment";
import type { SessionCore } from "./session-core";
import type { RunningTurn } from "./session-turns";

/** What a command's effects need of the session beside its core. */
export interface CommandPorts {
  readonly running: () => RunningTurn | undefined;
  readonly queued: () => number;
  /** Inside a transaction: begins a turn with these words, after the running one when there is one. */
  readonly beginTurn: (message: Pick<Message, "content" | "attachments">, from: TurnRecord) => () => void;
  /** Inside a transaction: adds a word to the running turn. */
  readonly steer: (text: string, from: TurnRecord) => () => void;
  readonly profile: CommandContext["profilePort"];
}

/**
 * Runs a slash command whose row is committed: what it changes, its reply and the end of its turn are one transaction,
 * so that a command which a crash cut off runs again from nothing.
 */
export async function runCommand(core: SessionCore, ports: CommandPorts, turn: TurnRecord): Promise<void> {
  const environment = await core.environment();
  const result = await resultOf(core, ports, environment, turn);
  const after: (() => void)[] = [];
  const reply = core.commit(() => {
    for (const effect of result.effects ?? []) after.push(...apply(core, ports, effect, turn));
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

async function resultOf(
  core: SessionCore,
  ports: CommandPorts,
  environment: Environment,
  turn: TurnRecord,
): Promise<CommandResult> {
  const { name, args } = turn.command ?? { name: "", args: "" };
  const command = environment.findCommand(name);
  if (command === undefined) return { reply: environment.unknownCommand(name) };
  if (command.ownerOnly === true && !turn.origin.user.isOwner)
    return { reply: `Only the owner may use /${command.name}.` };
  // read before anything is stopped: a command that stops the turn has to know that it ran
  const context = contextOf(core, ports, environment, turn);
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

function contextOf(core: SessionCore, ports: CommandPorts, environment: Environment, turn: TurnRecord): CommandContext {
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
    },
    models: environment.models,
    commands: environment.commands,
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
  core.forgetRows();
}
