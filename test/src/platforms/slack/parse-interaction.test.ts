import { expect, it } from "vitest";
import { receiveForm } from "#test/support/slack-request";

const COMMAND = {
  channel_id: "C0GENERAL",
  channel_name: "general",
  user_id: "U0ALICE",
  user_name: "alice",
  command: "/acme",
  text: "status prod",
  trigger_id: "398738663015.47445629121.803a0bc8",
};

it("reads a slash command by the name that the operator gave it", async () => {
  const { events } = await receiveForm(COMMAND);
  expect(events).toMatchObject([
    {
      kind: "command",
      command: { name: "acme", args: "status prod" },
      text: "status prod",
      chatId: "C0GENERAL",
      chatType: "channel",
      userId: "U0ALICE",
      userName: "alice",
      addressed: true,
      dedupeKeys: ["command:398738663015.47445629121.803a0bc8"],
      target: { chatId: "C0GENERAL" },
    },
  ]);
});

it.each([
  ["directmessage", "D0ALICE", "dm"],
  ["mpdm-alice--bob--acme-1", "C0GROUP", "group"],
  ["privategroup", "G0SECRET", "channel"],
])("places a command typed in %s", async (channelName, channelId, chatType) => {
  const { events } = await receiveForm({ ...COMMAND, channel_name: channelName, channel_id: channelId });
  expect(events[0]?.chatType).toBe(chatType);
});

it("has nothing to do when Slack probes the certificate", async () => {
  expect(await receiveForm({ ssl_check: "1", token: "t" })).toEqual({ events: [] });
});

it.each([
  ["neither a payload nor a command", { token: "t" }],
  ["a payload that is no JSON", { payload: "{" }],
  ["a payload that does not say what it is", { payload: "{}" }],
  ["a command without a channel", { command: "/acme", trigger_id: "1", user_id: "U1" }],
])("refuses a form with %s", async (_, fields) => {
  await expect(receiveForm(fields)).rejects.toMatchObject({ code: "bad_request" });
});

const PRESS = {
  type: "block_actions",
  user: { id: "U0ALICE", username: "alice", name: "alice" },
  container: { type: "message", message_ts: "1.000700", channel_id: "C0GENERAL", thread_ts: "1.000200" },
  trigger_id: "10215325802133.39.2e25",
  channel: { id: "C0GENERAL", name: "general" },
  message: { user: "U0BOT", ts: "1.000700", text: "Deploy?", thread_ts: "1.000200" },
  response_url: "https://hooks.slack.com/actions/T/1/x",
  actions: [{ type: "button", action_id: "approve", value: "42:y", action_ts: "1782899999.289415" }],
};

it("reads a button press, in the thread of the message that the button is on", async () => {
  const { events } = await receiveForm({ payload: JSON.stringify(PRESS) });
  expect(events).toMatchObject([
    {
      kind: "button",
      action: { id: "approve", value: "42:y" },
      chatId: "C0GENERAL",
      chatType: "thread",
      threadId: "1.000200",
      messageId: "1.000700",
      userId: "U0ALICE",
      addressed: true,
      target: { chatId: "C0GENERAL", threadId: "1.000200" },
    },
  ]);
});

it("keeps two presses of one button apart, and one press that arrives twice together", async () => {
  const later = { ...PRESS, actions: [{ ...PRESS.actions[0], action_ts: "1782899999.999999" }] };
  const [first, again, second] = await Promise.all(
    [PRESS, PRESS, later].map(async (press) => (await receiveForm({ payload: JSON.stringify(press) })).events[0]),
  );
  expect(again?.dedupeKeys).toEqual(first?.dedupeKeys);
  expect(second?.dedupeKeys).not.toEqual(first?.dedupeKeys);
});

it.each([
  ["a menu", { selected_option: { value: "blue" } }, "blue"],
  ["boxes", { selected_options: [{ value: "a" }, { value: "b" }] }, "a,b"],
  ["people", { selected_user: "U2" }, "U2"],
  ["a calendar", { selected_date: "2026-07-01" }, "2026-07-01"],
  ["nothing", { selected_option: null }, ""],
])("reads what was picked in %s as its value", async (_, picked, value) => {
  const action = { type: "some_select", action_id: "pick", action_ts: "1.1", ...picked };
  const { events } = await receiveForm({ payload: JSON.stringify({ ...PRESS, actions: [action] }) });
  expect(events[0]?.action).toEqual({ id: "pick", value });
});

it.each([
  ["a modal that is sent", { type: "view_submission", user: { id: "U1" }, view: {} }],
  ["a shortcut", { type: "shortcut", user: { id: "U1" }, callback_id: "x" }],
  ["a button that is in no conversation", { ...PRESS, channel: undefined, container: { type: "view" } }],
])("ignores %s", async (_, payload) => {
  const { events } = await receiveForm({ payload: JSON.stringify(payload) });
  expect(events.map((event) => event.kind)).toEqual(["ignored"]);
});
