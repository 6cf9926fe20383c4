import type { Command, CommandContext, CommandResult } from "#src/domain/command";
import { nearestWord } from "#src/lib/nearest-word";
import { quoted } from "./markdown";

/** Names of models as vendors write them: `gpt-5`, `anthropic/claude-4.5:beta`, `@cf/meta/llama-3`. */
const MODEL_NAME = /^[a-z0-9@~][a-z0-9._:/@+~-]{0,199}$/i;
const FLAGS: readonly string[] = ["--global", "--session", "--provider"];

/** `/model [name|default] [--provider vendor] [--global]`: shows or changes which model answers, here or everywhere. */
export const model: Command = {
  name: "model",
  summary: "Show or change the model, for this conversation or with --global for all.",
  usage: "[name|default] [--provider vendor] [--global]",
  busy: "reject",
  run(args, context) {
    const read = readArguments(args);
    if ("problem" in read) return { reply: read.problem };
    if (read.name === undefined) return { reply: describe(context) };
    if (read.isGlobal && !context.user.isOwner) return { reply: NOT_THE_OWNER };
    const problem = isDefault(read.name) ? undefined : context.modelProblem(read.name);
    if (problem !== undefined) return { reply: `${quoted(read.name)} cannot be used here. ${problem}` };
    return read.isGlobal ? changeForAll(read.name, context) : changeHere(read.name, context);
  },
};

const NOT_THE_OWNER =
  "Only the owner may change the model for all conversations. Without `--global` it changes here alone.";

type Arguments = { readonly name: string | undefined; readonly isGlobal: boolean } | { readonly problem: string };

function readArguments(args: string): Arguments {
  // phones turn two hyphens into a dash
  const words = args.replaceAll(/(^|\s)[—–](?=\w)/g, "$1--").split(/\s+/);
  const flags = words.filter((word) => word.startsWith("--"));
  const unknown = flags.find((flag) => !FLAGS.includes(flag));
  if (unknown !== undefined) {
    return {
      problem: `I do not know ${quoted(unknown)}. Did you mean \`${nearestWord(unknown, FLAGS) ?? "--global"}\`?`,
    };
  }
  const at = words.indexOf("--provider");
  const [vendor] = at === -1 ? [] : words.splice(at, 2).slice(1);
  const said = words.filter((word) => word !== "" && !word.startsWith("--")).join(" ");
  if (said === "" && flags.length === 0) return { name: undefined, isGlobal: false };
  if (said === "" || (at !== -1 && (vendor === undefined || vendor.startsWith("--"))))
    return { problem: "Name the model too: `/model NAME --provider VENDOR`, `/model NAME --global`." };
  const name = vendor === undefined ? said : `${vendor}:${said}`;
  if (!MODEL_NAME.test(name)) return { problem: `${quoted(name)} is not the name of a model: those have no blanks.` };
  return { name, isGlobal: flags.includes("--global") };
}

function describe({ session, models }: CommandContext): string {
  const { name, provider, isOverride } = session.model;
  return [
    `**Model:** ${quoted(name)} (${provider})${isOverride ? ", chosen for this conversation" : ""}`,
    ...(models.length === 0 ? [] : [`**Choices:** ${models.map(quoted).join(", ")}`]),
    "`/model NAME` changes it here, `/model default` goes back; with `--global` for all conversations.",
  ].join("\n");
}

function changeHere(name: string, context: CommandContext): CommandResult {
  if (isDefault(name)) {
    return { reply: "Back to the usual model.", effects: [{ type: "set_model", model: undefined }] };
  }
  return {
    reply: `This conversation now uses ${quoted(name)}.${doubt(name, context)}`,
    effects: [{ type: "set_model", model: name }],
  };
}

async function changeForAll(name: string, context: CommandContext): Promise<CommandResult> {
  // an empty name is one that is not set: the environment's or config.yaml's holds again
  await context.profilePort.setModel(isDefault(name) ? "" : name);
  const reply = isDefault(name)
    ? "All conversations are back to the usual model."
    : `All conversations now use ${quoted(name)}.${doubt(name, context)}`;
  // this conversation follows too, whatever was chosen for it before
  return { reply, effects: [{ type: "set_model", model: undefined }] };
}

function isDefault(name: string): boolean {
  return name.toLowerCase() === "default";
}

/** What to say of a name that nobody has listed: it may be right all the same. */
function doubt(name: string, { models }: CommandContext): string {
  if (models.length === 0 || models.includes(name)) return "";
  const near = nearestWord(name, models);
  return near === undefined
    ? " It is not among the choices."
    : ` It is not among the choices; did you mean ${quoted(near)}?`;
}
