// What platforms really send, in the shapes of their documents, as the beginning of what they never would.
// Sources: https://core.telegram.org/bots/api#update, https://docs.slack.dev/apis/events-api/
const BOB = { id: 9601, is_bot: false, first_name: "Bob", last_name: "Bell", username: "bob_b", language_code: "en" };
const PRIVATE = { id: 9601, type: "private", first_name: "Bob" };
const GROUP = { id: -1009602, type: "supergroup", title: "Ops", is_forum: true };
const DATE = 1_790_000_000;
const FILE = { file_id: "AgAC", file_unique_id: "AQAD", file_size: 1200 };

function message(fields: object): object {
  return { message_id: 1, from: BOB, chat: PRIVATE, date: DATE, ...fields };
}

/** Updates of Telegram, of every kind that means something here. */
export const TELEGRAM_UPDATES: readonly object[] = [
  { update_id: 1, message: message({ text: "hello" }) },
  {
    update_id: 2,
    message: message({
      text: "/status@acme now https://example.com",
      entities: [
        { type: "bot_command", offset: 0, length: 12 },
        { type: "url", offset: 17, length: 19 },
      ],
    }),
  },
  {
    update_id: 3,
    message: message({
      chat: GROUP,
      message_thread_id: 7,
      is_topic_message: true,
      text: "@acme hi",
      entities: [{ type: "mention", offset: 0, length: 5 }],
    }),
  },
  {
    update_id: 4,
    message: message({ caption: "look", photo: [{ ...FILE, width: 90, height: 60 }], media_group_id: "13" }),
  },
  { update_id: 5, message: message({ document: { ...FILE, file_name: "a.pdf", mime_type: "application/pdf" } }) },
  { update_id: 6, message: message({ voice: { ...FILE, duration: 3, mime_type: "audio/ogg" } }) },
  { update_id: 7, message: message({ location: { latitude: 52.5, longitude: 13.4 } }) },
  { update_id: 8, message: message({ text: "yes", reply_to_message: message({ message_id: 2, text: "sure?" }) }) },
  { update_id: 9, edited_message: message({ text: "hello!", edit_date: DATE + 5 }) },
  {
    update_id: 10,
    channel_post: {
      message_id: 3,
      sender_chat: { id: -1009603, type: "channel", title: "News" },
      chat: { id: -1009603, type: "channel", title: "News" },
      date: DATE,
      text: "post",
    },
  },
  {
    update_id: 11,
    callback_query: { id: "44", from: BOB, message: message({ text: "sure?" }), chat_instance: "5", data: "q:1:0" },
  },
  {
    update_id: 12,
    message_reaction: {
      chat: PRIVATE,
      message_id: 1,
      user: BOB,
      date: DATE,
      old_reaction: [],
      new_reaction: [{ type: "emoji", emoji: "👍" }],
    },
  },
  {
    update_id: 13,
    my_chat_member: {
      chat: GROUP,
      from: BOB,
      date: DATE,
      old_chat_member: { status: "left", user: BOB },
      new_chat_member: { status: "member", user: BOB },
    },
  },
];

const SLACK_MESSAGE = {
  type: "message",
  channel: "D9601",
  channel_type: "im",
  user: "U9601",
  ts: "1790000000.000100",
  text: "hello <@U0BOT>",
};

function envelope(event: object): object {
  return {
    type: "event_callback",
    event_id: "Ev1",
    team_id: "T1",
    api_app_id: "A1",
    authorizations: [{ team_id: "T1", user_id: "U0BOT", is_bot: true }],
    event,
  };
}

/** Requests of Slack's Events API. */
export const SLACK_EVENTS: readonly object[] = [
  envelope(SLACK_MESSAGE),
  envelope({
    ...SLACK_MESSAGE,
    type: "app_mention",
    channel: "C9601",
    channel_type: "channel",
    thread_ts: "1790000000.000050",
  }),
  envelope({
    ...SLACK_MESSAGE,
    subtype: "message_changed",
    message: { ...SLACK_MESSAGE, text: "changed" },
    previous_message: SLACK_MESSAGE,
  }),
  envelope({
    ...SLACK_MESSAGE,
    subtype: "file_share",
    files: [{ id: "F1", name: "a.png", mimetype: "image/png", url_private: "http://slack.test/f", size: 10 }],
  }),
  envelope({
    ...SLACK_MESSAGE,
    blocks: [
      {
        type: "rich_text",
        elements: [
          {
            type: "rich_text_section",
            elements: [
              { type: "text", text: "hi" },
              { type: "user", user_id: "U0BOT" },
            ],
          },
        ],
      },
    ],
    attachments: [{ fallback: "f", text: "t" }],
  }),
  envelope({
    type: "reaction_added",
    user: "U9601",
    reaction: "eyes",
    item: { type: "message", channel: "C9601", ts: "1790000000.000100" },
    event_ts: "1790000001.000100",
  }),
  envelope({ type: "member_joined_channel", user: "U9601", channel: "C9601", event_ts: "1790000001.000200" }),
  { type: "url_verification", challenge: "c" },
];

/** Interactions of Slack, which stand as JSON in a form. */
export const SLACK_INTERACTIONS: readonly object[] = [
  {
    type: "block_actions",
    trigger_id: "1.2",
    user: { id: "U9601", name: "bob" },
    channel: { id: "D9601", name: "directmessage" },
    container: { type: "message", message_ts: "1790000000.000100", channel_id: "D9601" },
    message: { ts: "1790000000.000100", text: "sure?" },
    actions: [{ type: "button", action_id: "q:1:0", value: "q:1:0", action_ts: "1790000002.000100" }],
    response_url: "http://slack.test/r",
  },
  { type: "view_submission", trigger_id: "1.3", user: { id: "U9601" }, view: {} },
];

/** A slash command of Slack, as the fields of its form. */
export const SLACK_COMMAND: Readonly<Record<string, string>> = {
  command: "/acme",
  text: "status",
  channel_id: "D9601",
  channel_name: "directmessage",
  user_id: "U9601",
  user_name: "bob",
  trigger_id: "1.4",
  response_url: "http://slack.test/r",
};

/** What programs post. */
export const WEBHOOK_PAYLOADS: readonly object[] = [
  {
    type: "deploy",
    id: "d1",
    repository: { name: "acme", owner: { login: "bob" } },
    commits: [{ id: "a", message: "fix" }],
  },
  { event_type: "alert", labels: { severity: "page" }, value: 3.5 },
  [{ type: "batch" }],
];

/** Chat completions. */
export const CHAT_REQUESTS: readonly object[] = [
  { model: "talaria", messages: [{ role: "user", content: "hello" }] },
  {
    model: "talaria",
    stream: true,
    stream_options: { include_usage: true },
    temperature: 1,
    n: 1,
    tools: [{ type: "function", function: { name: "f", parameters: {} } }],
    messages: [
      { role: "system", content: "be brief" },
      {
        role: "user",
        content: [
          { type: "text", text: "hi" },
          { type: "image_url", image_url: { url: "data:image/png;base64,AAAA", detail: "low" } },
        ],
      },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c1", type: "function", function: { name: "f", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "c1", content: "done" },
      { role: "user", content: "and now?" },
    ],
  },
];
