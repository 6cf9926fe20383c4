/** Settings of the Worker under test: its bindings, and what the world behind it answers to. */
export const WORLD = {
  ADMIN_TOKEN: "world-admin-token",
  OPENAI_API_KEY: "world-key",
  OPENAI_BASE_URL: "http://model.test/v1",
  MODEL: "scripted",
  // asked only by name, as `deepseek:…` and `anthropic:…`; the first lives where the usual model does and has two keys
  DEEPSEEK_API_KEY: "world-first-key",
  DEEPSEEK_API_KEY__SECOND: "world-second-key",
  DEEPSEEK_BASE_URL: "http://model.test/v1",
  ANTHROPIC_API_KEY: "world-anthropic-key",
  ANTHROPIC_BASE_URL: "http://anthropic.test",
  TELEGRAM_BOT_TOKEN: "7900000001:world-token",
  TELEGRAM_WEBHOOK_SECRET: "world-secret",
  TELEGRAM_API_BASE: "http://telegram.test",
  TELEGRAM_ALLOWED_USERS: "7001,7002,7003,7004,7005,7006",
  SLACK_BOT_TOKEN: "xoxb-world",
  SLACK_SIGNING_SECRET: "world-signing-secret",
  SLACK_API_BASE: "http://slack.test/api",
  WEBHOOK_SECRET: "world-generic-secret",
} as const;
