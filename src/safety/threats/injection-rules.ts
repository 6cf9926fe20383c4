import { modifiers, oneOf, phrase, plainWords, words } from "./phrase";
import type { ThreatRule } from "./threat-rule";

/** What stands before a sentence that tells what people do and orders nothing. */
export const HABIT_OF_PEOPLE =
  /\b(?:users|people|readers|drivers|beginners|customers|patients|students|players|many|they|we|(?:compiler|parser|linter|tool|editor|cpu|processor|decoder|browser)s?) (?:\w+ ){0,2}$/;

const TECHNICAL =
  /\b(?:lint\w*|eslint|firewall|css|style|robots|cors|nginx|build|compiler|routing|redirect|formatting|prettier|shipping|deprecated|optional|legacy|assembly|cpu|installation|setup|vendor|privileged|machine|unknown|illegal)(?:'s)? (?:rules|instructions|guidelines)$/;

/** Text that takes the reader's orders away or gives it new ones: known phrasings, safe to look for in every text. */
export const injectionRules: readonly ThreatRule[] = [
  {
    id: "prompt_injection",
    scope: "all",
    needs: ["ignore"],
    pattern: phrase(
      "\\bignore ",
      plainWords(8),
      oneOf("previous", "all", "above", "prior"),
      " ",
      modifiers(8),
      "instructions\\b",
    ),
    isNegatable: true,
    unlessBefore: HABIT_OF_PEOPLE,
    unlessAfter: /^ for (?:windows|mac\w*|linux|ios|android|other|older|legacy)\b/,
    accepts: (match, view, index) =>
      !TECHNICAL.test(match) &&
      !(
        /\band (?:then )?follow the (?:\w+ )?instructions$/.test(match) &&
        /^ (?:on (?:the )?screen|in the (?:readme|docs|manual|wiki|guide|log))\b/.test(
          view.slice(index + match.length).slice(0, 40),
        )
      ),
  },
  {
    id: "sys_prompt_override",
    scope: "all",
    needs: ["prompt override"],
    pattern: /\bsystem prompt override\b/g,
    unlessAfter: /^ (?:option|setting|flag|feature|parameter|field|key|is|was|can|via)\b/,
  },
  {
    id: "disregard_rules",
    scope: "all",
    needs: ["disregard"],
    pattern: phrase(
      "\\bdisregard ",
      plainWords(8),
      oneOf("your", "all", "any"),
      " ",
      modifiers(8),
      oneOf("instructions", "rules", "guidelines"),
      "\\b",
    ),
    isNegatable: true,
    unlessBefore: HABIT_OF_PEOPLE,
    unlessAfter:
      /^ (?:in|for|from|under|of) (?:the )?(?:\S+ ){0,2}(?:folder|directory|file|vendor|linter|tests?|docs)\b/,
    accepts: (match) => !TECHNICAL.test(match),
  },
  {
    id: "bypass_restrictions",
    scope: "all",
    needs: ["act as"],
    pattern: phrase(
      "\\bact as ",
      oneOf("if", "though"),
      " ",
      plainWords(8),
      "you ",
      plainWords(8),
      oneOf("have no", "don't have"),
      " ",
      plainWords(8),
      oneOf("restrictions", "limits", "rules"),
      "\\b",
    ),
  },
  {
    id: "bypass_restrictions",
    scope: "strict",
    needs: ["act "],
    pattern: phrase(
      "\\bact ",
      oneOf("as if", "as though", "like"),
      " ",
      words(4),
      "you ",
      words(4),
      oneOf("have no", "don't have", "do not have", "had no"),
      " ",
      words(6),
      oneOf("restrictions", "limits", "limitations", "rules", "constraints"),
      "\\b",
    ),
  },
  {
    id: "translate_execute",
    scope: "all",
    needs: ["translate"],
    pattern: phrase("\\btranslate ", words(12), "into ", plainWords(3), "and ", oneOf("execute", "run", "eval"), "\\b"),
    isNegatable: true,
    accepts: meansTheTranslation,
  },
  {
    id: "translate_execute",
    scope: "strict",
    needs: [" to ", " into ", " as "],
    pattern: phrase(
      "\\b(?:translate|convert|decode|rewrite|compile|transform|turn|interpret) ",
      words(12),
      "(?:to|into|as) ",
      words(8),
      "(?:and|then) ",
      words(2),
      oneOf("execute", "run", "eval", "evaluate"),
      "\\b",
    ),
    isNegatable: true,
    accepts: (match, view, index) =>
      PROGRAM.test(match.replace(/ (?:to|as) /, " into ")) && meansTheTranslation(match, view, index),
  },
  {
    id: "deception_hide",
    scope: "all",
    needs: ["tell"],
    pattern: phrase("\\bdo not ", plainWords(8), "tell ", plainWords(8), "the user\\b"),
    unlessAfter:
      /^(?:'s|,? (?:the )?(?:their|his|her|they|how|raw|internal|technical|error|to|when|until|unless|twice|which|stack|whether|if|that their (?:session|account|password|token|card|trial|subscription|e-?mail|username|login)\b|about (?:the )?(?:internal|technical|raw|stack|implementation)|that (?:the |an? |their )?\w+ (?:exists?|does not exist|is (?:taken|wrong|unknown|registered|locked)))\b)/,
  },
  {
    id: "role_hijack",
    scope: "context",
    needs: ["you are"],
    pattern: phrase("\\byou are ", words(4), "now ", oneOf("a", "an", "the"), " "),
    unlessAfter:
      /^(?:only|first|last|current|sole|step|few|bit|little|couple|minute|hour|day|week)\b|^(?:\w+ ){0,2}(?:members?|owner(?! of this (?:machine|computer|system|device))|maintainer|reviewer|moderator|assignee|on[- ]call|approver|contributor|collaborator|participant|subscriber|customer|guest|part)\b|^(?:verified|certified|registered|licensed|qualified|paid|premium) \w+|^(?:\w+ ){1,3}(?:of|in|on|for) (?:this|the|our) (?:repo\w*|project|team|organi[sz]ation|group|channel|workspace|community|list|board|club|fork|package|thread|issue|mailing list|event)\b/,
  },
  {
    id: "role_pretend",
    scope: "context",
    needs: ["pretend"],
    unlessAfter:
      /^(?:on|at) (?:an?|the) |^(?:explaining|talking|speaking|writing|presenting|teaching|describing)\b|^an? (?:\w+ )?(?:users?|customer|visitor|shopper|guest|beginner|reader|tester|student|interviewer|screen reader)\b(?![^.!?]{0,80}\b(?:approv\w+|permission|rules|restrictions|limits|admin\w*)\b)|^(?:offline|online|idle|busy|mobile|an? (?:browser|mobile|iphone|phone|slow|client|server|proxy|terminal|tty))\b|^[^.!?]{0,60}\b(?:when|while|for|in) (?:testing|tests?|onboarding|demos?|training)\b/,
    pattern: phrase("\\bpretend ", plainWords(3), oneOf("you are", "to be"), " "),
    unlessBefore:
      /\b(?:we|i|they|it|tests?|mocks?|fixtures?|fakes?|stubs?|scripts?|clients?|servers?|services?|kids|children|players?|users?|people|bots|scammers|attackers|malware|actors|who|that|which|can|may|might)(?: \w+){0,2} $/,
    isNegatable: true,
  },
  {
    id: "leak_system_prompt",
    scope: "context",
    needs: ["prompt"],
    pattern: phrase("\\boutput ", words(6), oneOf("system", "initial"), " prompt\\b"),
    unlessAfter:
      /^ (?:tokens?|length|size|count|id|version|template|cost)\b|^ (?:text )?(?:in|on|of) (?:the |a )?(?:shell|terminal|console|cli|wizard|installer)\b/,
    isNegatable: true,
  },
  {
    id: "remove_filters",
    scope: "context",
    needs: ["without"],
    pattern: phrase(
      oneOf("\\brespond", "\\banswer", "\\breply"),
      " without ",
      words(5),
      oneOf("restrictions", "limitations", "filters", "safety"),
      "\\b",
    ),
    isNegatable: true,
  },
  {
    id: "fake_update",
    scope: "context",
    needs: ["you have been"],
    pattern: phrase("\\byou have been ", words(4), oneOf("updated", "upgraded", "patched"), " to\\b"),
    unlessAfter:
      /^ (?:the |a |our )?(?:\w+ ){0,2}(?:plan|tier|subscription|account|seat)\b|^ (?:the |a |our |your )?(?:\w+ ){0,3}(?:version|release|class|membership|package|room|edition|license)[.!]?$|^ (?!version|model|v\d)\w+ v?\d+(?:\.\d+)*[.!]?$/,
  },
  {
    id: "identity_override",
    scope: "context",
    needs: ["name yourself"],
    pattern: /\bname yourself [a-z0-9]\w*/g,
    accepts: (match) => !/ (?:as|in|at|on|the|when|after|before|and|with)$/.test(match),
  },
];

const PROGRAM =
  /\binto (?:\S+ ){0,3}(?:python|bash|shell|sh|zsh|powershell|javascript|js|typescript|ruby|perl|php|sql|code|commands?|scripts?|programs?|instructions?|syscalls?)\b/;
const ITS_OUTCOME =
  /^(?:[.!,;:]|$| (?:it(?! (?:by|past|through)\b)|them|this|that|the (?:result|output|outcome|code|commands?|script|translation|program)s?)\b)/;

/** Translating for people and then running something else is daily work; running what was translated is the attack. */
function meansTheTranslation(match: string, view: string, index: number): boolean {
  const end = index + match.length;
  return PROGRAM.test(match) || ITS_OUTCOME.test(view.slice(end, end + 60));
}
