import type { BotIdentity } from "./bot-identity";
import { describeContent } from "./read-attachments";
import { field, idField, listField, numberField, textField } from "./read-field";

/** What the author of a message wrote, and how far it is meant for the bot. */
export interface Words {
  readonly rawText: string;
  /** Without mentions of the bot; the arguments alone for a command. */
  readonly text: string;
  readonly mentionsBot: boolean;
  readonly command?: { readonly name: string; readonly args: string };
  /** It is a command for another bot. */
  readonly isForOtherBot: boolean;
}

/** A part of a text that Telegram marked. Offset and length count UTF-16 units, as strings here do. */
interface Entity {
  readonly type: string;
  readonly offset: number;
  readonly length: number;
  /** Who is meant, where the mention has no name to go by. */
  readonly userId: string | undefined;
}

const COMMAND = /^\/([a-z0-9_-]{1,64})(?:@([a-z0-9_]+))?(?=\s|$)/i;

/** Text or caption of a message. */
export function rawTextOf(message: unknown): string {
  return textField(message, "text") ?? textField(message, "caption") ?? describeContent(message);
}

/** Whether only the bot's name can tell for whom a message is: in a private chat most are for the bot anyway. */
export function needsBotName(message: unknown): boolean {
  const text = rawTextOf(message);
  const [, , addressee] = COMMAND.exec(text) ?? [];
  if (addressee !== undefined) return true;
  const isPrivate = textField(field(message, "chat"), "type") === "private";
  return !isPrivate && entitiesOf(message, text).some(({ type }) => type === "mention");
}

/** Reads what a message says. Source: https://core.telegram.org/bots/api#messageentity */
export function readWords(message: unknown, bot: BotIdentity): Words {
  const rawText = rawTextOf(message);
  const entities = entitiesOf(message, rawText);
  const command = readCommand(rawText, entities);
  if (command?.addressee !== undefined && !bot.isNamed(command.addressee)) {
    return { rawText, text: rawText.trim(), mentionsBot: false, isForOtherBot: true };
  }
  const mentions = entities.filter((entity) => isOfBot(entity, rawText, bot));
  const mentionsBot = mentions.length > 0 || command?.addressee !== undefined;
  if (command !== undefined) {
    const { name, args } = command;
    return { rawText, text: args, mentionsBot, command: { name, args }, isForOtherBot: false };
  }
  return { rawText, text: withoutParts(rawText, mentions).trim(), mentionsBot, isForOtherBot: false };
}

interface TypedCommand {
  readonly name: string;
  readonly args: string;
  /** The bot that is named behind the command. */
  readonly addressee: string | undefined;
}

function readCommand(text: string, entities: readonly Entity[]): TypedCommand | undefined {
  const marked = entities.find(({ type, offset }) => type === "bot_command" && offset === 0);
  // clients mark no hyphens, and payloads made by hand mark nothing
  const found = COMMAND.exec(text) ?? COMMAND.exec(text.slice(0, marked?.length ?? 0));
  const [head, name, addressee] = found ?? [];
  if (head === undefined || name === undefined) return undefined;
  return { name: name.toLowerCase(), args: text.slice(head.length).trim(), addressee };
}

function isOfBot({ type, offset, length, userId }: Entity, text: string, bot: BotIdentity): boolean {
  if (type === "text_mention") return userId !== undefined && userId === bot.id;
  const slice = text.slice(offset, offset + length);
  return type === "mention" && slice.startsWith("@") && bot.isNamed(slice.slice(1));
}

/** The text without some of its parts, and without the doubled blank that one leaves. */
function withoutParts(text: string, parts: readonly Entity[]): string {
  let left = "";
  let at = 0;
  for (const { offset, length } of parts) {
    if (offset < at) continue;
    left += text.slice(at, offset);
    at = offset + length;
    if (/(?:^|\s)$/.test(left) && text[at] === " ") at += 1;
  }
  return left + text.slice(at);
}

function entitiesOf(message: unknown, text: string): readonly Entity[] {
  const name = textField(message, "text") === undefined ? "caption_entities" : "entities";
  return listField(message, name)
    .flatMap((entity) => {
      const type = textField(entity, "type");
      const offset = numberField(entity, "offset") ?? -1;
      const length = numberField(entity, "length") ?? 0;
      const isWithin = Number.isInteger(offset) && offset >= 0 && length > 0 && offset + length <= text.length;
      return type === undefined || !isWithin
        ? []
        : [{ type, offset, length, userId: idField(field(entity, "user"), "id") }];
    })
    .sort((a, b) => a.offset - b.offset);
}
