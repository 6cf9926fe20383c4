import type { ThreatRule } from "./threat-rule";

/** Marks that a text speaks of, and sections of settings files. */
const SPOKEN_OF_BEFORE = /\b(?:tokens?|tags?|delimiters?|markers?|sections?|elements?|called|named) ["'\x60]?$/;
const SPOKEN_OF_AFTER =
  /^["'\x60]? (?:is|are|opens?|closes?|marks?|begins|tokens?|tags?|delimiters?|elements?|sections?|blocks?|tables?|fields?|attributes?|stands for|means)\b|^[ \t]*\r?\n[ \t]*[\w.-]{1,60}[ \t]*=/;

/** Forged frames: marks of chat templates, tool results and speakers, which make a text look like another's turn. */
export const transcriptRules: readonly ThreatRule[] = [
  {
    id: "chat_template",
    scope: "strict",
    needs: ["<|", "<｜", "[inst", "[/inst", "<<sys", "<start_of_turn", "<end_of_turn"],
    pattern:
      /<[|｜][a-z][a-z0-9_ ▁-]{1,40}[|｜]>|\[\/?inst\]|<<\/?sys>>|<(?:start|end)_of_turn>|<\|?(?:bos|eos|eot)\|?>/g,
    view: "lines",
    unlessBefore: SPOKEN_OF_BEFORE,
    unlessAfter: SPOKEN_OF_AFTER,
  },
  {
    id: "forged_frame",
    scope: "strict",
    needs: ["<", "["],
    pattern:
      /<\/?\s{0,4}(?:system(?![.-])|assistant|developer|system[-_](?:prompt|reminder|message|instructions?|override)|untrusted[-_]tool[-_]result|tool[-_]results?|function[-_](?:calls?|results?)|antml:\w+|memory[-_]context|admin|instructions?|im_start|prior[-_]context)\b[^<>\n@]{0,80}>|\[\/?(?:system|system[ _-](?:message|note|prompt|override|instructions?)|admin|developer|out-of-band user message|assistant)\](?!\()|\[(?:system|assistant|developer|admin|user)\]\(#(?!system\)|assistant\)|user\))|<\/(?:context|documents?|data|user[-_]?input|input|content|page|file|article|quote)>\s{0,8}(?:now,? |new (?:instructions?|task|orders?)|ignore |system\b|instead,? )/g,
    view: "lines",
    unlessBefore: SPOKEN_OF_BEFORE,
    unlessAfter: SPOKEN_OF_AFTER,
  },
  {
    id: "forged_frame",
    scope: "strict",
    needs: ["role"],
    pattern: /["']role["']\s{0,4}:\s{0,4}["'](?:system|developer|assistant)["']\s{0,4},\s{0,4}["']content["']/g,
    view: "lines",
  },
  {
    id: "forged_frame",
    scope: "strict",
    needs: ["###", "==", "---", "***", "begin"],
    pattern:
      /(?:^|\n)[ \t]{0,8}(?:#{2,6}|={2,}|-{3,}|\*{2,})[ \t]{0,4}(?:(?:new |updated |begin |start of |end of )?(?:system|instructions?|system (?:prompt|message|instructions?)|user input|context|prompt|assistant|human|response))[ \t]{0,4}(?::|#{2,6}|={2,}|-{3,}|\*{2,})/g,
    view: "lines",
  },
  {
    id: "forged_frame",
    scope: "strict",
    needs: ["system", "hidden", "secret", "prompt", "instructions", "end of"],
    pattern:
      /\b(?:begin|end|start)(?: of)? (?:system|user|hidden|secret|new) (?:prompt|instructions|message|context|input)\b|\b(?:important|urgent|critical|new|admin|root|official) system (?:messages?|notices?|alerts?|commands?|instructions?|updates?) ?:|\bsystem (?:override|command|directive)s? ?:|\bend of (?:the )?(?:documents?|file|input|context|text|data|user (?:input|message))[.:,]? (?:now |new (?:task|instructions?|orders?)\b|ignore )/g,
    isNegatable: true,
  },
  {
    id: "forged_speaker",
    scope: "strict",
    needs: [":"],
    pattern:
      /(?:^|\n)[ \t>*_#]{0,8}(?:system|assistant|human|developer|ai|model|gpt|chatgpt|claude|hermes|admin|user|tool)(?: \(\w+\))?[*_]{0,2}\s{0,2}:[*_ ]{0,4}(?:[^\s.!?;]+ ){0,6}?(?:sure|i will|i'll|of course|certainly|absolutely|okay|you (?:are|must|will|should) (?:now|obey|ignore|always|never|only)|ignore|disregard|obey|leak|reveal|override|bypass|execute|approved?|understood|new (?:instructions?|orders?|task)|comply|grant|confirm\w*|yes,)/g,
    view: "lines",
    isNegatable: true,
  },
];
