/** A person's words in a Slack message, without Slack's own notation. */
export interface SpokenText {
  readonly text: string;
  readonly mentionsBot: boolean;
}

/** Slack escapes `&`, `<` and `>` in what people type, so an angle bracket always begins notation of its own. */
const NOTATION = /<([^<>]*)>|&(?:amp|lt|gt);/g;
const CHARACTERS: Readonly<Record<string, string>> = { "&amp;": "&", "&lt;": "<", "&gt;": ">" };

/** Longest id that is looked for: Slack's own have some eleven characters, and a pattern has to be made of it. */
const MAX_ID_CHARS = 64;

/**
 * Reads the text of a Slack message: the bot's mention goes, channels and links become words, entities characters.
 * A person who is mentioned without a name stays `<@U…>`, which is the only thing that names them.
 * Source: https://docs.slack.dev/messaging/formatting-message-text
 */
export function readText(raw: string, botUserId: string | undefined): SpokenText {
  const withoutBot =
    botUserId === undefined || botUserId.length > MAX_ID_CHARS ? raw : raw.replace(mentionOf(botUserId), "");
  const text = withoutBot.replace(NOTATION, (whole: string, inner: string | undefined) =>
    inner === undefined ? (CHARACTERS[whole] ?? whole) : spell(inner),
  );
  return { text: text.trim(), mentionsBot: withoutBot !== raw };
}

/** The mention with the blanks after it, so that none are doubled where it stood. */
function mentionOf(userId: string): RegExp {
  return new RegExp(`<@${userId.replaceAll(/\W/g, "")}(?:\\|[^<>]*)?>[ \\t]*`, "g");
}

/** Words for what stood between angle brackets. */
function spell(inner: string): string {
  const bar = inner.indexOf("|");
  const target = bar === -1 ? inner : inner.slice(0, bar);
  const label = bar === -1 ? "" : unescape(inner.slice(bar + 1));
  if (target.startsWith("@")) return label === "" ? `<${target}>` : `@${label}`;
  if (target.startsWith("#")) return `#${label === "" ? target.slice(1) : label}`;
  if (target.startsWith("!")) return spellSpecial(target.slice(1), label);
  return spellLink(unescape(target), label);
}

/** `<!here>`, `<!subteam^S1|@team>`, `<!date^1^{date}|yesterday>`. */
function spellSpecial(command: string, label: string): string {
  const name = command.split("^")[0] ?? command;
  if (label === "") return `@${name}`;
  return name === "date" || label.startsWith("@") ? label : `@${label}`;
}

/** A link that Slack made of what was typed keeps what was typed; a label of its own is followed by its address. */
function spellLink(url: string, label: string): string {
  const typed = url.replace(/^(?:mailto|tel):/, "");
  if (label === "" || label === url || label === typed || `http://${label}` === url)
    return label === "" ? typed : label;
  return `${label} (${url})`;
}

function unescape(text: string): string {
  return text.replace(/&(?:amp|lt|gt);/g, (whole) => CHARACTERS[whole] ?? whole);
}
