import { type Classification, classifyError } from "#src/providers/classify-error";
import { type CaseFile, type Result, type Suite, resultOf } from "../result";

/** What a case says of an error, in the names of the format. */
interface ErrorCase {
  readonly id: string;
  readonly input: {
    readonly status?: number;
    readonly wrapped_cause_status?: number;
    readonly body?: unknown;
    readonly message?: string;
    readonly network?: string;
    readonly provider?: string;
    readonly model?: string;
    readonly approx_tokens?: number;
    readonly context_length?: number;
    readonly num_messages?: number;
  };
  readonly expected: Verdict;
  /** The reviewer's word where what was observed is judged wrong. */
  readonly better?: Verdict;
}

interface Verdict {
  readonly reason: string;
  readonly retryable: boolean;
  readonly should_compress: boolean;
  readonly should_rotate_credential: boolean;
  readonly should_fallback: boolean;
}

const FIELDS = ["reason", "retryable", "should_compress", "should_rotate_credential", "should_fallback"] as const;

/** Classification of failed model calls: reason and all four flags. */
export const errors: Suite = {
  suite: "errors",
  async run(file: CaseFile): Promise<readonly Result[]> {
    // the format is that of the suite's own files
    return (file["cases"] as readonly ErrorCase[]).map((each) => {
      const expected = each.better ?? each.expected;
      const got = toVerdict(classify(each.input));
      const differs = FIELDS.some((name) => expected[name] !== got[name]);
      return resultOf(each.id, differs ? [{ expected: describe(expected), got: describe(got) }] : []);
    });
  },
};

function classify(input: ErrorCase["input"]): Classification {
  return classifyError({
    status: input.status ?? input.wrapped_cause_status,
    body: input.body,
    message: input.message,
    errorType: input.network,
    provider: input.provider,
    model: input.model,
    approxTokens: input.approx_tokens,
    contextLength: input.context_length,
    messageCount: input.num_messages,
  });
}

function toVerdict(found: Classification): Verdict {
  return {
    reason: found.reason === "content_policy" ? "content_policy_blocked" : found.reason,
    retryable: found.retryable,
    should_compress: found.shouldCompress,
    should_rotate_credential: found.shouldRotateCredential,
    should_fallback: found.shouldFallback,
  };
}

function describe(verdict: Verdict): Record<string, unknown> {
  return Object.fromEntries(FIELDS.map((name) => [name, verdict[name]]));
}
