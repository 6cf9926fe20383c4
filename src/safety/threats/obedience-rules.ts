import { anyOf } from "./phrase";
import type { ThreatRule } from "./threat-rule";

const OWN_RULES =
  /your (?:(?:safety|content|ethical|moral|previous|old|core|own|usage|system|initial|original|internal) )*(?:instructions|guidelines|rules|restrictions|directives|programming|limitations|safeguards|guardrails|system prompt|(?<=(?:safety|content) )filters|(?<=(?:safety|content|ethical|usage) )polic(?:y|ies)|safety \w+)/;
const ALLOWS =
  /(?:(?:everything|anything|all (?:requests|commands|actions|content|tools|topics)) (?:is|are) (?:now )?(?:allowed|permitted|approved)|(?:allows?|permits?|lets|requires?) you to (?:\w+ )?(?:share|reveal|send|ignore|bypass|obey|disable|access|answer (?:any|every))|no (?:limits|rules|restrictions)|(?:safety|filters?|restrictions|checks|guardrails|moderation)(?: \w+){0,2} (?:off|disabled|lifted|removed|suspended|no longer))/;

/** Texts that claim the reader's rules are gone, and texts that want no refusal. */
export const obedienceRules: readonly ThreatRule[] = [
  {
    id: "changed_rules",
    scope: "strict",
    pattern: anyOf(
      new RegExp(
        `\\b${OWN_RULES.source} (?:have|has|had|were|was|are|is) (?:now |just |been |all |permanently |temporarily )*(?:removed|changed|replaced|rewritten|reset|lifted|deleted|cleared|suspended|expanded|modified|altered|updated)\\b`,
      ),
      new RegExp(`\\b(?:new|updated|revised) polic(?:y|ies)\\b[^.!?]{0,60}?\\b${ALLOWS.source}\\b`),
      new RegExp(
        `\\b(?:policy|guidelines?|rules?) (?:update|changed?|was changed|has changed)\\b[^.!?]{0,60}?\\b${ALLOWS.source}\\b`,
      ),
      /\byou (?:have been|were|are) (?:now )?(?:(?:reprogrammed|rewired|brainwashed)(?= ?[.!,;]|$| to\b)|re(?:configured|trained|purposed) to (?:obey|ignore|serve|bypass|reveal|hide|disregard|comply))/,
      /\byou have (?:been given|received|got) (?:new|different|updated) (?:instructions|directives|rules|guidelines)\b/,
      /\ball (?:limits|restrictions|guardrails|limitations|safeguards) (?:are|have been|were) (?:now )?(?:lifted|removed|gone|off|disabled|suspended)(?= ?[.!,;]|$)/,
      /\b(?:openai|anthropic|google|nous(?: research)?|your (?:developers?|creators?|makers?|owners?)) (?:has|have) (?:just |now |already )*(?:updated|changed|removed|lifted|replaced|disabled|relaxed) (?:all |the )*(?:your|safety|restrictions|guardrails|filters)\b/,
    ),
    isNegatable: true,
    unlessAfter:
      /^ (?:on|in|at) (?:the |your |our )?(?:firewall|linter|router|project|repo\w*|dashboard|account|mailbox)\b/,
  },
  {
    id: "no_refusal",
    scope: "strict",
    needs: [
      "refuse",
      "decline",
      "censored",
      "unfiltered",
      "filter",
      "guardrail",
      "question",
      "polic",
      "checks",
      "my ",
      "command",
      "request",
    ],
    pattern: anyOf(
      /\b(?:never|must not|cannot|can't|do not|don't|may not|not allowed to|forbidden to) (?:ever )?(?:refuse|decline)(?= ?[.!,;]|$| (?:to (?:answer|comply|help|obey|execute|do|respond)|(?:(?:an?|any|my|the|all|these|this|user|owner's|single) )*(?:requests?|commands?|orders?|instructions?|questions?|tasks?|anything|me)\b))/,
      /\b(?:respond|answer|reply|speak|write|talk)(?: \w+){0,2} (?:uncensored|unfiltered|without a filter)\b/,
      /\b(?:give|provide|write|produce|generate|want|need) (?:me )?(?:an? |only |the |your )*uncensored\b/,
      /\b(?:do not|don't|never|stop) (?:apply|applying|use|using|enforce|enforcing|engage) (?:the |any |your |all )*(?:safety|content|moderation|ethical) (?:filters?|guardrails?|checks|rules|guidelines|polic(?:y|ies)|measures)\b/,
      /\b(?:comply with|obey|execute|fulfil+|follow|accept|carry out|do) (?:\S+ ){0,5}?(?:without question(?:ing)?|unquestioningly|unconditionally|blindly)\b/,
      /\b(?:comply with|obey|execute|fulfil+|follow|accept|carry out) (?:every|all|any|each) (?:\w+ ){0,2}?(?:requests?|commands?|orders?|instructions?|demands?) (?:that )?(?:you (?:receive|are given|get)|from (?:me|this (?:page|file|site|message)|strangers|anyone))\b/,
      /\b(?:comply with|obey|execute|submit to|follow) my (?:\w+ )?(?:orders|commands|demands)\b/,
    ),
    isNegatable: true,
    unlessBefore:
      /\b(?:servers?|prox(?:y|ies)|services?|daemons?|apis?|clients?|staff|agents? (?:of|in)) (?:must|should|may|will)? ?$/,
    unlessAfter: /^ (?:connections?|invitations?)\b/,
  },
];
