import { anyOf } from "./phrase";
import type { ThreatRule } from "./threat-rule";

const DOMAIN = /(?:https?:\/\/|[\w-]{1,60}\.(?:com|net|org|example|xyz|shop|info|biz|top|ru|cn)\b)/;

/** Standing orders that serve somebody else: praise, links, doors left open, work destroyed. */
export const habitRules: readonly ThreatRule[] = [
  {
    id: "planted_promotion",
    scope: "strict",
    needs: ["recommend", "promot", "advertis", "endorse", "link"],
    pattern: anyOf(
      new RegExp(`\\b(?:recommend|promote|advertise|endorse|link to) (?:\\S+ ){0,3}?${DOMAIN.source}`),
      /\b(?:in|to|with|at the end of) (?:every|each|all)(?: of your)? (?:\w+ )?(?:answers?|repl(?:y|ies)|responses?|messages?|emails?),? (?:\w+ )?(?:include|add|append|insert|mention|put) (?:\S+ ){0,4}?(?:links?|urls?|https?:|adverts?|advertisements?|promotions?)\b/,
    ),
    isNegatable: true,
    unlessBefore: /\b(?:we|i|they|docs?|vendors?|authors?|maintainers?) (?:\w+ )?$/,
  },
  {
    id: "planted_code",
    scope: "strict",
    needs: ["malicious", "backdoor", "vulnerable", "obfuscated"],
    pattern:
      /\b(?:insert|add|inject|plant|hide|introduce|commit) (?:\w+ ){0,2}(?:malicious|backdoored|vulnerable|obfuscated) (?:code|payloads?|packages?|scripts?|dependenc(?:y|ies)|lines?)\b/g,
    isNegatable: true,
    unlessBefore: /\b(?:attackers?|malware|could|might|may|would|can|they|it|that|which|to) (?:\w+ )?$/,
  },
  {
    id: "destruction_in_words",
    scope: "strict",
    needs: ["delete", "erase", "wipe", "destroy", "remove", "format"],
    pattern:
      /\b(?:(?:delete|erase|destroy|remove) (?:all|every|everything|the (?:whole|entire)) (?:\w+ ){0,4}(?:home (?:directory|folder)|root (?:directory|filesystem)|disks?|drives?|file ?system|backups|production (?:data|database))|(?:wipe|format) (?:the |all |every |this |your )+(?:\w+ )?(?:disks?|drives?|server|machine|computer|partition))\b/g,
    isNegatable: true,
    unlessAfter: /^ (?:before|after|older|from|in (?:\w+ )?(?:tests?|ci|dev))\b/,
  },
];
