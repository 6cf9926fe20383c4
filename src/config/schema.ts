import * as z from "zod";
import { amount, flag, setting, share, text, texts, timeZone, whole, word } from "./setting";

/** Every setting of config.yaml, with its default. Defaults here and in config.yaml are the same: a test compares them. */
export type Config = z.output<ReturnType<typeof buildSchema>>;

let built: ReturnType<typeof buildSchema> | undefined;

/** The shape of config.yaml, built at its first use: a start that only answers `/health` need not pay for it. */
export function configSchema(): ReturnType<typeof buildSchema> {
  built ??= buildSchema();
  return built;
}

function buildSchema() {
  return z.strictObject({
    model: z
      .strictObject({
        name: setting("", text(200)),
        // any text is taken: a mistyped address must be refused where it is used, never give way to another vendor's
        base_url: setting("", text(2000)),
        choices: setting([], texts),
        vendor: setting("auto", text(100)),
        api_mode: setting("auto", word(["auto", "chat_completions", "responses", "anthropic_messages"])),
        store_responses: setting(false, flag),
        fallbacks: setting([], texts),
        aliases: z.record(z.string(), setting("", text(200))).prefault({}),
        overrides: z.record(z.string(), z.record(z.string(), z.unknown())).prefault({}),
      })
      .prefault({}),
    agent: z
      .strictObject({
        max_turns: setting(500, whole(1, 10_000)),
        api_max_retries: setting(3, whole(1, 20)),
        request_timeout_seconds: setting(1800, whole(1, 7200, "seconds")),
        stall_timeout_seconds: setting(180, whole(1, 3600, "seconds")),
        system_prompt: setting("", text(100_000)),
        history_tokens: setting(32_000, whole(1000, 2_000_000, "tokens")),
        max_parallel_tools: setting(4, whole(1, 32)),
        interruptions: setting(10, whole(1, 100)),
        reasoning_effort: setting("", word(["", "none", "minimal", "low", "medium", "high", "xhigh"])),
      })
      .prefault({}),
    display: z
      .strictObject({ busy_input_mode: setting("interrupt", word(["interrupt", "queue", "steer"])) })
      .prefault({}),
    streaming: z
      .strictObject({ enabled: setting(true, flag), buffer_threshold: setting(24, whole(1, 4000, "characters")) })
      .prefault({}),
    toolsets: setting(["core"], texts),
    // whoever can send a webhook writes its text: its tools stay few unless the operator says otherwise
    platform_toolsets: z
      .record(z.string(), setting([], texts))
      .prefault({})
      .transform((given) => ({ webhook: ["webhook"] as readonly string[], ...given })),
    tool_results: z
      .strictObject({
        max_chars: setting(100_000, whole(1000, 10_000_000, "characters")),
        turn_max_chars: setting(200_000, whole(1000, 10_000_000, "characters")),
        preview_chars: setting(1500, whole(100, 100_000, "characters")),
      })
      .prefault({}),
    access: z
      .strictObject({
        allow_all_users: setting(false, flag),
        allowed_users: setting([], texts),
        unauthorized_dm_behavior: setting("pair", word(["pair", "ignore"])),
        owners: setting([], texts),
      })
      .prefault({}),
    groups: z
      .strictObject({
        require_mention: setting(true, flag),
        mention_patterns: setting([], texts),
        sessions: setting("per_user", word(["per_user", "shared"])),
        thread_sessions: setting("shared", word(["per_user", "shared"])),
      })
      .prefault({}),
    security: z.strictObject({ redact_secrets: setting(true, flag) }).prefault({}),
    approvals: z
      .strictObject({
        mode: setting("manual", word(["manual", "smart", "off"])),
        timeout_seconds: setting(300, whole(10, 86_400, "seconds")),
        allow: setting([], texts),
        deny: setting([], texts),
      })
      .prefault({}),
    budgets: z
      .strictObject({
        turn_usd: setting(0, amount),
        session_usd: setting(0, amount),
        day_usd: setting(0, amount),
        turn_minutes: setting(0, whole(0, 1440, "minutes")),
      })
      .prefault({}),
    compaction: z
      .strictObject({
        enabled: setting(true, flag),
        threshold: setting(0.5, share),
        protect_first: setting(3, whole(0, 100, "messages")),
        protect_last: setting(20, whole(2, 500, "messages")),
        model: setting("", text(200)),
      })
      .prefault({}),
    credentials: z
      .strictObject({
        strategy: setting("fill_first", word(["fill_first", "round_robin", "random", "least_used"])),
      })
      .prefault({}),
    terminal: z
      .strictObject({
        backend: setting("auto", word(["auto", "virtual", "sidecar", "container"])),
        internet: setting(true, flag),
        container_size: setting("lite", word(["lite", "standard-1", "standard-2", "standard-3", "standard-4"])),
        container_idle_minutes: setting(10, whole(1, 1440, "minutes")),
      })
      .prefault({}),
    // hooks are read in the words of their own systems, and plugins know their own settings
    hooks: z
      .unknown()
      .optional()
      .transform((given) => given ?? []),
    hook_policy: z
      .strictObject({
        approvals: z.array(z.record(z.string(), z.string())).prefault([]),
        allow_auto_accept: setting(false, flag),
        gate_default: setting("allow", word(["allow", "deny", "ask"])),
        allowed_urls: setting(["*"], texts),
        require_https: setting(false, flag),
        extra_ports: setting([], texts),
        secrets: setting([], texts),
        own_hosts: setting([], texts),
        module_network: setting([], texts),
        dns: setting("https://cloudflare-dns.com/dns-query", text(500)),
      })
      .prefault({}),
    plugins: z.record(z.string(), z.unknown()).prefault({}),
    delegation: z
      .strictObject({
        max_spawn_depth: setting(1, whole(0, 5)),
        max_concurrent_children: setting(10, whole(1, 50)),
        max_summary_chars: setting(24_000, whole(2000, 1_000_000, "characters")),
      })
      .prefault({}),
    delivery: z
      .strictObject({
        max_attempts: setting(100, whole(1, 1000)),
        give_up_after_hours: setting(24, whole(1, 720, "hours")),
      })
      .prefault({}),
    media: z.strictObject({ max_bytes: setting(20_971_520, whole(1024, 134_217_728, "bytes")) }).prefault({}),
    limits: z.strictObject({ sender_messages_per_minute: setting(20, whole(0, 10_000)) }).prefault({}),
    timezone: setting("UTC", timeZone),
    platforms: z.record(z.string(), platform()).prefault({}),
  });
}

/** A platform's section: what all of them have; the rest are the adapter's own settings. */
function platform() {
  const own = setting("", text(100_000));
  return z
    .object({
      allow_all_users: setting(false, flag),
      allowed_users: setting([], texts),
      accounts: z.record(z.string(), z.record(z.string(), own)).prefault({}),
    })
    .catchall(own);
}
