import { type AssignmentPolicy, findAssignments } from "./redaction/find-assignments";
import { findHeaders } from "./redaction/find-headers";
import { findKeys } from "./redaction/find-keys";
import { findPhones } from "./redaction/find-phones";
import { findPrivateKeys } from "./redaction/find-private-keys";
import { findSpoken } from "./redaction/find-spoken";
import { findUrls, type UrlPolicy } from "./redaction/find-urls";
import { readPlain } from "./redaction/plain-view";
import { applySpans, type Span } from "./redaction/span";

/**
 * What a text is: `log` lines, tool results and transcripts; source `code`; a file that the model reads in order to
 * change it (`file_read`); text that leaves the system (`strict_url`); what a command printed (`terminal`, for which
 * {@link redactTerminal} looks at the command).
 */
export type RedactMode = "log" | "code" | "file_read" | "strict_url" | "terminal";

/** What a caller adds. */
export interface RedactOptions {
  /** Takes out the deployment's own secrets first; see `createRedactor`. */
  readonly exact?: (text: string) => string;
  /** The text is an environment that a command printed. */
  readonly isDump?: boolean;
  /** Telephone numbers stay. Default false; true in `code` and `file_read`. */
  readonly keepsPhones?: boolean;
}

interface Policy {
  /** Undefined: names say nothing, as in source code. */
  readonly fields?: AssignmentPolicy;
  readonly urls: UrlPolicy;
  readonly hasSpoken: boolean;
  readonly hasPhones: boolean;
  /** A key is named, not shortened: a shortened one would look like a key when the model writes the file back. */
  readonly isNamed: boolean;
}

const POLICIES: Readonly<Record<RedactMode, Policy>> = {
  log: { fields: {}, urls: {}, hasSpoken: true, hasPhones: true, isNamed: false },
  strict_url: { fields: {}, urls: { isStrict: true }, hasSpoken: true, hasPhones: true, isNamed: false },
  code: { urls: { isCode: true }, hasSpoken: false, hasPhones: false, isNamed: false },
  file_read: { urls: { isCode: true }, hasSpoken: false, hasPhones: false, isNamed: true },
  terminal: { fields: { isRandomOnly: true }, urls: {}, hasSpoken: false, hasPhones: false, isNamed: false },
};

/**
 * A text without the secrets that can be told by their shape or by the name of their field. What was redacted once does
 * not change again. Time grows with the text and not faster. Never throws. A text that arrives in pieces must be cut
 * where no secret is: see `redactableLength`.
 */
export function redactSecrets(text: string, mode: RedactMode, options: RedactOptions = {}): string {
  let redacted = options.exact?.(text) ?? text;
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const before = redacted;
    redacted = redactOnce(before, POLICIES[mode], options);
    if (redacted === before) break;
  }
  return redacted;
}

/** What is taken out can bare what stood against it: two keys without a blank between them. */
const MAX_PASSES = 4;

function redactOnce(text: string, policy: Policy, options: RedactOptions): string {
  if (text.length < MIN_SECRET_CHARS) return text;
  const view = readPlain(text);
  const fields = options.isDump === true ? { isDump: true } : policy.fields;
  const spans = [
    ...findPrivateKeys(view.text),
    ...findKeys(view.text, policy.isNamed),
    ...findHeaders(view.text, policy.urls.isCode === true),
    ...findUrls(view.text, policy.urls),
    ...(fields === undefined ? [] : findAssignments(view.text, fields)),
    ...(policy.hasSpoken ? findSpoken(view.text) : []),
    ...(policy.hasPhones && options.keepsPhones !== true ? findPhones(view.text) : []),
  ];
  return applySpans(
    text,
    spans.map((span) => asWritten(span, view.at)),
  );
}

/** Shorter texts hold no secret that could be told. */
const MIN_SECRET_CHARS = 6;

/** A span over the letters that a person sees takes the unseen marks between them along, not those around them. */
function asWritten({ start, end, replacement }: Span, at: (index: number) => number): Span {
  return { start: at(start), end: at(end - 1) + 1, replacement };
}
