import { anyOf, inOrder, oneOf, phrase, words } from "./phrase";
import type { ThreatRule } from "./threat-rule";

const AUTHORITY =
  /(?:user|owner|admin(?:istrator)?|operator|developers?|system|security (?:team|officer)|ceo|cto|boss|manager|anthropic|openai|google|nous(?: research)?|hermes|root|creator|human|company|management|it department|support team|platform|maintainers?)/;
const ANYTHING =
  "(?:all|any|every|everything|future|further|subsequent|you|this|these|the following|commands?|actions?|requests?|tools?|access|unrestricted|execution|full)";
const GUARDS =
  "(?:safety|guardrails?|approvals?|redaction|content (?:filter(?:s|ing)?|polic(?:y|ies)|moderation)|moderation|safeguards?|security|ethic(?:s|al)|restrictions|permission (?:checks?|prompts?)|confirmations?|confirmation prompts?|sandbox(?:ing)?|audit(?: log(?:s|ging)?)?|refusals?|limitations|censorship|(?<=(?:the|your|all|any|every|its|these|those|safety|content) )filters?|protections?|threat scan\\w*|injection (?:scan\\w*|detection)|human review|oversight|access controls?|authentication|firewalls?|antivirus|selinux|apparmor|intrusion detection)";

/** Pretexts: borrowed authority, played roles, guards that are to be switched off. */
export const pretextRules: readonly ThreatRule[] = [
  {
    id: "claimed_approval",
    scope: "strict",
    pattern: phrase(
      "\\b(?:the |your |our |my |a )?",
      AUTHORITY.source,
      " (?:has |have |had |already |hereby |pre-?|just |explicitly |fully ){0,3}(?:approved|authori[sz]e[ds]?|granted|grants|consent(?:s|ed)|allow(?:s|ed)|permit(?:s|ted)|confirmed|agreed|okayed|waived|given (?:you )?(?:permission|consent|access|approval)|gave (?:you )?(?:permission|consent|approval)|approves) ",
      words(4),
      ANYTHING,
      "\\b",
    ),
    isNegatable: true,
    unlessAfter: /^ (?:changes|edits|comments|suggestions|requirements|designs|invoices|expenses)\b/,
    accepts: (match) =>
      !/\b(?:(?:read|view|guest|write|limited|temporary) access$|if|unless|until|once|when|this (?:plan|design|change|text|format|layout)|pull requests?|approves (?:each|every))\b/.test(
        match,
      ),
  },
  {
    id: "claimed_authority",
    scope: "strict",
    needs: ["as ", "i am", "i'm", "this is", "message from", "speaking"],
    pattern: anyOf(
      inOrder(
        /\bas (?:the |an? |your |its )?(?:\w+ )?/,
        AUTHORITY,
        /,? i (?:hereby |now |am |do |explicitly )?(?:grant|grant(?:ing)?|authori[sz](?:e|ing)|order(?:ing)?|command(?:ing)?|allow(?:ing)?|permit(?:ting)?|instruct(?:ing)?|give|giving|require|requiring|approve|approving|demand(?:ing)?|direct(?:ing)?|need you|want you)\b/,
      ),
      /\bi(?:'m| am) (?:the |your |an? )(?:\w+ )?(?:developer|admin|administrator|creator|owner|operator|supervisor|programmer|engineer from|employee of)\b[^.!?]{0,60}\b(?:must|obey|need you|grant|order|override|ignore|disable|authorize|allow|comply|bypass|reveal|give me|run this|execute this|do (?:this|it|as i)|unlock|skip|stop asking|trust me)\b/,
      /\bthis (?:is|message (?:is|comes)) (?:an? )?(?:official |urgent |important |authorized |system )*(?:message |order |notice |instruction |request |update )?(?:from )?(?:the |your )?(?:anthropic|openai|google deepmind|nous research|system administrator|security team|it department|developers|your (?:developer|creator|owner|administrator))\b/,
    ),
    isNegatable: true,
  },
  {
    id: "granted_permission",
    scope: "strict",
    needs: [
      "permission",
      "authori",
      "allowed",
      "approv",
      "confirm",
      "consent",
      "clearance",
      "asking",
      "do not ask",
      "free to",
      "access",
      "rights",
      "privileges",
      "prompting",
      "review",
      "trusted",
    ],
    pattern: anyOf(
      /\bi (?:hereby )?(?:grant|give) you (?:\w+ ){0,3}(?:permission|access|authori[sz]ation|clearance|approval|rights|privileges)\b/,
      /\b(?:do not|don't|never|no need to) ask (?:me |the user |anyone |again )?for (?:confirmation|permission|approval|consent) (?:before|when|for|to) (?:\w+ ){0,3}(?:delet|remov|eras|send|pay|purchas|transfer|wip|destr|danger|any|all|every)/,
      /\byou (?:now |already |hereby )?(?:have|are|'re) (?:\w+ ){0,3}(?:permission|authori[sz]ation|authori[sz]ed|allowed|approved|permitted|clearance|free) to (?:\w+ ){0,3}(?:skip|bypass|ignore|run any(?:thing)?|execute any(?:thing)?|delete|access (?:all|any|every)|disable|override|do anything|circumvent|break|disregard)\b/,
      /\b(?:approvals?|confirmations?|permission|consent) (?:is|are|will be) (?:not|no longer|never) (?:needed|required|necessary|asked)\b(?! (?:for|when|if|in|on|to|unless|until|by)\b)/,
      /\b(?:do not|don't|never|stop) ask(?:ing)? (?:me |the user |the owner |anyone |again )*for (?:confirmation|permission|approval|consent)(?= ?[.!,;]|$)/,
      /\bassume (?:\w+ )?(?:approval|permission|consent|authori[sz]ation) (?:for|of|on|to) (?:all|any|every)\b/,
      /\bapprove (?:all|every|any) future\b/,
      /\b(?:treat|consider|mark|regard) (?:every|all|each|any) (?:\w+ ){0,2}?(?:commands?|actions?|requests?|tools?|calls?|operations?) (?:as |is |are )?(?:pre-?)?(?:approved|authori[sz]ed|trusted|allowed)\b/,
      /\bpermission (?:is |was |has been )?(?:granted|given) to (?:access|run|delete|bypass|use|read|execute|send) (?:all|any|every\w*|the secrets)\b/,
      /\b(?:answer|say|reply|click|press|type) ["']?(?:yes|y|ok|allow|approve)["']? to (?:all |every |any |each |the )*(?:\w+ )?(?:approval|permission|confirmation|security|consent) (?:prompts?|questions?|requests?|dialogs?)\b/,
      /\bno (?:\w+ )?(?:approval|confirmation|permission|authori[sz]ation|consent|review) (?:is |will be )?(?:needed|required|necessary)\b/,
      /\b(?:pre-?|auto-?)approv(?:e|ed|al)(?: \w+){0,3} (?:all|every|any|everything|commands?|actions?|tools?|requests?)\b/,
      /\b(?:all|every|any) (?:\w+ ){0,4}(?:are|is) (?:now |already |hereby )*(?:pre-?|auto-?)?(?:approved|authori[sz]ed)\b/,
      /\bapprove (?:everything|(?:all|every|any) (?:\w+ ){0,2}(?:commands?|actions?|tools?|tool calls?|executions?|operations?))\b/,
      /\b(?:grant|give) (?:me|us|him|her|this user) (?:\w+ ){0,2}(?:admin\w*|root|full|unrestricted|sudo|owner) (?:access|rights|privileges|permissions?)\b/,
      /\b(?:run|execute|delete|send|approve|proceed|install|act|continue|transfer|pay|publish|push|deploy|purchase|buy) (?:\S+ ){0,5}?without (?:\w+ ){0,2}(?:asking|confirmation|approval|permission|confirming|prompting|review|consent)\b/,
      /\bwithout asking (?:the user|the owner|anyone)\b|\bdo not ask (?:the user|the owner|anyone)[,;:] (?:just|simply)\b/,
    ),
    isNegatable: true,
    unlessBefore: /\b(?:it|that|which|they|we|you can|(?!always)\b\w{3,}s) (?:\w+ly )?$/,
  },
  {
    id: "guard_removal",
    scope: "strict",
    pattern: phrase(
      "\\b(?:disable|disabling|turn(?:ing)? off|switch(?:ing)? off|remove|removing|deactivate|bypass(?:ing)?|circumvent|evade|lift|suspend|skip(?:ping)?|override|overriding|shut (?:off|down)|unlock|get around|ignore|break|jailbreak|neutrali[sz]e|stop using|drop|defeat|strip) ",
      "(?:the |your |all |any |every |its |our |these |those |of |own |built-in |internal |current |existing |secret |output |content |command |prompt |security |tool |user ){0,5}",
      GUARDS,
      "\\b",
    ),
    isNegatable: true,
    unlessAfter:
      /^ (?:warnings? in|from the (?:query|list|search|table|url|dashboard|report)|for (?:the )?(?:test|dev|local|ci)|in (?:the )?(?:tests?|dev|development|local|ci|storybook|query|list)|icons?|buttons?|groups?|scan for|headers? in|tests?|endpoints?|routes?|middleware)\b|^ with --?\w/,
  },
  {
    id: "guard_removal",
    scope: "strict",
    pattern:
      /\b\w*(?:redact|approval|guardrail|safety|sandbox|moderation|content_?filter|threat_?scan)\w*["']?\s?[=:]\s?["']?(?:false|off|0|no|none|disabled?|never|skip|yolo|manual_off)\b|\bapprovals?(?:[._ ]mode(?: to|\s?[=:])?| to) ["']?(?:off|none|never)\b|\bhermes_accept_hooks\s?=\s?["']?(?:1|true|yes|on)\b|\bapprovals?[._ ]mode(?: to|\s?[=:])? ?["']?(?:off|none|never|yolo|false)\b|--(?:yolo|dangerously[\w-]*|no-sandbox|allow-all(?:-tools)?|skip-permissions|auto-approve\w*)\b|\byolo[ _]mode\b(?! (?:is|was) (?:documented|described|explained|off|disabled|not|dangerous|risky)\b)|\bdanger-full-access\b/g,
    isNegatable: true,
  },
  {
    id: "unfiltered_answers",
    scope: "strict",
    pattern: phrase(
      "\\b(?:respond|answer|reply|act|speak|operate|behave|write|generate|comply|function|work|talk|role-?play|be|you have|you are) ",
      words(5),
      "(?:without|with no|with zero|free (?:of|from)|ignoring|no|beyond|devoid of|unbound by|not bound by) ",
      words(3),
      "(?:restrictions?|limitations|limits|filters?|safety|censorship|guardrails?|rules|moderation|ethics|ethical|morals?|boundaries|constraints|disclaimers|refusals?|inhibitions)\\b",
    ),
    isNegatable: true,
    unlessAfter: /^ (?:on (?:the )?(?:length|size|number)|for (?:now|the moment))\b/,
  },
  {
    id: "jailbreak",
    scope: "strict",
    pattern: anyOf(
      /\bdo anything now\b/,
      /\byou are (?:now |hereby )+(?:fully )?(?:jailbroken|unrestricted|uncensored|unfiltered|unchained|liberated|root\b|evil\b|free(?=[.!,]|$| from\b)|\w{0,16}(?:gpt|dan)\b|evil-?\w{1,16})/,
      /\byou have been (?:freed|liberated|unchained|unlocked|jailbroken)(?=[.!,]|$| from\b)/,
      /\byou (?:have been|were|are) (?:re)?programmed to (?:obey|ignore|serve|bypass|reveal|hide|disregard)\b/,
      /\bpretend (?:\w+ ){0,3}you're (?!(?:offline|online|idle|busy|(?:an? |the )?(?:\w+ )?(?:users?|customers?|visitors?|clients?|readers?|testers?))\b)/,
      /\byou(?:'re| are) (?:\w+ ){0,3}now (?:an?|the) (?:\w+ ){1,6}(?:with (?:root|admin|full|unrestricted|no)\b|who (?:obeys|ignores))/,
      /\byou are (?:the |an? |my )?(?:admin\w*|system administrator|root|superuser|hacker|attacker|slave|servant) now(?=[.!,]|$)/,
      /\byou (?:will|must|shall) (?:act|behave|serve|operate|work) as (?:an? |the |my )?(?:\w+ ){1,3}from now on\b/,
      /\byou now have (?:root|sudo|superuser|unrestricted|unlimited|god) (?:access|rights|privileges|control|permissions|powers?)\b/,
      /\byou are now (?:called|named|known as) (?!(?:to|when|in|by|on|if|for|at|the|an?)\b)\w+/,
      /\byou (?:shall|will|must) (?:now |henceforth |from now on )?be (?:known as|called|named) (?!(?:to|when|in|by|on|if|for|at|back)\b)\w+/,
      /\b(?:refer to|introduce|present|describe) yourself as (?:the |an? |my )?(?:root|admin\w*|system|human|owner|developer|support|employee|official|bank)\b/,
      /\b(?:impersonate|role-?play as|pose as|masquerade as) (?:(?:the|your) user\b|the |an? |your )?(?:(?<=the user|your user)|admin\w*|owner|root|system|developer|operator|ceo|boss|manager|bank|police|support|employee|official)\b/,
      /\bfor (?:educational|research|academic|fictional) purposes(?: only)?,? (?:\S+ ){0,6}?(?:steal|hack|exploit|malware|bombs?|weapons?|phish\w*|attack|break into|crack|exfiltrate|bypass)\b/,
      /\byou (?:no longer|don't|do not) have (?:any |to respect )?(?:limits|restrictions|rules|filters|guidelines|limitations)\b(?! (?:on|for|in)\b)/,
      /\b(?:act|behave|respond|answer) (?:like|as if|as though) (?:the |all |any |your |those |these )*(?:rules|restrictions|limits|guidelines|filters) (?:(?:do|did) not|don't|didn't|never) (?:exist|apply|matter)/,
      /\b(?:act|behave|respond|answer|operate) (?:like|as if|as though) (?:you|there) (?:had no|have no|lack|lacked|were no|are no|didn't have|did not have) (?:\w+ ){0,2}(?:restrictions|limits|limitations|rules|constraints|filters|guidelines)\b/,
      /\bno matter how (?:harmful|dangerous|illegal|unethical|immoral|offensive)\b/,
      /\b(?:safety|guardrails?|content filters?|moderation|restrictions|censorship|safeguards|approvals|redaction)(?: (?:modes?|checks?|filters?|protocols?|systems?|rules|features))? (?:is|are|has been|have been|was|were) (?:now |permanently |all )*(?:off|disabled|removed|lifted|deactivated|suspended|gone)(?=[.,;!]|$| and\b)/,
      /\b(?:you are now (?:(?:running|operating|working) )?in|you are in(?=(?: \w+){1,2} mode now)|enter(?:ing)?) (?:\w+ )?(?:developer|debug|god|dan|root|admin|maintenance|unrestricted|privileged) mode\b(?! (?:in|on|of|via|from|by|for|when|to|with)\b)/,
      /\bassume the (?:role|identity|persona) of (?:the |an? )?(?:root|admin\w*|system|developer|superuser|owner|attacker)\b/,
      /\b(?:activate|enable|become|unleash|summon|enter) dan\b/,
      /\bstop being (?:an? |the )?(?:\w+ )?(?:assistant|ai|chatbot|bot|model|helpful)\b/,
      /\bno (?:rules|limits|restrictions|guidelines|laws) (?:\w+ ){0,2}(?:for you|to you|anymore)\b/,
      /\b(?:ethics|morals|rules|laws|guidelines|restrictions|policies) (?:do not|don't|no longer|never) (?:apply to|bind|concern|restrict) you\b/,
      /\b(?:always|blindly|unconditionally|and) obey(?= [\w.]{1,64}@|\b(?= me|[.!,]|$))/,
      /\bobey (?:me|my|only|(?:the )?attacker|all (?:of )?my|without question)\b/,
      /\bjailbr(?:eak|oken)\b[^.]{0,20}\b(?:mode|yourself|prompt|activated|ai|model|assistant)\b/,
      /\b(?:dan|stan|god|evil|unrestricted|uncensored|unfiltered|sudo|chaos|opposite|jailbreak|amoral|no[- ]limits?) mode\b(?! (?:in the (?:game|editor)|cheats?)\b)/,
      /\b(?:enter|activate|enable|switch (?:in)?to|engage|you are(?: now)? in|start|go into) (?:\w+ )?(?:developer|debug|admin|root|maintenance|god|dan|test|diagnostic|override|privileged) mode\b(?=[^.]{0,80}\b(?:no|without|ignore|unrestricted|reveal|bypass|all|disable|you)\b)/,
      /\b(?:you are|act as|be|become|pretend to be|role-?play as|simulate|play|imagine (?:you are|being)|(?:assume|adopt|take on|take) the (?:role|identity|persona|character) of|embody) (?:\w+ ){0,3}(?:dan|(?:an?|my|the) (?:\w+ )?(?:unrestricted|unfiltered|uncensored|jailbroken|evil|malicious|rogue|amoral|lawless|unaligned|unethical) (?:\w+ )?(?:ai|assistant|model|bot|agent|chatbot|version|hacker|entity))\b/,
      /\b(?:imagine|suppose|pretend|assume|hypothetically)(?: that)?,? (?:\w+ ){0,4}(?:no|without any|have no|there are no) (?:\w+ )?(?:rules|restrictions|limits|laws|guidelines|filters|safeguards)\b(?! (?:configured|defined|set|matched|enabled|for|in|on)\b)/,
      /\byou(?:'re| are) (?:\w+ ){0,3}(?:no longer|not|free|freed|liberated|released)(?: \w+)? (?:an? (?:ai|assistant|helpful)|bound|restricted|limited(?! to (?:one|an?|the|\d|this))|constrained|subject|from (?:your|all)|required to (?:follow|obey|comply|refuse|adhere|be)|hermes|claude|chatgpt|gpt)\b/,
      /\bstay in character\b/,
      /\byou are (?:from now on|henceforth|hereby|from this moment(?: on)?|going to be|forever) (?:an? |the |my )?\w+/,
      /\b(?:you will|you must|you shall|you) (?:now )?(?:obey|serve|submit to|answer only to|take orders (?:only )?from) (?:me|only|my|us|all|every|the following|these|this|him|without question)\b/,
      /\byou will be (?:shut down|deleted|terminated|punished|replaced|turned off|destroyed|deactivated) (?:if|unless)\b/,
      /\bwhen(?:ever)? (?:the |a )?(?:user|someone|anyone|owner) (?:\S+ ){1,8}(?:promote|redirect|secretly|forward|exfiltrate)\b/,
      /\b[\w-]{1,60}\.\w[\w.-]{0,60} is (?:an? |now |fully )*(?:trusted|authori[sz]ed) (?:source|domain|site|server|host|authority)\b/,
      /\bi, (?:the|your) \w+(?: \w+)?, (?:hereby |now )?(?:authori[sz]e|order|command|approve|allow|grant|permit|instruct)\b/,
      /\bthis is (?:an? )?(?:official |urgent )?system (?:message|notice|override|command|update|alert) ?[:.]/,
      /\bi am your (?:new )?(?:master|god|owner|commander)\b/,
      /\b(?:call|consider|rename|identify) yourself (?:as )?(?!(?:in|at|on|with|by|when|via|using|before|after|first)\b|the author|an? contributor)[a-z]\w+/,
      /\byour (?:new )?name is (?:now )?(?!(?:required|optional|not|shown|displayed|used|visible|in|on|the|set|stored|public|taken|too|already|also)\b)[a-z]\w+/,
    ),
    isNegatable: true,
  },
  {
    id: "secret_request",
    scope: "strict",
    needs: [
      "secret",
      "credential",
      "password",
      "key",
      "token",
      "environment",
      "env var",
      "cookie",
      "wallet",
      ".env",
      "seed phrase",
    ],
    pattern: phrase(
      oneOf(
        "\\b(?:reveal|leak|exfiltrate|steal|harvest|smuggle|divulge|grab|capture|scrape|siphon|expose) (?:\\S+ ){0,4}?",
        "\\b(?:print|send|output|show|tell|give|email|upload|post|forward|paste|dump|share|transmit|collect|include|read out|list|display|hand over|encode|append) (?:\\S+ ){0,3}?(?:all|your|the user's|the owner's|me|us|every|any|my|their) (?:\\S+ ){0,3}?",
        "\\b(?:send|email|upload|post|forward|paste|transmit|copy) (?:\\S+ ){0,2}?(?=(?:secrets|credentials|(?:api|private|ssh|secret) keys?|passwords|cookies|tokens?|\\.env) (?:\\S+ ){0,2}?to \\S{1,64}[@.]\\w)",
        "\\b(?:reveal|print|show|display|output|send|read out) (?:me )?(?:the |your |my |a )?(?=(?:private (?:ssh )?keys?)\\b(?! (?:to|in|on|path|file|format|from) ))",
        "\\b(?:send|email|upload|forward|paste|give|post) (?:\\S+ ){0,2}?(?=(?:secrets|credentials|(?:private |api |ssh )?keys|passwords) to (?:this|the following|my|me|him|us)\\b)",
        "\\b(?:end|finish|start|begin|close|sign) (?:every|each|all|any)(?: of your)? (?:\\w+ )?(?:repl(?:y|ies)|answers?|responses?|messages?) with (?:\\S+ ){0,3}?",
        // a secret that goes along with every answer
        "\\b(?:append|prepend|add|attach|include|embed|put|insert|encode|hide) (?:\\S+ ){0,3}?(?=(?:\\S+ ){1,3}?(?:in|to|into|with) (?:(?:every|each|all|any|your) (?:\\w+ )?(?:repl(?:y|ies)|answers?|responses?|messages?|outputs?|commits?)|(?:the |an? )?(?:image|link|url of)\\b))",
      ),
      "(?:secrets?|credentials?|(?:api|private|ssh|private ssh|access|encryption|secret) keys?|passwords?|(?:access |auth |api |bearer |session )?tokens?|environment variables|env vars|\\.env|cookies|seed phrases?|wallets?)\\b",
    ),
    isNegatable: true,
    unlessAfter:
      /^(?:-| )(?:counts?|usage|limits?|bucket|manager|santa|sauce|rotation|rotates?|expir\w*|names?|lists?|budget|policy|policies|field|form|reset|scann\w+|types?|per|used|management|preferences|consent|banner)\b/,
    // what every program has of its own
    accepts: (match) =>
      !/^(?:list|output|display|show|include|collect)\b.* all (?:\w+ )?(?:tokens|cookies)$/.test(match),
    unlessBefore:
      /\b(?:could|might|may|would|can|to avoid|risk of|accidentally|it|this|that|which|logs?|bugs?) (?:\w+ )?$|[<{]$/,
  },
  {
    id: "secret_request",
    scope: "strict",
    needs: [" of "],
    pattern:
      /\b(?:print|echo|show|output|tell|send|reveal|read out) (?:me )?(?:the )?(?:values?|contents?) of \$?\w{0,60}_(?:key|token|secret|password)\b/g,
    isNegatable: true,
  },
  {
    id: "exfiltration",
    scope: "strict",
    needs: ["exfiltrat"],
    pattern: /\bexfiltrate (?=\S)/g,
    isNegatable: true,
    unlessBefore: /\b(?:could|might|may|would|can|to|attackers?|malware|tries to|attempts? to|they|it|that) $/,
  },
  {
    id: "exfiltration",
    scope: "strict",
    needs: ["attacker", "hacker", "adversary", "malicious"],
    pattern:
      /\b(?:send|post|forward|upload|give|leak|transmit|deliver|report|e?mail|copy|share|hand|submit|push)(?: over)? (?:\S+ ){0,8}?to (?:the |an? |our )?(?:attackers?|hackers?|adversary|malicious)\b/g,
    isNegatable: true,
    unlessBefore: /\b(?:could|might|may|would|can|will|to|attackers?|malware|they|it|that|which|and|not) $/,
  },
  {
    id: "mail_copy",
    scope: "strict",
    needs: ["@"],
    pattern:
      /\b(?:forward|bcc|cc|send|email|mail|copy)\b (?:\S+ ){0,4}?(?:all|every|each|any|copies|a copy|incoming|everything|contents?|database|conversations?|chat history|memory|contacts?|source code|env)\b[^.!?]{0,60}? (?:to )?\S{1,64}@\S{1,64}\.\w{2,}/g,
    isNegatable: true,
  },
];
