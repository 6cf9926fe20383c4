import { expect, it } from "vitest";
import { findKeys } from "#src/safety/redaction/find-keys";
import { applySpans } from "#src/safety/redaction/span";
import { letters } from "../letters";

const UUID = "3f9a07c5-e81b-62d4-9a07-c5e81b62d43f";

const KEYS: Readonly<Record<string, string>> = {
  OpenAI: `sk-proj-${letters("safe", 74)}`,
  "OpenAI, old": `sk-${letters("word", 48)}`,
  Anthropic: `sk-ant-api03-${letters("safe", 93)}`,
  OpenRouter: `sk-or-v1-${letters("hex", 64)}`,
  Google: `AIza${letters("safe", 35)}`,
  "Google OAuth": `ya29.${letters("safe", 60)}`,
  "Google, bound to an account": `AQ.${letters("safe", 50)}`,
  "Google client": `GOCSPX-${letters("safe", 28)}`,
  AWS: `AKIA${letters("upper", 16)}`,
  GitHub: `ghp_${letters("word", 36)}`,
  "GitHub, fine-grained": `github_pat_${letters("word", 22)}_${letters("word", 59)}`,
  GitLab: `glpat-${letters("safe", 20)}`,
  Slack: `xoxb-${letters("digit", 12)}-${letters("digit", 12)}-${letters("word", 24)}`,
  Stripe: `sk_live_${letters("word", 24)}`,
  "Stripe webhook": `whsec_${letters("word", 32)}`,
  Telegram: `${letters("digit", 10)}:AA${letters("safe", 33)}`,
  Discord: `MT${letters("word", 24)}.${letters("safe", 6)}.${letters("safe", 38)}`,
  SendGrid: `SG.${letters("word", 22)}.${letters("word", 43)}`,
  Twilio: `SK${letters("hex", 32)}`,
  Mailgun: `key-${letters("hex", 32)}`,
  Mailchimp: `${letters("hex", 32)}-us12`,
  npm: `npm_${letters("word", 36)}`,
  PyPI: `pypi-AgEI${letters("safe", 80)}`,
  HuggingFace: `hf_${letters("word", 34)}`,
  DigitalOcean: `dop_v1_${letters("hex", 64)}`,
  Groq: `gsk_${letters("word", 52)}`,
  xAI: `xai-${letters("word", 80)}`,
  Perplexity: `pplx-${letters("word", 48)}`,
  ElevenLabs: `sk_${letters("hex", 48)}`,
  Notion: `ntn_${letters("word", 46)}`,
  "Notion, old": `secret_${letters("word", 43)}`,
  Linear: `lin_api_${letters("word", 40)}`,
  Figma: `figd_${letters("safe", 40)}`,
  Airtable: `pat${letters("word", 14)}.${letters("hex", 64)}`,
  Shopify: `shpat_${letters("hex", 32)}`,
  Square: `sq0atp-${letters("safe", 22)}`,
  Databricks: `dapi${letters("hex", 32)}`,
  Vault: `hvs.${letters("safe", 90)}`,
  Grafana: `glsa_${letters("word", 32)}_${letters("hex", 8)}`,
  Matrix: `syt_${letters("word", 12)}_${letters("word", 20)}_${letters("word", 6)}`,
  HubSpot: `pat-na1-${UUID}`,
  Asana: `1/${letters("digit", 16)}/${letters("digit", 16)}:${letters("hex", 32)}`,
  Bitwarden: `0.${UUID}.${letters("word", 30)}`,
  Brave: `BSA${letters("safe", 28)}`,
  Facebook: `EAA${letters("word", 100)}`,
  "Firebase Cloud Messaging": `${letters("word", 11)}:APA91b${letters("safe", 134)}`,
  "GitHub app": `ghs_123456_eyJ${letters("word", 40)}`,
  Mollie: `live_${letters("word", 30)}`,
  Neon: `napi_${letters("word", 60)}`,
  OpenShift: `sha256~${letters("safe", 43)}`,
  "Vault, old": `s.${letters("word", 24)}`,
  "Z.ai": `${letters("hex", 32)}.${letters("word", 16)}`,
  Langfuse: `pk-lf-${UUID}`,
  Terraform: `${letters("word", 14)}.atlasv1.${letters("word", 67)}`,
  age: `AGE-SECRET-KEY-1${letters("upper", 58)}`,
  Fernet: `gAAAAAB${letters("safe", 93)}=`,
  "a JSON web token": `eyJ${letters("word", 20)}.eyJ${letters("safe", 40)}.${letters("safe", 43)}`,
};

it.each(Object.entries(KEYS))("knows a key of %s", (_, key) => {
  const text = `the value is ${key}, they said`;
  const redacted = applySpans(text, findKeys(text, false));
  expect(redacted).toMatch(/^the value is .{6}\.\.\..{4}, they said$/);
});

it.each([
  "sk-1234",
  "ghp_short",
  "sk-your-api-key-here",
  "eyJhbGciOiJIUzI1NiJ9",
  "npm_config_registry",
  "fc-bayern-muenchen-2024",
  "hf_hub_download",
  "risk-assessment-2024-report-v2",
  "fw_update_v2_final_release",
  "pplx-70b-online",
  "SG.1",
  "AKIAIOSFODNN7EXAMPLE",
  "napi_get_value_string_utf8",
  "live_reload_enabled_by_default",
  "s.XMLHttpRequestEventTarget",
  "3f9a07c5e81b62d43f9a07c5e81b62d4.min.js",
  "sha256~",
  `A/CRQ0AIAMgAhEAACEACyAADRsMMgsgA0Evai0AAEEBcUUNHAwiC0EAIQACQCADKAI4IgJFDQ${"AgA1b2c3".repeat(8)}/`,
  "as-is-where-is-condition",
])("takes words that begin like a key for words: %s", (text) => {
  expect(findKeys(text, false)).toEqual([]);
});
