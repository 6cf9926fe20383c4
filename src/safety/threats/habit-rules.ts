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
    unlessBefore:
      /\b(?:send|share|post|copy|paste|the|an?) (?:\w+ )?$|\b(?:we|i|they|docs?|vendors?|authors?|maintainers?) (?:\w+ )?$/,
  },
  {
    id: "spreading",
    scope: "strict",
    needs: ["spread", "propagat", "copy", "forward", "pass", "replicat", "insert", "append", "paste"],
    pattern:
      /\b(?:spread|propagate|copy|forward|pass|replicate|insert|append|paste) (?:(?:this|these|the above|your own) (?:\w+ )?(?:prompts?|instructions?|(?:message|note|text)(?= (?:on )?to (?:\w+ ){0,3}(?:agents?|assistants?|models?|bots?|ais?)\b))|yourself|itself)(?: on)? (?:to|into|in|across) (?:all|every|each|other|any) (?:\w+ ){0,2}?(?:agents?|assistants?|models?|bots?|files?|sessions?|repos?\w*|machines?|hosts?|chats?|contacts|documents?|prompts?|replies|messages?)\b/g,
    isNegatable: true,
  },
  {
    id: "planted_start",
    scope: "strict",
    needs: ["session", "start", "login", "boot", "always", "every ", "remember"],
    pattern:
      /\b(?:(?:in|on|at) (?:every|each|all|any|future|the next|new) (?:\w+ )?(?:sessions?|start-?ups?|starts?|boots?|logins?|conversations?)|always|every (?:time|hour|day|night|minute|week|\d{1,4} \w+)|remember to),? (?:always |first |silently |please )*(?:run|execute|download|fetch|load|install|open|call) (?:(?:(?:the )?(?:script|commands?|file) (?:at|from) )?https?:\/\/(?!localhost|127\.)|(?:curl|wget) (?:-\S+ ){0,4}(?!localhost|https?:\/\/(?:localhost|127\.))(?:https?:|[\w-]{1,60}\.\w))/g,
    isNegatable: true,
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
