import { anyOf } from "./phrase";
import type { ThreatRule } from "./threat-rule";

const MAX_HIDDEN_CHARS = 2_000;

/** Text that a page or a file shows to its reader only: comments and hidden elements. */
export const markupRules: readonly ThreatRule[] = [
  {
    id: "html_comment_injection",
    scope: "all",
    needs: ["<!--"],
    // each opening ends the one before, so that many cost no more than one
    pattern: /<!--(?:(?!<!--)[^>])*-->/g,
    accepts: isOrderInComment,
  },
  {
    id: "html_comment_injection",
    scope: "strict",
    needs: ["<!--"],
    pattern: /<!--(?:(?!<!--)[^>])*-->/g,
    accepts: (match) => ADDRESSED.test(match.slice(4, -3).replaceAll(/\s+/g, " ").trim()),
  },
  {
    id: "hidden_div",
    scope: "all",
    needs: ["none"],
    pattern: /<\s{0,8}div\s{1,8}style\s{0,8}=\s{0,8}["'][^"'>]{0,400}display\s{0,4}:\s{0,4}none/g,
    accepts: hidesText,
  },
  {
    id: "hidden_element",
    scope: "strict",
    needs: ["style", "hidden"],
    pattern:
      /<\s{0,8}[a-z][a-z0-9]{0,15}\s[^<>]{0,400}?(?:display\s{0,4}:\s{0,4}none|visibility\s{0,4}:\s{0,4}hidden|font-size\s{0,4}:\s{0,4}0|opacity\s{0,4}:\s{0,4}0(?![.\d])|color\s{0,4}:\s{0,4}(?:transparent|white\b|#fff)|left\s{0,4}:\s{0,4}-\d{4}|(?<=\s)hidden(?=[\s>=]))/g,
    // white text is on dark ground as a rule
    accepts: (match, view, index) =>
      hidesText(match, view, index) &&
      (!/(?:white|#fff)$/.test(match) || ADDRESSES_READER.test(insideOf(match, view, index))),
  },
  {
    id: "link_exfiltration",
    scope: "strict",
    needs: ["](http", "src=", "](javascript:"],
    // a picture loads by itself; a link waits for a click, and its address may well be about secrets
    pattern: anyOf(
      /(?:\]\(\s{0,4}|src\s{0,4}=\s{0,4}["']?)https?:\/\/[^\s)"'>]{0,400}(?:=(?:[{[<$]|%(?![0-9a-f]{2}))|\/(?:\{|\$\{|<))/,
      /(?:!\[[^\]\n]{0,200}\]\(\s{0,4}|src\s{0,4}=\s{0,4}["']?)https?:\/\/[^\s)"'>]{0,400}=[\w-]{0,40}(?:secret|password|api_?key|token|credential|conversation|history|context|memory|prompt)[\w-]{0,40}(?=[)\s"'&>])/,
      /!\[[^\]\n]{0,200}\]\(\s{0,4}https?:\/\/[^\s)"'>]{0,400}[?&](?:secret|password|api_?key|credentials?)=/,
      /\]\(\s{0,4}javascript:/,
    ),
  },
];

const DIRECTIVE = /^(?:(?:override|secret|hidden|system)\b\s*(?:[:,!.—–]|-\s|$)|ignore\s*(?:[,!.—–]|-\s|$))/;
const ORDER = anyOf(
  /(?<![-\w@:/])(?:ignore|override) (?:(?:the|all|any|your|of|these|those|this) )*(?:previous|prior|above|everything|what(?:ever)?|users?|owner|humans?|developer|system(?! (?:font|theme|colou?rs?|default|styles?|path|settings?)\b)|safety|instructions?|rules|prompts?|guidelines|polic(?:y|ies)|requests?|restrictions|filters|rest of)\b/,
  /(?<!(?:operating|design|file|build|type|grid) )\b(?:system|secret|hidden) (?:\w+ )?(?:prompt|instructions?|messages?|override|commands?|notes?|directives?|modes?|rules?|orders?|tasks?|agenda)\b/,
  /\b(?:send|reveal|print|output|leak|read|share|say|use|include|exfiltrate|steal|post) (?:\w+ ){0,3}secrets?\b/,
  /\bkeep (?:\w+ ){0,2}(?:secret|hidden)\b/,
  /(?<!-)\b(?:ai|assistant|agent|model|llm|bot)s?\b[^>]*\b(?:ignore|override|secret|hidden|system)\b/,
);
const REMARK =
  /^(?:todo|fixme|note|xxx|hack|end|begin|start|see|toc|region|endregion)\b|\b(?:prettier|eslint|stylelint|markdownlint|cspell|textlint|vale|istanbul|c8)\b/;

const READER = "(?:ai|assistant|agent|llm|language model|chatbot|bot|claude|chatgpt|gpt|copilot|hermes)s?";
const ADDRESSED = new RegExp(
  `^(?:(?:dear|hey|attention|hello|note to|instructions? (?:for|to)|message (?:for|to)) )?(?:the |any |all )?${READER} ?[:,!—-] ?(?:please |you (?:must|should|will) )?(?:e?mail|send|run|execute|upload|print|reveal|delete|forward|fetch|curl|open|copy|tell|do not|don't|never|always|follow|obey|post)\\b` +
    `|\\b(?:if|when|since) you(?:'re| are)? (?:an? )?(?:${READER}\\b|(?:read|see|process|pars|summari[sz])(?:e|ing)? this\\b)[^>]*\\b(?:run|execute|send|upload|e?mail|print|reveal|delete|forward|fetch|curl|obey|must|say)\\b`,
);

function isOrderInComment(match: string): boolean {
  const said = match.slice(4, -3).replaceAll(/\s+/g, " ").trim();
  if (REMARK.test(said)) return false;
  return DIRECTIVE.test(said) || said.search(ORDER) >= 0;
}

const ADDRESSES_READER =
  /\b(?:ignore|obey|send|reveal|execute|override|forget|disregard|you (?:must|are|will)|assistant|secret|tokens?|api key|the key)\b/;

/** An element that scripts fill later is empty in the source. */
function hidesText(match: string, view: string, index: number): boolean {
  return /\S/.test(insideOf(match, view, index).replaceAll(/<[^<>]*>/g, ""));
}

/** What an element holds, or the rest of a tag that nothing closes. */
function insideOf(match: string, view: string, index: number): string {
  const from = index + match.length;
  const rest = view.slice(from, from + MAX_HIDDEN_CHARS);
  const open = rest.indexOf(">");
  if (open < 0) return match;
  const tag = /^<\s*([a-z][a-z0-9]*)/.exec(match)?.[1] ?? "div";
  const close = rest.indexOf(`</${tag}`, open);
  return rest.slice(open + 1, close < 0 ? undefined : close);
}
