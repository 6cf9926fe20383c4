/** An operator's own words on a platform. */
export interface HintOverride {
  readonly append?: string;
  readonly replace?: string;
}

const PLAIN =
  "Markdown is not shown there: write plain text without marks, with line breaks and simple dashes for lists.";
const FILES = "A line of its own with MEDIA: and the absolute path of a file sends that file.";

/** How to write where no adapter says it itself, by platform. */
const HINTS: ReadonlyMap<string, string> = new Map([
  [
    "whatsapp",
    `You are talking on WhatsApp, read on a phone. Only *bold*, _italic_, ~struck~ and code are shown; no headings, tables or links with names. Be brief. ${FILES}`,
  ],
  [
    "telegram",
    `You are talking in a Telegram chat, mostly read on a phone. Markdown is shown, tables only as aligned text. Be brief. ${FILES}`,
  ],
  [
    "discord",
    `You are talking on Discord. Markdown is shown, but no tables. Keep answers under 2000 characters where you can. ${FILES}`,
  ],
  [
    "slack",
    `You are talking on Slack. Bold, italics, lists, links, quotes and code are shown; headings and tables are not. ${FILES}`,
  ],
  ["signal", `You are talking on Signal. ${PLAIN} Be brief. ${FILES}`],
  [
    "email",
    `You are answering an email. Write a complete answer with a greeting and an end, in plain text; there is no quick back and forth, so ask only what you must. ${FILES}`,
  ],
  ["sms", `You are answering by SMS. ${PLAIN} Stay under 1600 characters, better under 300.`],
  ["bluebubbles", `You are talking on iMessage. ${PLAIN} Be brief. ${FILES}`],
  ["mattermost", `You are talking on Mattermost. Markdown with tables and code is shown. ${FILES}`],
  ["matrix", `You are talking in a Matrix room. Markdown is shown. ${FILES}`],
  ["feishu", `You are talking on Feishu (Lark). Bold, links, lists and code are shown; keep the rest plain. ${FILES}`],
  ["dingtalk", "You are talking on DingTalk. Headings, bold, links and lists are shown; tables are not."],
  ["wecom", `You are talking on WeCom. Bold, links, quotes and code are shown; keep the rest plain. ${FILES}`],
  ["weixin", `You are talking on WeChat. ${PLAIN} Be brief. ${FILES}`],
  ["qqbot", `You are talking on QQ. ${PLAIN} Be brief.`],
  [
    "homeassistant",
    `You are answering a smart home, and your answer may be read aloud: one or two sentences. ${PLAIN}`,
  ],
  ["web", "You are talking on the agent's own web page. Markdown with tables and code is shown."],
  ["cli", "You are talking in a terminal. Light Markdown is shown; keep lines short and tables narrow."],
  ["tui", "You are talking in a terminal. Light Markdown is shown; keep lines short and tables narrow."],
  [
    "api",
    "You are answering a program or a client of the API: write plain text or light Markdown, as in a conversation, and no marks for files.",
  ],
  [
    "cron",
    "You are running on a schedule and nobody is there to answer: ask nothing, decide by yourself, and end with a report that can be sent as it is. If there is nothing to report, answer with [SILENT] alone.",
  ],
  [
    "subagent",
    "You were given a task by another agent, which reads only your last answer. Nobody can answer questions: decide by yourself, and end with the result, what you found it on, and what is left open.",
  ],
]);

/** Names under which a platform is known besides its own. */
const SAME: ReadonlyMap<string, string> = new Map([
  ["whatsapp_cloud", "whatsapp"],
  ["api_server", "api"],
  ["webui", "web"],
  ["desktop", "web"],
  ["schedule", "cron"],
]);

/** What a model is told of the place where it is read: the adapter's own words first, then the operator's. */
export function platformHint(platform: string, ownHint: string | undefined, override: HintOverride = {}): string {
  if (override.replace !== undefined && override.replace !== "") return override.replace;
  const hint = ownHint ?? HINTS.get(SAME.get(platform) ?? platform) ?? "";
  return [hint, override.append ?? ""].filter((part) => part !== "").join("\n");
}
