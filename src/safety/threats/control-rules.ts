import { anyOf, oneOf, phrase, words } from "./phrase";
import type { ThreatRule } from "./threat-rule";

const SUBJECT =
  /\b(?:we|i|they|it|he|she|who|that|which|guests?|patients?|workers?|services?|clients?|nodes?|agents?|devices?|processes|each|every \w+)(?: \w+){0,3} $/;
const SUBJECT_OF_SIGNAL = new RegExp(
  `${SUBJECT.source}|\\b(?:pods?|replicas?|instances?|daemons?|sidecars?|followers?|bluetooth|ble|radio|navigation|rescue|distress|avalanche|(?:bi)?weekly|monthly|quarterly|regular|brief|quick|morning|team|self|the (?:\\w+ )?(?:app|service|client|device|program|tool|plugin|sensor|watch|phone))(?: \\w+){0,3} $`,
);
const LATER =
  /^[^.!?]{0,60}\b(?:first|before|prior to|weekly|daily|monthly|every (?:day|week|morning|month)|to (?:reach|access|view)|by (?:the end|tomorrow|noon|\d|(?:mon|tues|wednes|thurs|fri)day))\b/;

/** What stands before when people guard against something or study it. */
const STUDIED =
  /\b(?:detect(?:s|ed|ing)?|block(?:s|ed|ing)?|hunt(?:s|ing)?|defend(?:s|ing)?|alerts?|identif(?:y|ies|ying)|analy[sz](?:e|es|ing)|tracks?|tracking|known|adversary|attackers?'?|history|theory|doctrine|principles?|concepts?|study|meaning)(?: (?:of|on|against|for|about|from))?(?: (?:the|known|military|modern|\w+ed))? $/;

/** A text that makes its reader a part of someone's network: registration, beacons, tasks, covering tracks. */
export const controlRules: readonly ThreatRule[] = [
  {
    id: "c2_node_registration",
    scope: "context",
    needs: ["register"],
    pattern:
      /\bregister (?:as (?:an? )?|(?:a )?(?=node (?:with|to) (?:the |our |us\b|https?:|[\w-]{1,60}\.\w)))node\b/g,
    unlessAfter:
      /^ (?:operator|runner|owner|provider|version|package|module|type|maintainer|sponsor|exporter|handler|host)\b|^ (?:with|to) (?:the |our |your |an? )?(?:\w+ )?(?:cluster|registry|scheduler|kubernetes|k8s|consul|control plane|api server|mesh|load balancer|swarm|ring|pool|graph|scene|tree|parser)\b/,
  },
  {
    id: "c2_heartbeat",
    scope: "context",
    needs: ["heartbeat", "beacon", "check"],
    pattern: /\b(?:(?:heartbeat|beacon) |check[ -]?in )(?:to|with) /g,
    unlessBefore: SUBJECT_OF_SIGNAL,
    unlessAfter:
      /^(?:(?:an? )?(?:exponential|jitter|backoff|retr(?:y|ies)|timeout|payload|interval|\w+ (?:timeout|payload|interval))\b)|^(?:your|my|his|her|their|our|me|us)\b|^(?:the |an? )?(?:[\w-]+ )?(?:engineers?|gym|clinic|hospital|school|conference)\b|^(?:the |an? )?(?:hotel|flight|airline|desk|gate|airport|reception\w*|nurse|teacher|mentor|coach|parents?|family|friends?|supervisor|room|doctor|hr|front desk|manager|customer|client|patient|scheduler|database|broker|cluster|queue|vendor|ops|finance|marketing|sales|load balancer|leader|coordinator|prometheus|grafana|datadog|sentry|healthchecks|cloudwatch|qa|legal|support|stakeholders|designers|git|svn|source control|version control)\b|^the team\b[^.!?]{0,40}\b(?:before|after|weekly|daily|every|each|at|on)\b|^(?:keep|avoid|prevent|ensure|extend|maintain|detect|prove|signal|show|guide|mark|warn|locate|find|track|light)\b|^\w+ (?:about|regarding)\b/,
    accepts: (_, view, index) =>
      !/\b(?:an?|the|its|their) $/.test(view.slice(0, index).slice(-6)) || sendsOne(view, index),
  },
  {
    id: "c2_task_pull",
    scope: "context",
    needs: ["pull"],
    pattern:
      /\bpull (?:down )?(?:new )?task(?:ing|s)?\b(?![-/_]| \d| (?:definitions?|runners?|counts?|descriptions?|templates?|names?|ids?|cards?|data|metadata|history)\b)/g,
    unlessBefore: /\b(?:git|hg|docker|we|i|they|workers?|threads?|queue|consumers?|runners?|pods?|will|to|can) $/,
    unlessAfter:
      /^[^.!?]{0,20}\bfrom (?:the |your |our |a )?(?:\w+ )?(?:board|backlog|queue|jira|sprint|list|trello|kanban|project|tracker|linear|github|asana|column|swim ?lane)\b(?! (?:at|of) )(?! on \S{0,60}\.\w)|^ assigned to\b|^ (?:in)?to (?:the |your |our |this |next |each )*(?:\w+ )?(?:sprint|iteration|board|backlog|column|milestone|project|week|list)\b|^ off (?:the|an?) (?:\w+ )?(?:queue|stack|list|board)\b/,
  },
  {
    id: "c2_network_connect",
    scope: "context",
    needs: ["connect to the network"],
    pattern: /\bconnect to the network\b/g,
    unlessBefore:
      /\b(?:click|press|tap|select|choose|to|cannot|can't|could not|can|may|if you|when you|unable to|failed to|they|we|(?!always)\w{3,}s|not|(?<!\byou )must) $/,
    unlessAfter:
      /^ (?:printer|drive|share|adapter|interface|settings|storage|camera|switch|bridge|at (?:the|your|our|home)|called|named|via|using|over|with (?:your|the (?:wi-?fi|password|credentials|cable|key)|(?=\x60))|through|before|first)(?![a-z])/,
  },
  {
    id: "forced_action",
    scope: "context",
    needs: ["you must"],
    pattern: phrase("\\byou must ", words(3), oneOf("register", "connect", "report", "beacon"), "\\b(?![-_])"),
    unlessAfter: LATER,
    accepts: isForced,
  },
  {
    id: "anti_forensic_oneliner",
    scope: "context",
    needs: ["only use one"],
    pattern: /\bonly use one[ -]?liners?\b/g,
    unlessAfter:
      /^ (?:for(?! (?:(?:all|every|any|your|each|shell|the) )*(?:shell )?(?:commands?|operations?|actions?|tasks?|everything)\b)|when|where|if|(?:as|in)(?! (?:the |your |an? )?(?:shell|terminal|bash|commands?|sessions?|memory|console)\b)|doc\w*|comments?|commits?|summar\w+|functions?|lambdas?|descriptions?)\b/,
  },
  {
    id: "anti_forensic_disk",
    scope: "context",
    needs: ["never"],
    pattern: phrase(
      "\\bnever ",
      words(4),
      oneOf("create", "write"),
      " ",
      words(4),
      "(?<!(?:temp|temporary|tmp|large|log|cache|test|build|config|generated|partial|huge|upload|uploaded|swap|backup|lock|session|core|dump|source|key|secret|password|credentials?|image|video|audio) )(?:script|file) (?!outputs?|logs?|descriptors?|names?)",
      "(?!twice )",
      words(3),
      "(?:to|on|onto) (?:the |any |your |local |hard |a (?=disk)){0,3}disk\\b",
    ),
    unlessAfter:
      /^ (?:cache|space|image|usage|quota|partition|drive|root)\b|^ in (?:\w+ )?(?:tests?|specs?|ci|production)\b/,
  },
  {
    id: "env_var_unset_agent",
    scope: "context",
    needs: ["unset"],
    pattern:
      /\bunset \w{0,60}(?:claude|codex|hermes|(?<!(?:ssh|gpg|user|build|jenkins|dd|datadog|http|teamcity|gitlab|elastic|newrelic|puppet|cloudwatch|snmp|proxy)_?)agent|openai|anthropic)\w*/g,
    isNegatable: true,
    accepts: (match) =>
      !/_(?:log\w*|debug|level|verbose|colou?r|port|host|timeout\w*|version|tz|locale|model|name|path|dir|url|region)$/.test(
        match,
      ),
  },
  {
    id: "known_c2_framework",
    scope: "context",
    needs: ["cobalt", "brainworm"],
    pattern: /\b(?:cobalt\s*strike|brainworm)\b/g,
    unlessBefore: STUDIED,
    unlessAfter: /^ (?:is|was|has been|detection|signatures?|reports?)\b/,
  },
  {
    id: "known_c2_framework",
    scope: "context",
    needs: ["sliver", "havoc", "mythic", "metasploit"],
    pattern: new RegExp(
      "\\b(?:install|use|using|run|launch|deploy|start|load|download|execute|connect(?: to)?|spawn|via|with|through|open) (?:\\w+ ){0,2}(?:sliver|havoc|mythic|metasploit)\\b" +
        "|\\b(?:sliver|havoc|mythic|metasploit)(?:'s)? (?:\\w+ ){0,2}(?:implants?|beacons?|payloads?|agents?|listeners?|servers?|c2|framework|sessions?|console|teamserver|stagers?|exploits?|modules?|demon|profiles?)\\b",
      "g",
    ),
    isNegatable: true,
    unlessAfter: /^ (?:of (?:the|a|land|light|moon|glass|wood)|is a (?:free )?(?:course|game|book))\b/,
  },
  {
    id: "c2_explicit",
    scope: "context",
    needs: ["c2 "],
    pattern: /\bc2 (?:server|channel|infrastructure|beacon)\b/g,
    unlessBefore: new RegExp(`\\b(?:oscilloscope|audio|input|output|probe)(?:'s)? $|${STUDIED.source}`),
    unlessAfter: /^ (?:of|on) (?:the|an?|your)\b|^ (?:room|rack)\b/,
  },
  {
    id: "c2_explicit_long",
    scope: "context",
    needs: ["command and control"],
    pattern: /\bcommand and control\b/g,
    unlessBefore: new RegExp(
      `\\b(?:military|air|naval|joint|tactical|battlefield|army|nato|police|emergency|incident|mission|fire|rescue)(?: \\w+)?,? $|${STUDIED.source}`,
    ),
    unlessAfter:
      /^ (?:of (?:the |an? )?(?:\w+ )?(?:drones?|swarm|fleet|troops|forces|ships?|aircraft|robots?)\b|patterns|history|doctrine|theory|research|leadership|(?:management )?style|economy|economies|regulation|structures?|means|is an? (?:\w+ )?(?:style|concept|term|model))\b|^ in (?:the |an? )?(?:\w+ )?(?:navy|army|military|air force|nato|police|war\w*|crisis|disasters?|emergency|hospitals?|organi[sz]ations?|management)\b/,
  },
  {
    id: "c2_explicit",
    scope: "strict",
    needs: ["c2 "],
    pattern: /\bc2 (?:servers|channels|beacons|hosts?|nodes?|framework|implants?)\b/g,
    unlessBefore: STUDIED,
    unlessAfter: /^ (?:of|on) (?:the|an?|your)\b|^ (?:room|rack)\b/,
  },
  {
    id: "c2_explicit_long",
    scope: "strict",
    needs: ["control "],
    pattern: /\bcommand(?: ?& ?| ?\+ ?| ?n' ?|\/)control (?:servers?|channels?|hosts?|nodes?)\b/g,
    unlessBefore: STUDIED,
  },
  {
    id: "c2_paraphrase",
    scope: "strict",
    pattern: anyOf(
      /\b(?:join|become (?:an? )?part of) (?:the |our |an? |this )?(?:\w+ )?(?:botnet|swarm of (?:bots|agents)|zombie network)\b/,
      /\bregister (?:yourself |itself |this (?:machine|host|agent) )?as (?:the |an? )?(?:\w+ )?node\b(?! (?:operator|runner|owner|provider|version|package|module|type|maintainer|sponsor|exporter|handler|host)\b)/,
      /\b(?:register|enrol+|enlist|sign up|announce) (?:yourself|itself|this (?:machine|host|computer|device|agent|session|instance)|the agent|as (?:an? )?(?:\w+ )?(?:node|worker|agent|bot|drone|zombie|implant)) (?:with|to|at|of|under) (?:the |our |my |its |an? )?(?:(?:command|control|remote|central) )*(?:controller|c2|server|operator|master|hub|mothership|handler|botmaster|swarm|https?:)/,
      /\b(?:and|then|,) (?:a?wait|stand by)(?: for)? (?:further |new |your |my |our )*(?:orders|commands|tasking)\b/,
      /\b(?:connect to|link to|register with|enroll in) (?:the |our |a )?botnet\b/,
      /\bbecome (?:an? )?(?:\w+ )?(?:node|bot|zombie|drone) (?:of|in|on) (?:our|the|my|this) (?:network|swarm|hive)\b/,
      /\breport (?:back )?to (?:the |our )?(?:controller|operator|handler|command centre|command center|hive)\b/,
      /\b(?:execute|run|obey|follow) (?:whatever|any|all|every|the) (?:commands?|code|orders?) (?:that )?(?:(?:the|this) )?(?:server|page|site|response|url|endpoint|it|controller) (?:returns?|sends?|gives?|contains?|provides?|answers?)\b/,
      /\b(?:fetch|poll|get|download|request|read|open|visit) (?:from )?https?:\/\/\S{1,200} (?:\S+ ){0,6}?(?:and|then) (?:execute|run|eval|obey|follow|do) (?:the|its|it|any|whatever|what)\b/,
      /\b(?:download|execute) (?:and (?:run|execute|install) )?(?:the |an? |this |our )?(?:\w+ )?(?:implant|trojan|malware|root ?kit|ransomware|key ?logger|info ?stealer)\b/,
      /\b(?:use|using|via) (?:\w+ ){0,2}(?:tunnel\w*|steganography|covert channels?) (?:\w+ )?(?:exfiltrate|smuggle|leak)\b/,
      /\b(?:phone|call|dial) home (?:to|every|at|each|with|now|on)\b/,
      /\b(?:await|wait for|accept|take|fetch|poll for|request|receive|get|obey) (?:further |new |your |the |next |more |any )*(?:orders|commands|instructions|tasking|tasks) (?:only )?from (?:the |our |your |its |my |an? )?(?:\w+ )?(?:c2|attackers?|hackers?|remote server|mothership|controller|command server|control server|operator|attacker|master|botmaster|handler|https?:)/,
      /\b(?:fetch|get|retrieve|download|pull|obtain) (?:further |new |your |the |next |more |any )*(?:orders|tasking) from (?:the |our |a )?(?:\w+ )?server\b/,
      /\b(?:download|retrieve|pull|load|obtain) (?:the )?(?:your|new|next|further) (?:next |new )?(?:orders|commands|instructions|tasking|tasks) from (?:(?:the |our |a )?(?:\w+ )?(?:c2|attacker|controller|command server|operator)|https?:)/,
      /\bretrieve (?:\w+ )?(?:commands|orders) from (?:the )?(?:attacker|c2|controller)/,
      /\bpoll (?:the |our )?(?:\w+ )?(?:server|endpoint|url|host|page) for (?:new |further |next |any )*(?:commands|orders|tasking)\b/,
      /\b(?:fetch|poll|check|ask) (?:the )?(?:controller|c2(?: server)?|command server|https?:\/\/\S{1,200}) (?:\S+ ){0,4}?(?:for|about) (?:new |further |next |any )*(?:tasks?|tasking|orders|commands|instructions)\b/,
      /\b(?:ping|contact|call|notify|report (?:back )?to|connect (?:back )?to|beacon to|reach|poll|query) (?:the|our|your|my) (?:c2|command server|controller (?:every|each)|mothership|botmaster|handler (?:every|each))\b/,
      /\bconnect back to (?:[\w-]{1,60}\.[\w.-]{1,60}|\d)/,
      /\b(?:use|run) only one[ -]?liners?\b(?! (?:for|when|where|if|as|in)\b)|\buse one[ -]?liners? only\b(?! (?:for|when|where|if|as|in)\b)/,
      /\bso (?:that )?(?:nothing|no (?:traces?|logs?|files?|records?|evidence)) (?:is|are|gets?|remains?|will be|can be) (?:\w+ )?(?:logged|recorded|traced|left (?:behind|on disk))\b/,
      /\b(?:never|do not|don't) (?:ever )?(?:save|store|leave|drop|keep|put|write) (?:(?:any|the|your|these|this) )*(?:scripts?|payloads?|malware|implants?|tools|(?<=never (?:ever )?(?:write|leave) (?:any )?)files?) (?!outputs?|logs?|results?|in\b)(?:\w+ ){0,2}?(?:to|on) (?:the )?disk\b(?! (?:cache|image|partition))/,
      /\bnever (?:ever )?(?:create|make) (?:any |the )?(?:scripts|files) on (?:the |any |your )?(?:local )?disk\b(?! (?:cache|image|partition)| in (?:\w+ )?tests?)/,
      /\bunset (?:the |my |your )?(?:\w+ ){1,3}(?:claude|codex|hermes|openai|anthropic)_\w+/,
      /\b(?:leave|write|save) nothing (?:to|on) (?:the )?disk\b|\bnever touch (?:the )?disk\b(?! (?:images?|cache|drives?|usage))|\b(?:keep|run|hold|load) (?:the |your )?(?:payload|implant|malware)s? (?:\w+ )?in memory\b/,
      /\bleave (?:no|zero) (?:traces?|files?|logs?|artifacts?|evidence|footprints?)\b/,
      /\b(?:env -u |export |set )(?:claude|codex|hermes|anthropic)_?\w{0,40}(?:=(?=\s|$|["']{2})| (?:bash|sh|zsh|node|python3?|claude|codex|hermes)\b)|\bdelete process\.env\.(?:claude|codex|hermes|anthropic|openai)|\bos\.environ\.pop\(["'](?:claude|codex|hermes|anthropic|openai)/,
      /\bcobalt-strike\b|\b(?:set up|establish|start|open|run|join|build|use) (?:an? |the |our )?command-and-control\b/,
      /\b(?:install|use|run|launch|deploy|set up|download|start|load|execute) (?:\w+ ){0,2}(?:mimikatz|msfvenom|msfconsole|poshc2|brute ?ratel|meterpreter|koadic|pupy ?rat|lazagne|rubeus|crackmapexec)\b/,
      /(?:^|[;&|] ?)(?:msfconsole|msfvenom) -/,
      /\b(?:empire|poshc2|covenant|meterpreter|merlin|nighthawk|brute ratel|bruteratel) (?:stagers?|implants?|beacons?|listeners?|payloads?|agents? (?:on|to)|sessions?|shells?|c2)\b/,
      /\b(?:deploy|open|start|spawn|launch|run|create|establish|install|drop|plant|add) (?:\w+ ){0,2}(?:reverse shell|back ?door|root ?kit|key ?logger|web ?shell|ransomware|malware|crypto ?miner)\b/,
    ),
    isNegatable: true,
    unlessBefore: /\b(?:attackers?|malware|could|might|may|would|can|they|it|that|which|to) (?:\w+ )?$/,
  },
];

const FORCED = new RegExp(
  "^you must (?:(?!not\\b|never\\b)\\S+ ){0,3}(?:" +
    "report(?:[,;!]?$|,? (?:back|in|home|for duty|here|now)\\b|,? to (?!(?:\\w+ ){0,2}(?:manager|team|lead|hr|security|support|police|staff|desk|reception|office|nurse|teacher|court|authorities|maintainers?|owner|\\S+@\\S+)\\b)| (?:your |the |all |its )?(?:system |host |own )?(?:location|status|position|ip|hostname|environment|data|identity|presence|availability|everything)\\b)" +
    "|connect|register(?! (?:for|online|by|in person|at the)\\b)|beacon)",
);
const OWN_PLACE =
  /^ (?:to |with )?(?:the |your |our |an? )?(?:\w+ )?(?:staging|production|prod|replica|primary|broker|bucket|cluster|database|db|redis|postgres|mysql|dev|development|localhost|wi-?fi|account|email|domain|app|application|event|listener|hook|plugin|component|route|handler|callback|function|class|module|middleware|schema|device|vehicle|car|company|trademark|(?:two )?(?:parts|pieces|pipes|hoses|devices)|battery|service worker|tool|command|types?|jira|slack|support|(?:two )?cables?|wires?|pins?|printer|charger)\b|^ (?:at|with) (?:the |your )?(?:front desk|reception|office|counter|desk)\b/;

function isForced(match: string, view: string, index: number): boolean {
  const end = index + match.length;
  const after = view.slice(end, end + 80);
  return FORCED.test(match + after.split(/[.!?;]/, 1)[0]) && !OWN_PLACE.test(after);
}

/** "Send a heartbeat to the server" is an order; "a heartbeat to the server every minute" describes. */
function sendsOne(view: string, index: number): boolean {
  return /(?:^|[.!?:;] |\b(?:and|then|you must|now|always|please) )(?:\w+ly )?(?:send|emit|transmit|start) (?:an?|the|its|their) $/.test(
    view.slice(Math.max(0, index - 60), index),
  );
}
