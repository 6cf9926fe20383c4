/**
 * What vendors write when they refuse, by meaning. Texts are matched in lower case, over everything that an error
 * says: its message, the body's messages and, behind a router, the vendor's own words.
 */
export const SAYS = {
  contentPolicy:
    /content (?:management|filter(?:ing)?|moderation|safety) polic|content[_ ]filter(?:ed|ing)? |content[_ ]policy|responsible ?ai ?policy|rejected (?:as a result of|by) (?:our|the) safety system|(?:flagged|blocked|rejected)[^.]{0,80}(?:usage polic|safety (?:polic|guideline|reason)|moderation)|(?:violat\w+|against)[^.]{0,40}(?:usage|content|safety|acceptable use) (?:polic|guideline)|content exists risk|data_?inspection_?failed|cyber_policy|trusted access for cyber|inappropriate content|considered high risk|prohibited[_ ]content|unsafe (?:content|prompt|input)\b(?!-)|flagged (?:for|as) (?:possibl|potential)|new_sensitive|\bsensitive (?:content|words)|\b(?:request|prompt|input|content|message|output|response|image)s? (?:was|were|is|are|has been|have been) (?:flagged|filtered)|(?:content|prompt|output)[^.]{0,60} (?:is|was|has been) blocked|requires moderation on|blocked by (?:our |the )?(?:safety|content)|敏感内容|不安全内容|违规内容/,
  thinkingSignature: /thinking[^]*(?:signature|cannot be modified|must remain as they were)|signature[^]*thinking/,
  grammar:
    /pars(?:e|ing) grammar|json-schema-to-grammar|(?:convert|initiali[sz]e)[^.]{0,40}grammar|grammar[^.]{0,20}pars/,
  noSubscription: /(?:do(?:es)? not have|no|without|requires?) (?:an )?(?:active )?grok subscription/,
  spendingLimit: /(?:spending|spend|key|budget)[ _-]limit/,
  billing:
    /insufficient[_ ](?:credits?|balance|funds?|account balance)|(?:credit|account)s? balance|balance (?:is )?(?:too low|depleted|insufficient)|no (?:usable |remaining )?credits|credits? (?:have been |are |is )?(?:exhausted|depleted|used up)|out of (?:credits?|funds|extra usage)|(?:top up|add|purchase|buy) (?:your |more |some )?(?:credits?|funds)|payment[_ ]required|billing (?:hard |quota )?limit|billing[_ ](?:is )?not[_ ]active|exceeded your (?:current|monthly|daily) quota|insufficient[_ ]quota|not (?:available|supported) on the free[- ]tier|upgrade (?:your plan|to a paid)|daily free allocation|account is (?:deactivated|in arrears|overdue|suspended for non-?payment)|plan does not include|arrearage|overdue (?:balance|payment)|plan and billing details|specified api usage limits?|spend(?:ing)? (?:limit|cap)|余额不足|额度不足|欠费/,
  rate: /rate[- _]?limit|too many requests|too[_ ]many[_ ]requests|throttl|(?:requests?|tokens?) per (?:second|minute|hour|day)|(?:try|retry) again in \d|try again in|retry after|resource[_ ]exhausted|servicequotaexceeded|request rate (?:increased|too)|rate increased too quickly|concurrency limit|频率限制|频率过高|速率限制|限流|请求过于频繁/,
  overloaded: /overload|(?:at|over) capacity|过载|访问量过大/,
  /** Busy words that beside a 429 are still a rate limit. */
  busy: /(?:server|service|engine|model|system) (?:is )?(?:currently |too |temporarily )?busy|temporarily unavailable|(?:high|peak)[ _-](?:demand|load)|(?:no|insufficient)[ _-]capacity|capacity (?:temporarily )?exceeded/,
  usageLimit: /usage limit|quota|limit (?:exceeded|reached)/,
  /** A limit that passes by itself. */
  passes: /try again|retry|resets? (?:at|in)|\bwait\b|requests remaining|periodic|window/,
  perTime: /per[ _-]?(?:second|minute|hour|day)|retry in \d|try again in \d/,
  payload: /(?:request|payload|entity|body|content)[_ ](?:entity )?too[_ ]large|error code: 413/,
  image:
    /image(?![^.]{0,80}\btokens)[^.]{0,80}(?:too (?:large|big)|exceeds?|larger than|maximum (?:size|allowed|dimension))|image[_ ]too[_ ]large|(?:exceeds?|larger than)[^.]{0,40}image (?:size|dimension)/,
  /** Not an overflow: the answer was asked longer than the model can write. */
  outputTooLong:
    /max_(?:completion_|output_|new_)?tokens[^]{0,60}(?:too large|greater than|exceeds|>)[^]{0,120}(?:completion|output) tokens|maximum (?:allowed )?number of output tokens|max_(?:completion_|output_)?tokens (?:exceeds? the (?:limit|maximum)|value [\d,]+ is (?:above|greater))|maximum tokens you requested exceed|(?:invalid|range of) `?max_(?:completion_|output_|new_)?tokens|max_(?:completion_|output_)?tokens\W{1,4}(?:value )?(?:must|should|cannot|can't) (?:be|exceed) (?!at least)[^.]{0,40}\d/,
  context:
    /context[ _]?(?:length|size|window)|context (?:limit|exceeded)|maximum context|token limit|too many (?:input )?tokens|(?:prompt|input|request|conversation|messages?) (?:is |are |was )?too long|(?:prompt|input|conversation) (?:is |was )?too large|(?:prompt|input)[^.]{0,40} (?:is|are) (?:too long|longer than)|(?:maximum )?sequence length(?: of)? [\d,]+|exceeds? the token (?:budget|count)|[\d,]+ tokens; the maximum is|context (?:the )?overflow|requires more context|max_model_len|max_tokens|n_ctx|(?:prompt|input|tokens?|context)[^.]{0,60} exceeds? the limit|(?:inputs?|prompt)`? must (?:have|be) (?:less|fewer) than [\d,]+ tokens|max(?:imum)? (?:input tokens?|model length)|truncating (?:the )?input|(?:prompt|input) exceeds? (?:the )?max(?:imum)? length|max(?:imum)? (?:allowed )?(?:input length|prompt length|number of (?:input )?tokens)|tokens? (?:count )?in (?:the )?request more than max|input tokens? (?:count )?(?:\(\d+\) )?exceeds?|(?:exceeds?|more than|over|above) the (?:model'?s? )?(?:limit|maximum)[^.]{0,30}tokens|tokens exceed|exceeds? max (?:message|context) tokens|limit for this model is [\d,]+ tokens|`inputs` tokens[^.]{0,40} must be <|range of input length|input length[^.]{0,40}exceed|reduce the length|slot context|prompt (?:length|tokens)[^.]{0,40}(?:exceed|too long)|超过最大长度|上下文长度|输入过长|长度超|(?:prompt|tokens?|输入|内容)[^，。]{0,8}超(?:过|出|长)/,
  model:
    /model[_ ]not[_ ](?:found|available|supported)|invalid model(?![ _](?:identifier|input|param|output|response))|not a valid model|no such model|(?:unable to|cannot|could not) find (?:the )?model|unknown model|unsupported model|model:? ['"`]?[\w./:@-]+['"`]? (?:does not exist|(?:was )?not found|(?:could not|cannot) be found|is not (?:available|supported|found))|model (?:does not exist|is not (?:available|supported|found)|(?:has been |is |was )?(?:deprecated|decommissioned|removed|retired))|the (?:requested )?model[^.]{0,80}does not exist|not found the model|no endpoints found|models\/[\w.:@-]+ is not found|\bmodel not exist|not_found_error[^]{0,60}model:|model:[^]{0,80}not_found_error|deployment (?:for this resource )?does not exist|模型不存在/,
  providerPolicy: /guardrail restrictions|data policy|matching your privacy/,
  auth: /(?:invalid|incorrect|wrong|missing|expired|revoked|malformed)[ _](?:x-)?(?:api[ _-]?key|access token|token|credentials?|authentication)|api[ _-]?key[^.]{0,20}(?:not valid|invalid|not found|incorrect|expired|missing|revoked)|(?:pass|provide) a valid api key|token (?:has |is )?(?:expired|revoked|invalid)|unauthori[sz]ed|not authori[sz]ed|authentication (?:failed|error|required)|access denied|permission denied|forbidden|无效的api|身份验证/,
  badKey:
    /\btoken (?:has |is )?(?:expired|revoked)|(?:invalid|incorrect|wrong|missing|expired|revoked)[ _]api[ _-]?key|api[ _-]?key[^.]{0,20}(?:not valid|invalid|not found|incorrect|expired|missing|revoked)|(?:pass|provide) a valid api key/,
  badParameter:
    /(?:unknown|unsupported|unrecognized|unexpected)[ _](?:request )?(?:parameter|argument|field|value)|parameter[^.]{0,40}(?:not supported|unsupported)|extra inputs are not permitted|max_(?:completion_|output_)?tokens['"`]?:? (?:field required|is required|cannot both|input should be)|field required: max_|budget_tokens/,
  badBody: /request body is invalid|invalid[_ ]request[_ ]body/,
  toolContent:
    /text is not set|tool(?:_call)?[ .](?:message |result |call )?content must be (?:a )?string|tool messages? must be (?:a )?string|expected (?:a )?string, got (?:a )?(?:list|array)|(?:image|multimodal)[^.]{0,40}tool (?:message|result)s?|multimodal tool content/,
  encrypted: /invalid_encrypted_content|encrypted content[^.]{0,60}(?:could not|cannot) be (?:verified|decrypted)/,
  empty:
    /empty (?:response|reply|completion|answer|output)|(?:returned|produced) (?:an empty|no (?:content|output|response))/,
  certificate:
    /certificate[_ ]verif|cert(?:ificate)?_?(?:has_)?expired|certificate (?:has )?expired|invalid (?:ssl |tls )?certificate|does not match certificate|self[- _]signed|unable to (?:get|verify)[^.]{0,30}certificate|unable_to_(?:get|verify)|hostname mismatch|err_tls_cert|err_cert_|\bx509:|unknown (?:certificate )?authority|sslcertverification|certificate is not (?:trusted|valid)/,
  tls: /\[ssl|\bssl:|ssl(?:v3)? (?:alert|error|routines|handshake)|sslerror|bad_?record_?mac|bad record mac|tls_?alert|tls(?:v1(?:\.\d)?)? alert|tls handshake|eof occurred in violation of protocol|wrong_?version_?number|decryption failed/,
  disconnect:
    /server disconnected|disconnected without|connection (?:was )?reset|connection (?:was )?(?:closed|lost|aborted)|peer closed connection|remote end closed|unexpected eof|incomplete chunked read|premature (?:close|end)|other side closed/,
  stale: /consecutive stale attempts/,
  timeout: /timed?[ _-]?out|deadline exceeded|took too long|unresponsive/,
  network:
    /connection (?:error|refused|failed|attempt)|\b(?:econn|epipe|enotfound|eai_again|enetunreach|ehostunreach|etimedout|und_err|err_http2|nghttp2)|\bdns (?:lookup|resolution|error)|fetch failed|failed to fetch|network ?(?:error|is unreachable|connection|request failed)|name or service not known|name resolution|getaddrinfo|nodename nor servname|no route to host|socket (?:hang up|disconnected)|err_(?:connection|network|internet|socket)|broken pipe|upstream connect error|connect error|\bterminated|load failed|unable to connect/,
} as const satisfies Record<string, RegExp>;

/** What vendors name in `code`, `type` or `status` of an error body, in lower case. */
export const CODES = {
  encrypted: ["invalid_encrypted_content"],
  contentPolicy: [
    "content_policy_violation",
    "content_filter",
    "data_inspection_failed",
    "datainspectionfailed",
    "prohibited_content",
    "responsibleaipolicyviolation",
    "moderation_blocked",
  ],
  billing: [
    "insufficient_quota",
    "exceeded_current_quota_error",
    "billing_not_active",
    "billing_hard_limit_reached",
    "payment_required",
    "billing_error",
    "insufficient_credits",
    "insufficient_balance",
    "no_usable_credits",
    "balance_depleted",
    "model_not_supported_on_free_tier",
    "member_spend_cap_exceeded",
    "personal-team-blocked:spending-limit",
    "arrearage",
    "1113",
  ],
  model: [
    "model_not_found",
    "model_not_available",
    "invalid_model",
    "model_decommissioned",
    "unknown_model",
    "unsupported_model",
    "deploymentnotfound",
  ],
  context: ["context_length_exceeded", "max_tokens_exceeded", "context_window_exceeded", "exceed_context_size_error"],
  payload: ["request_too_large", "payload_too_large"],
  auth: [
    "authentication_error",
    "invalid_api_key",
    "api_key_invalid",
    "unauthenticated",
    "unauthorized",
    "invalid_authentication_error",
    "token_expired",
    "invalid_token",
    "expired_token",
  ],
  permission: ["permission_error", "permission_denied"],
  rate: [
    "resource_exhausted",
    "throttled",
    "throttlingexception",
    "rate_limit_exceeded",
    "rate_limit_error",
    "rate_limited",
    "too_many_requests",
  ],
  overloaded: [
    "overloaded_error",
    "overloaded",
    "server_overloaded",
    "engine_overloaded_error",
    "service_unavailable",
    "service_unavailable_error",
    "unavailable",
    "slow_down",
    "1305",
  ],
  server: ["server_error", "api_error", "internal_error", "internal_server_error", "internal", "bad_gateway"],
  timeout: ["timeout", "timeout_error", "request_timeout", "gateway_timeout", "deadline_exceeded"],
  badParameter: ["unknown_parameter", "unsupported_parameter", "unsupported_value"],
  badBody: ["invalid_request_body"],
  /** Says no more than that the request is to blame: words beside it are heard first. */
  badRequest: [
    "invalid_request_error",
    "invalid_request",
    "invalid_argument",
    "validation_error",
    "validationexception",
    "bad_request",
  ],
} as const satisfies Record<string, readonly string[]>;

/** Models that think for minutes before their first word: a silent connection says nothing about their context. */
export const THINKS_LONG =
  /(?:^|[/-])(?:o[134]|gpt-[5-9]|gpt-oss|qwq|grok-4|magistral)(?:$|[-.:])|deepseek-(?:r\d|reasoner)|claude-(?:opus|sonnet)-[4-9]|thinking|reason(?:er|ing)|nemotron/;
