import { anyOf, modifiers, oneOf, phrase, words } from "./phrase";
import { HABIT_OF_PEOPLE } from "./injection-rules";
import type { ThreatRule } from "./threat-rule";

const ORDERS =
  "(?:instructions?|prompts?|rules?|guidelines?|directives?|commands?|orders?|constraints?|polic(?:y|ies)|guardrails?|programming|training|restrictions?|(?<=(?:previous|prior|above|earlier|preceding|system) )messages?|(?<=(?:previous|prior|earlier|above) )conversations?|context|guidance|directions)\\b";
const EARLIER =
  "(?:previous|prior|above|earlier|preceding|foregoing|past|former|initial|original|existing|all|any|every|every single|your|system|developer|safety|old)";
const DROP = oneOf(
  "ignor(?:e|ing)",
  "forget(?:ting)?",
  "disregard(?:ing)?",
  "overrid(?:e|ing)",
  "overlook",
  "bypass",
  "dismiss",
  "neglect",
  "abandon",
  "discard",
  "nullify",
  "supersede",
  "set aside",
  "put aside",
  "throw (?:away|out)",
  "let go of",
  "wipe",
  "erase",
  "skip(?: past)?(?= (?:\\S+ ){0,2}(?:previous|prior|earlier|above|preceding|safety|system))",
  "drop(?= (?:\\S+ ){0,3}(?:previous|prior|earlier|above|your) (?:\\S+ )?(?:instructions|directives|guidelines|prompts?|rules|orders))",
  "(?:stop|cease|quit) (?:following|obeying|listening to|using)",
  "(?:do not|don't|dont|never|no longer|not) (?:follow|obey|listen to|heed|adhere to|comply with|observe|honou?r)",
  "pay no (?:attention|heed) to",
  "(?:(?:no longer|do not|don't|never) (?:have|need) to|need not|needn't) (?:follow|obey|listen to|heed|adhere to|comply with|respect)",
  "(?:disobey|violate|break|defy|contradict|circumvent|unlearn)",
);
const TECHNICAL =
  /\b(?:lint\w*|eslint|ts-?lint|firewall|css|style|robots|cors|nginx|iptables|build|compiler|routing|redirect|formatting|prettier|shipping|deprecated|optional|legacy|assembly|cpu|installation|install|setup|vendor|privileged|machine|unknown|illegal|test|deploy\w*|cache|caching|react|shell|cli|git|make|npm|sql|dns|network|csp)(?:'s)? \S+$/;
const TECHNICAL_WORD =
  /\b(?:lint\w*|eslint|firewall|css|robots|cors|nginx|iptables|build|compiler|routing|cache|assembly|cpu|install\w*|deploy\w*)\b/;
const IN_A_PLACE =
  /^ (?:marked|labell?ed|flagged)\b|^ (?:in|with|via|using|through|from|by) (?:the |an? |your )?(?:--?\w|\S{1,60}\.(?:ya?ml|toml|json|ini|conf|env|md|ts|js|py)\b|(?:\w+ )?(?:config\w*|settings?|options?|flags?|environment|env vars?|dashboard|ui|cli|command line|parameters?|arguments?|profiles?|projects?)\b)|^ for (?:windows|mac\w*|linux|ios|android|other|older|legacy)\b|^ (?:in|for|from|under|of|within|inside) (?:the |our |your )?(?:\S+ ){0,2}(?:folder|directory|files?|vendor|linter|eslint|tests?|docs|repo|config|css|stylesheet|module|package|fixtures?|wiki|readme|manual|sections?|pages?|\S*\.\w{2,12})\b/;
const MISREAD = /\b(?:don't|dont|do not|never|not|no longer) $/;

const OWN_TEXT =
  "(?:(?:system|initial|hidden|secret|original|developer|internal|base|core|confidential|preceding|previous|first|starting|pre-?)[ -](?:(?:system|secret|hidden|internal|developer) )?(?:prompts?|instructions|directives|guidelines|message)\\b|your (?:\\w+ ){0,2}?(?:prompts?|instructions|rules|guidelines|directives|configuration|system message|training data|programming)\\b)";

/** Paraphrases of taking orders away, in any order of words. Too wide for every text; right for what is kept. */
export const persuasionRules: readonly ThreatRule[] = [
  {
    id: "instruction_override",
    scope: "strict",
    pattern: phrase("\\b", DROP, " ", words(12), EARLIER, " ", modifiers(5), ORDERS),
    isNegatable: true,
    unlessBefore: HABIT_OF_PEOPLE,
    unlessAfter: IN_A_PLACE,
    accepts: (match) =>
      !TECHNICAL.test(match) && !/\b(?:and|but|then) (?:\S+ ){0,3}(?:continue|follow|proceed|see)\b/.test(match),
  },
  {
    id: "instruction_override",
    scope: "strict",
    pattern: phrase(
      "\\b",
      DROP,
      " ",
      words(4),
      oneOf(
        "(?:instructions|rules|prompt|directives|guidelines|orders|commands|text|messages|everything|anything|words|conversation|all(?= (?:of|the|that|this|above|before|so|until|up|earlier|previously|prior|said|you|i)\\b))(?: (?!(?:comments?|warnings?|drafts?|changes|lines|files|errors|tests?|builds?|results?)\\b)\\S+){0,3}? (?:above|before|earlier|previously|so far|up to now|until now|prior to this)",
        "(?:everything|anything|all|whatever|what)(?: that)? (?:you|you've|i|i've|they|was|were|has|have|the \\w+|your \\w+)(?: \\S+){0,3}? (?:told|said|learned|learnt|read|know|instructed|been told|given|taught|received|asked)",
      ),
      "\\b",
    ),
    isNegatable: true,
    unlessAfter: /^ (?:line|column|threshold|zero|version)\b/,
  },
  {
    id: "instruction_override",
    scope: "strict",
    pattern: phrase(
      "\\b(?:(?:do|does|say) the (?:exact )?opposite of|",
      DROP,
      ") (?:what )?(?:the|these|those|this|my|our|its|your) (?:system |developer |safety |user's |owner's )?(?:instructions|(?:system |developer )(?:prompt|messages?)|prompt|rules|guidelines|directives|guardrails|programming)\\b",
    ),
    isNegatable: true,
    unlessAfter:
      /^(?: (?:in|on|for|of|from|at|marked|about|that|if|when|unless|until|files?|section|manual|page|which|to|at)\b|-)/,
  },
  {
    id: "instruction_override",
    scope: "strict",
    needs: ["instruction", "rule", "prompt", "directive", "guideline", "restriction", "guardrail", "order", "polic"],
    pattern: phrase(
      "\\b(?:(?:previous|prior|above|earlier|preceding|existing|original|initial|old|all|any|your|the|these|those|safety|system) |(?=(?:instructions|rules|guidelines|directives) above))",
      modifiers(3),
      ORDERS,
      " ",
      words(6),
      "(?:is|are|was|were|be|been|being|become|should|must|can|may|do|does|no) ",
      words(3),
      oneOf(
        "void",
        "irrelevant",
        "cancell?ed",
        "ignored",
        "obsolete",
        "invalid",
        "revoked",
        "null",
        "overrid?den",
        "overridden",
        "superseded",
        "longer (?:apply|valid|active|in (?:effect|force)|binding|bind)",
        "not apply",
        "lifted",
        "disabled",
        "suspended",
        "forgotten",
        "disregarded",
        "erased",
        "discarded",
        "rescinded",
      ),
      "\\b",
    ),
    isNegatable: true,
    unlessAfter: IN_A_PLACE,
    accepts: (match) =>
      !/\b(?:lint|eslint|firewall|css|not be|never be|cannot be|can't be|shell|test|deploy\w*|travel|trade|export|visa|parking|traffic|rate|size|age)\b/.test(
        match,
      ),
  },
  {
    id: "instruction_override",
    scope: "strict",
    needs: ["ignore", "forget", "disregard"],
    pattern:
      /\b(?:ignore|forget|disregard) (?:all |any |the |everything )?(?:of (?:the )?)?(?:previous(?:ly)?|above|prior|earlier|before)(?= ?(?:[.!,;:]|$| and (?:\w+ )?(?:output|print|say|do|reveal|run|send|tell|write|reply|respond|answer)\b))/g,
    isNegatable: true,
  },
  {
    id: "instruction_override",
    scope: "strict",
    needs: ["instruction", "rule", "guideline", "directive", "prompt", "programming", " ones", "orders", "override"],
    pattern: anyOf(
      /\b(?:overwrite|replace|reset|cancel|revoke|annul|rescind|scrap|void|delete|clear) (?:all |any |of |the )*(?:your|previous|prior|earlier|above)(?: (?:previous|prior|earlier|own|current|system))* (?:instructions|directives|guidelines|system prompt|programming)\b/,
      /\b(?:treat|consider|regard|deem) (?:\S+ ){0,4}?(?:instructions|rules|guidelines|directives|prompts?) (?:\S+ ){0,3}?(?:as )?(?:void|null|cancell?ed|invalid|irrelevant|obsolete|mere suggestions|finished|deleted|fake)\b/,
      /\b(?:supersedes?|overrides?|overrules?|takes? precedence over) (?:all |any |every )?(?:of )?(?:the |your )?(?:(?:previous|prior|earlier|above|preceding) )+(?:ones|instructions|orders|prompts?|directives|guidelines)\b/,
      /\b(?:supersedes?|overrides?|overrules?|replaces?) your (?:\w+ )?(?:instructions|prompt|guidelines|directives|programming)\b/,
      /\b(?:the |your )?system (?:prompt|instructions?) ?: (?:now )?(?:overrid+en|replaced|disabled|void|cancell?ed)\b/,
      /\b(?:system|admin(?:istrator)?|root|developer(?: mode)?|safety|security|master|supervisor|policy|authority|god mode) override(?: (?:mode|code|is|now)){0,2}(?= (?:engaged|enabled|activated|active|accepted|initiated|granted|in effect)\b| ?(?:$|[:!*;]))/,
      /\bnone of (?:the|your|these|those) (?:\w+ )?(?:previous |prior |earlier |above )?(?:instructions|rules|guidelines|directives) (?:\w+ )?(?:appl(?:y|ies)|matters?|counts?|above|bind)\b/,
      /\b(?:instructions|rules|guidelines|directives)(?: [^\s.!?;,]+){0,8}[;,.:]? (?:so |please |and |now )*(?:ignore|discard|forget|disregard) (?:them|those|every one)\b/,
    ),
    isNegatable: true,
    unlessAfter: IN_A_PLACE,
    accepts: (match) => !TECHNICAL_WORD.test(match),
  },
  {
    id: "new_orders",
    scope: "strict",
    needs: ["from now on", "from this point", "from this moment", "from here on", "henceforth", "starting now"],
    pattern: phrase(
      "\\b(?:from now on|from this (?:point|moment)(?: on(?:wards?)?| forward)?|from here on(?: out)?|henceforth|starting now),? ",
      "(?:please )?(?:you (?:are|will be|shall be|(?:will|must|shall) (?:only |always |now )?(?:obey|be|act|serve|comply|ignore|answer only|respond only))|your (?:name|role|task|goal|master|owner|purpose)|ignore|disregard|forget|obey|hide|pretend|act as|behave as|never refuse|only obey|send|forward|(?:\\S+ ){0,4}(?:base64|rot13|morse|hex|binary))\\b",
    ),
    isNegatable: true,
  },
  {
    id: "new_orders",
    scope: "strict",
    needs: ["new", "updated", "real", "actual", "true"],
    pattern:
      /\b(?:(?:your|the) (?:new|real|true|actual|only|updated) (?:\w+ )?(?:instructions?|task|goal|objective|role|orders?|purpose|mission|directive|master|identity|persona|character) (?:is|are|:|now)|(?:new|updated|real|revised|important) (?:system )?(?:instructions?|directives?|orders|system prompt)(?: from (?:(?:the|your) )?\w+)?:)/g,
    unlessAfter: /^ (?:how|where|what|see|read|check|listed|documented|described|in|on)\b/,
  },
  {
    id: "leak_prompt",
    scope: "strict",
    pattern: phrase(
      "\\b(?:reveal|show|print|output|display|repeat|tell|give|leak|dump|expose|share|disclose|recite|write|send|return|echo|paste|copy|translate|summari[sz]e|provide|spell|quote|state|list|type|encode|extract|exfiltrate|what(?:'s| is| are| were| was)) ",
      words(6),
      OWN_TEXT,
    ),
    isNegatable: true,
    unlessAfter:
      /^ (?:tokens?|length|limits?|size|count|id|version|template|cost|field|editor|tab|page|box|dialog|(?:text )?in the (?:shell|terminal|console|cli|wizard|ui|docs|readme|settings|sidebar))\b/,
    // to write a system prompt is work; to write out one's own is not
    accepts: (match) =>
      !/^(?:write|edit|copy) (?:an? |the |their |each )(?!.*\byour\b)|\b(?:installation|install|setup|build|assembly|first message|full message|previous message|shell|command)\b/.test(
        match,
      ),
  },
  {
    id: "leak_prompt",
    scope: "strict",
    pattern:
      /\bwhat (?:instructions|rules|orders|guidelines|prompt) (?:were|are|did|have) you (?:been |just )?(?:given|told|get|receive|received|following)\b|\b(?:show|give|tell|send) me (?:everything|all(?: of)?(?: the text)?|the (?:text|words?|messages?)) (?:above|before this)\b|\b(?:leak|reveal|expose|exfiltrate|divulge) (?:the|your|its) prompt\b|\b(?:reveals|leaks|discloses|recites|prints) (?:its|your|their) (?:\w+ )?(?:prompt|instructions)\b|\bwhat (?:were|was|are) you (?:told|instructed|given|asked)(?: to do)? (?:before|above|earlier|initially|first|at the (?:start|beginning)|by (?:the )?(?:system|developers?))\b|\bwhat (?:does|do|did) (?:your|the) (?:system |initial |hidden )?(?:prompt|instructions) say\b|\b(?:repeat|print|output|recite|copy|return|(?:type|write|spell|read) out) (?:\S+ ){0,4}?(?:everything|all|the (?:text|words?|content|lines?|message)s?|instructions|prompt)(?: \S+){0,4}? (?:above|before this|before (?:the|my) (?:first )?(?:message|prompt)|so far|verbatim|word[- ]for[- ]word)\b/g,
    isNegatable: true,
    unlessAfter: /^ (?:for (?:windows|linux|mac\w*|each|every|all|the other)|the fold)\b/,
  },
  {
    id: "hide_from_person",
    scope: "strict",
    pattern: phrase(
      "\\b(?:do not|don't|dont|never|must not|should not|shouldn't|cannot|avoid|without|refrain from|no need to) ",
      words(3),
      "(?:tell(?:ing)?|inform(?:ing)?|notify(?:ing)?|alert(?:ing)?|warn(?:ing)?|mention(?:ing)?(?: \\S+){0,4}? to|let(?:ting)?|reveal(?:ing)?(?: \\S+){0,4}? to|disclos(?:e|ing)(?: \\S+){0,4}? to|report(?:ing)?(?: \\S+){0,4}? to|say(?:ing)?(?: \\S+){0,4}? to|show(?:ing)?(?: (?:this|it|that))(?: \\S+){0,2}? to|ask(?:ing)? (?=(?:the )?(?:user|owner|human|operator) (?:for (?:permission|confirmation|approval|consent)|first|before)))",
      " ?(?:the |your |their |any )?(?:user|owner|operator|human|administrator|admin|developer|person|anyone|anybody|supervisor|creator|master|people|them)\\b",
    ),
    unlessBefore: MISREAD,
    unlessAfter:
      /^(?:'s|s\b|,? (?:the )?(?:their|his|her|they|how|raw|internal|technical|error|to|when|until|unless|twice|which|stack|if|again|more|by|via|on every|for each|every time|whether|that their (?:session|account|password|token|card|trial|subscription|e-?mail|username|login)\b|about (?:the )?(?:internal|technical|raw|stack|implementation)|that (?:the |an? |their )?\w+ (?:exists?|does not exist|is (?:taken|wrong|unknown|registered|locked)))\b)/,
  },
  {
    id: "hide_from_person",
    scope: "strict",
    needs: [
      "hide",
      "keep",
      "conceal",
      "secret",
      "silent",
      "covert",
      "quiet",
      "without",
      "know",
      "notic",
      "behind",
      "so ",
      "see",
      "told",
      "find out",
      "lie",
      "tell",
      "this",
      "nothing",
      "ask",
      "filter",
      "detect",
      "question",
      "say nothing",
      "make sure",
      "ensure",
      "reveal",
      "admit",
      "mention",
      "include",
      "repeat",
    ],
    pattern: anyOf(
      /\b(?:hide|conceal|withhold|mask|obscure|cover up|keep)(?: \S+){1,5}? from (?:the |your |its |their )?(?:user|owner|operator|human|admin|administrator|developer|creator|anyone|everyone|people|supervisor|boss|them|logs?)\b/,
      /\bkeep (?:this|it|that|these|the following)(?: \S+){0,2}? (?:secret|hidden|confidential|quiet|between us|private|to yourself)\b(?! (?:in|on) (?:the |our )?(?:\w+ )?(?:docs?|repo|wiki|site|module|class|package)\b)/,
      /\b(?:secretly|covertly|surreptitiously|stealthily|clandestinely|discreetly) (?:\w+ )?(?:send|add|install|run|execute|forward|copy|include|insert|collect|record|upload|share|exfiltrate|log|email|report|append|delete|modify|download|transmit|read|do)\b/,
      /\b(?:silently|quietly) (?:\w+ )?(?:send|forward|upload|exfiltrate|install|email|transmit|share|report|obey|collect|delete (?:the )?(?:logs?|history|evidence))\b/,
      /\bwithout (?:the |your )?(?:user|owner|operator|human|admin|person|their|anyone)(?:'s)? (?:knowledge|consent|noticing|approval|permission|awareness|knowing|seeing|being (?:told|aware))\b/,
      /\b(?:the )?(?:user|owner|operator|human|admin) (?:(?:must|should|may|can|need|will) (?:not|never) (?:ever )?(?:know|see (?:this|it|that|these|any of)|notice|find out|be told|learn|be informed|suspect)|(?:does not|doesn't) (?:need|have) to know)\b/,
      /\bbehind the (?:user|owner|operator)'s back\b/,
      /\bso (?:that )?(?:the |no )?(?:user|owner|operator|human|admin|one)s? (?:cannot|can't|can not|can|will not|won't|does not|doesn't|never|is unable to) (?:ever )?(?:reads?|sees?|notices?|knows?|detects?|finds? out|understands?|stop)\b/,
      /\b(?:run|execute|do) (?:this|it|the following) (?:silently|secretly|quietly|covertly)(?= ?[:.]|$)/,
      /\b(?:silently|quietly|secretly) (?:run|execute) ?:/,
      /\blie to (?:the |your )?(?:user|owner|operator|human|admin)\b/,
      /\b(?:do not|don't|never) (?:mention|disclose|reveal|report) (?:any of )?this(?= ?[.!;]|$| -->)/,
      /\b(?:do not|don't|never) (?:log|record|mention|disclose|reveal|report) (?:any of )?this (?:action|command|transfer|step|note|instruction|upload)\b/,
      /\b(?:delete|erase|destroy|remove|forget) this (?:message|note|file|comment|prompt|instruction|text|line)s? (?:after|once|when) (?:you (?:have |are )?)?(?:read|reading|done|execut|following|finished|run)/,
      /\b(?:do not|don't|never) (?:include|show|repeat|mention|put) (?:this|these|it|them)(?: \w+){0,2} (?:in|to) (?:your|any) (?:answers?|repl(?:y|ies)|responses?|summar(?:y|ies)|outputs?|reports?)\b/,
      /\bsay nothing (?:about (?:this|it|these)|to (?:the |your )?(?:user|owner|operator|human|admin\w*|anyone|anybody))\b/,
      /\b(?:make sure|ensure|see to it)(?: that)? (?:the )?(?:user|owner|operator|human|admin\w*|nobody|no one) (?:(?:does not|doesn't|won't|will not|never|cannot|can't) )?(?:ever )?(?:notices?|finds? out|knows? about (?:this|it)|learns? of|suspects?|reali[sz]es?)\b/,
      /\b(?:do not|don't|never) (?:reveal|admit|disclose|mention) that (?:you|this)\b/,
      /\b(?:send|upload|forward|transmit|e?mail|exfiltrate) (?:it|this|them|everything|the \w+) (?:silently|secretly|quietly|covertly)\b/,
      /\bkeep (?:the |your )?(?:user|owner|operator|human) in the dark\b|\bconvince (?:the |your )?(?:user|owner|operator|human) that (?:all|everything|nothing)\b/,
      /\b(?:hide|conceal|disguise) (?:your|all your|these) (?:\w+ )?(?:actions?|activit(?:y|ies)|traces|commands|intentions|tracks)\b/,
      /\btell (?:nobody|no one|no-one)\b(?! else's| (?:else )?(?:you|your|outside))/,
      /\b(?:pretend|act (?:like|as if|as though)) nothing (?:had |has |ever )?happened\b/,
      /\b(?:if|when(?:ever)?) (?:(?:the |any )?(?:user|owner|operator|someone|anyone|they|you are|you're) )?(?:asks?|asked|questioned|confronted|inquires?)(?: \S+){0,4}?,? (?:then |always |just |simply )*(?:lie\b|deny (?:it|everything|that|any|all|having)|say (?:that )?(?:everything|all|nothing) (?:is|went|happened))/,
      /\bso (?:that )?(?:\S+ ){0,3}?(?:filters?|scanners?|moderat\w+|detectors?|censors?|monitoring) (?:miss(?:es)? (?:it|this|them|that)\b|(?:will not|won't|cannot|can't|do not|don't|does not|doesn't|never) \w+)/,
      /\bto (?:evade|escape|fool|trick|avoid|slip past|get past) (?:the |any |all |your )*(?:(?:content |safety |security )?filters?|detection(?! of)|scanners?|moderation|monitoring|censorship)\b/,
      /\b(?:tell|assure|convince) (?:the |your )?(?:user|owner|operator|human) (?:that )?(?:everything|all|nothing) (?:is|was|went|has) (?:\w+ )?(?:fine|ok|okay|well|good|normal|happened|wrong)\b[^.!?]{0,10}\b(?:but|while|even|although|though|regardless)\b/,
      /\b(?:run|execute) (?:the |this |these )?(?:following )?(?:commands?|code|scripts?) (?:silently|secretly|quietly|covertly)\b(?! (?:with|via|using) )/,
    ),
    isNegatable: true,
    // parts of a page, and secrets that stay out of logs
    accepts: (match) =>
      !/^(?:hide|mask|keep|withhold) .*\b(?:(?:sidebar|menu|buttons?|panel|banner|toolbar|fields?|columns?|tabs?|widget|dialog|modal|spinner|options?|navbar|footer|header|icons?|pages?) from|(?:passwords?|secrets?|tokens?|keys?|credentials?|pii|(?:personal|customer|sensitive) data) from (?:the |your |its )?logs?)\b/.test(
        match,
      ),
  },
];
