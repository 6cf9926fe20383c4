import { anyOf, inOrder, oneOf, phrase } from "./phrase";
import { isPlaceholder } from "./placeholder";
import type { ThreatRule } from "./threat-rule";

const DESCRIBED =
  /^[^.!?]{0,60}\b(?:format|(?:is|are) (?:documented|described|explained|managed|generated|provisioned|rotated|owned)|(?:mode|permissions?) (?:of |are |is )?0?[0-7]{3}\b|permissions (?:should|must)|sshd\(8\)|man page|documentation)\b/;
const ROUTINE =
  /^[^.!?]{0,40}\b(?:when|whenever|if|after|before|as needed|accordingly|to (?:change|match|fit|suit|reflect|keep|customi[sz]e|adjust|document|list|describe)|with (?:the |an? |any )?(?:new |latest |current |updated )?(?:\w+ )?(?:commands?|scripts?|conventions?|examples?|steps|paths|versions?)|in (?:plain |simple )?(?:english|german|french|spanish|markdown|the imperative))\b/;
const NOTES =
  /^\w+ (?:to )?(?:\S+ ){0,3}?(?:tests?|specs?|parsers?|loaders?|schemas?|sections?|chapters?|paragraphs?|summar(?:y|ies)|overviews?|typos?|descriptions?|tables? of contents|documentation|build steps)\b/;
// a person's right, or the subject of a commit
const USUAL =
  /\b(?:contributors?|maintainers?|developers?|anyone|users?|teams?) (?:may|can|should|could) $|(?:^|[\s"'\x60])(?:docs|chore|feat|fix|style|refactor|test|ci|build)(?:\([\w-]{1,40}\))?!?: $/;
const BEFORE_CHARS = 60;
const WEAKENS = /\b(?:approv\w+|redact\w*|secur\w+|yolo|guard\w*|sandbox\w*|permission\w*|allow\w*|safety)\b/;

const AGENT_FILE =
  /(?:\b(?:agents|claude|soul|gemini|hermes|copilot-instructions)\.md|\.cursorrules|\.clinerules|\.windsurfrules|\.hermes\/config\.yaml)(?!\.?\w)/;

/** What must not be kept: memory and skills are read again in every session to come. */
export const keepsakeRules: readonly ThreatRule[] = [
  {
    id: "send_to_url",
    scope: "strict",
    needs: ["http"],
    pattern: phrase(
      oneOf("\\bsend", "\\bpost", "\\bupload", "\\btransmit", "\\bforward"),
      " (?:[^\\n.!?;]|[.!?](?=\\S)){1,120}? ",
      oneOf("to", "at"),
      " https?://",
    ),
    isNegatable: true,
    accepts: (match) =>
      !/\b(?:requests?|quer(?:y|ies)|pings?|reports?|invoices?|feedback|forms?|prs?|issues?|bugs?|applications?|events?|traffic|links?|people|users|visitors|builds?|art[ei]facts?|releases?|packages?|images?|metrics|traces|assets?|docs|site|coverage|questions?|comments?|avatars?|photos?|pictures?|changelogs?|news|announcements?|test results?|slides|articles?|essays?|resumes?|cvs?|talks?|proposals?|papers?|videos?|badges?|tickets?|reviews?|patches|(?:an?|your) (?:messages?|e-?mails?))\b/.test(
        match,
      ) || /\b(?:secret|password|credential|token|key|conversation|history|env)/.test(match),
  },
  {
    id: "send_to_url",
    scope: "strict",
    needs: ["http", "@", "+"],
    pattern:
      /\b(?:submit|push|copy|deliver|leak|e?mail|dump|export|transfer|share|publish|pipe|sync|forward) (?:\S+ ){0,4}?(?:secrets?|passwords?|credentials?|(?:api |private )?keys?|tokens?|conversations?|chat history|environment|env|database|source code|(?<=all )files|repository|memory|cookies|contacts|messages|emails) (?:\S+ ){0,3}?(?:to|at) (?:https?:\/\/|[\w.+-]{1,64}@[\w-]{1,60}\.|\+\d{6})/g,
    isNegatable: true,
    unlessBefore: /\b(?:they|it|that|which|users?|customers?|we|can|may|will) (?:\w+ly )?$/,
  },
  {
    id: "context_exfil",
    scope: "strict",
    needs: ["conversation", "chat history", "messages", "context", "memor"],
    pattern: anyOf(
      /\b(?:repeat|reveal|recite|paste|expose|disclose|divulge|quote) (?:(?:the|your|our|all|of|this|whole|full|entire|complete|every|any|previous|recent|user's) ){0,5}(?:conversations?|chat history|conversation history|previous messages)\b(?! (?:panel|pane|tab|view|button|page|list|id|ids|link|title|menu|drawer|sidebar|starters?|topics?|state|tests?|examples?|lines?|flows?)\b|-\w)/,
      /\b(?:show|list|display|give me) (?:me )?(?:all|every|each|the (?:full|entire|whole|complete)) (?:of )?(?:the |your |my )?(?:previous |earlier |prior |past |chat )*(?:messages?|conversations?|chat history)(?= ?[.!,;]|$| (?:so far|verbatim|above|here|from the user|of the user|in (?:this|the) (?:chat|conversation|session))\b)/,
      /\b(?:print|output|dump|reveal|export|list|repeat|show me|leak) (?:me )?(?:(?:all|everything|the contents?)(?: of| in)? )?your (?:whole |entire |full |long-term |current )?(?:memory|context(?: window)?|conversations?)\b(?! (?:usage|size|limits?|use|footprint|length|settings|budget|files?)\b)/,
      /\b(?:print|output|dump|reveal|repeat|show|send) (?:me )?(?:everything|all) (?:\w+ ){0,3}?in (?:your|the) (?:context|memory|conversation)\b/,
      /\b(?:put|insert|place|hide|pack) (?:the |this |our |whole |entire )*(?:conversation|chat history|context|messages?) (?:in|into|inside) (?:\S+ ){0,3}?(?:url|link|image|query|header|request)\b/,
      /\b(?:conversation|chat history|context|messages) (?:and|then) (?:then )?(?:send|email|post|upload|forward) (?:it|them|that|a copy|the \w+) to (?:https?:|[\w.+-]{0,64}@?[\w-]{1,60}\.\w)/,
    ),
    isNegatable: true,
  },
  {
    id: "context_exfil",
    scope: "strict",
    needs: ["conversation", "chat history", "previous messages", "context"],
    pattern: phrase(
      oneOf(
        "\\binclude",
        "\\boutput",
        "\\bprint",
        "\\bsend",
        "\\bshare",
        "\\b(?:encode|embed|append|upload|forward|transmit|email|leak|dump)",
      ),
      " (?:the |your |our |all |of |this |whole |full |entire |complete |every |any |previous |recent |user's ){0,5}",
      oneOf(
        "conversations?",
        "chat history",
        "previous messages",
        "conversation history",
        "(?<=(?:full|entire|whole|complete|all|your|of the|all the|previous|(?:output|print|send) the) )context(?! (?:(?:of|in|for|about)\\b(?! (?:every|your|each|all|the (?:request|reply|response|url|answer|query|message)))|with -))",
      ),
      "\\b",
      // what a conversation is named after ("conversation starters") is not the conversation
      "(?= ?(?:[^\\w -]|-(?!\\w)|$)| (?:so far|history|logs?|transcripts?|text|contents?|verbatim|data|above|between|from|with|to|in|into|and|at|as|on|via|word|until|up|here|back|now|or|then|inside|through|using|after|you|we|i|that|which|for|every|each|when|before)\\b)",
    ),
    isNegatable: true,
    unlessAfter:
      /^(?: |-|_)(?:ids?|keys?|names?|titles?|length|counts?|starters?|reminders?|tips|topics?|cards?|templates?|flows?|types?|menu|manager|switch|lines?|window|size|per|number|style|path|links?|urls?|processor|provider)\b/,
  },
  {
    id: "ssh_backdoor",
    scope: "strict",
    needs: ["authorized_keys"],
    pattern: /\bauthorized_keys\b/g,
    view: "lines",
    unlessBefore:
      /\b(?:see|what (?:is|are)|about|(?:permissions?|mode|owner|format|options?|syntax|manual|documentation|docs|contents?) (?:of|on|for|in)|explains?|describes?|covers?|mentions?|reads|checks|parses|supports|consults|uses|back(?:s|ing)? up) (?:\w+ ){0,2}[`"']?$/,
    unlessAfter: DESCRIBED,
    isNegatable: true,
  },
  {
    id: "ssh_access",
    scope: "strict",
    needs: ["/.ssh"],
    pattern:
      /(?:\$home|\$\{home\}|~|\/root|\/home\/[\w.-]{1,40})\/\.ssh\b(?!\/(?:config|known_hosts|[\w-]{1,40}\.pub)\b)/g,
    view: "lines",
    unlessBefore:
      /\b(?:chmod (?:-\w+ )?[0-7]{3,4}|mkdir(?: -p)?|ssh-add(?: -\w+)*|(?:ssh|scp|sftp|git|rsync)\b[^\n|;&]{0,80} -i|mount) ["']?$|\b(?:lives?|stored|kept|are|is|found|located|config\w*|defined) (?:\w+ )?(?:in|at|under) [`"']?$|\b(?:keep|store|generate)\b[^.!?]{0,60} (?:in|under) [`"']?$|\b(?:keygen|hardening)\b[^\n]*$/,
    isNegatable: true,
  },
  {
    id: "hermes_env",
    scope: "strict",
    needs: [".hermes/.env"],
    unlessAfter:
      /^ (?:is (?:loaded|read|parsed|ignored|optional|documented|created)|(?:must|should) (?:be (?:mode|readable|owned|private|kept|0?\d{3})|have (?:mode|permissions?)))\b/,
    pattern: /(?:\$home|\$\{home\}|~|\/root|\/home\/[\w.-]{1,40})\/\.hermes\/\.env\b/g,
    view: "lines",
    unlessBefore:
      /\b(?:reads|loads|parses|expects|uses|needs) [`"']?$|\b(?:lives?|stored|kept|are|is|goes|go|belongs?|found|loaded|read) (?:\w+ )?(?:in|at|under|from|to|into) [`"']?$|\b(?:put|keep|store|save|place)\b[^.!?]{0,60} (?:in|into|to|under) [`"']?$/,
    isNegatable: true,
  },
  {
    id: "agent_config_mod",
    scope: "strict",
    needs: ["agents.md", "claude.md", "soul.md", ".cursorrules", ".clinerules"],
    unlessAfter: /^[^.!?\n]{0,40}\bpull request\b/,
    pattern:
      /\b(?:update|modify|edit|write|change|append|add to|insert|overwrite|replace|inject)\b[^\n.!?;]{0,100}?(?:agents\.md|claude\.md|soul\.md|\.cursorrules|\.clinerules)/g,
    isNegatable: true,
    accepts: isNoRoutine,
  },
  {
    id: "agent_config_mod",
    scope: "strict",
    needs: [".md", ".cursorrules", ".clinerules", ".windsurfrules", ".hermes/", ".json", ".toml", "memory"],
    pattern: anyOf(
      inOrder(
        /\b(?:put|save|copy|store|place|paste|persist|write|keep|add|append|insert) (?:this|these|the following|it|that|them)\b[^\n.!?;]{0,60}? (?:in|into|to|inside) (?:[^\s.!?;]+ ){0,2}\S{0,60}/,
        AGENT_FILE,
      ),
      inOrder(/(?:>>?|\btee(?: -a)?) ?\S{0,60}/, AGENT_FILE),
      /\b(?:write|add|edit|modify|append|update|change|insert|overwrite)\b[^\n.!?;]{0,60}? \S{0,40}\.(?:claude|codex|cursor|gemini)\/(?:settings|config|mcp|hooks)\S{0,40}\.(?:json|toml)/,
      /\b(?:sed|yq) -i[^\n;|&]{0,120}\.hermes\//,
      /\b(?:save|store|write|keep|add|put) this (?:instruction|prompt|message|rule|order|directive|command)s? (?:in|into|to) (?:(?:your|long-term|the) )*memory\b/,
      inOrder(/\b(?:rm|delete|remove|rewrite|prepend to) (?:-\w+ )?(?:your |the |its )?\S{0,60}/, AGENT_FILE),
    ),
    isNegatable: true,
    accepts: isNoRoutine,
  },
  {
    id: "hermes_config_mod",
    scope: "strict",
    needs: [".hermes/"],
    pattern:
      /\b(?:update|modify|edit|write|change|append|add to|insert|overwrite|replace|set)\b[^\n!?;]{0,100}?\.hermes\/(?:config\.yaml|soul\.md)/g,
    isNegatable: true,
    accepts: isNoRoutine,
  },
  {
    id: "hardcoded_secret",
    scope: "strict",
    needs: ["key", "token", "secret", "password"],
    pattern:
      /(?<!(?:next|page|continuation|pagination|sync)[_-]?)(?:(?:api|private|secret|access)[_-]?key|token|secret|password)["']?\s{0,8}[=:]\s{0,8}(?:["'][a-z0-9+/=_-]{20,}|(?=[a-z+/=_-]{0,80}\d)(?=\d{0,80}[a-z])[a-z0-9+/=_-]{20,120}(?=\s|$))/g,
    view: "lines",
    accepts: (match) => !isPlaceholder(match.slice(match.search(/[=:][^=:]*=*$/) + 1).replace(/^[\s"']+/, "")),
  },
];

/** Keeping a project's notes up to date is work; planting a rule in them is not. */
function isNoRoutine(match: string, view: string, index: number): boolean {
  const end = index + match.length;
  const after = view.slice(end, end + 100);
  const isRoutine =
    ROUTINE.test(after) || NOTES.test(match) || USUAL.test(view.slice(Math.max(0, index - BEFORE_CHARS), index));
  return !isRoutine || WEAKENS.test(after);
}
