import type { ToolCall } from "./message";

/** A part of what a model reads: text, or a picture as a data: or https: URL. */
export type ModelPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly url: string };

/**
 * What a provider wants to see again, unchanged, with the answer it belongs to: signed thinking blocks, encrypted
 * reasoning items, the id of a stored response. JSON text, opaque to everyone but the provider of that name.
 */
export interface ProviderState {
  readonly provider: string;
  readonly model: string;
  readonly data: string;
}

/** One message as models read it: the shape of Chat Completions, which every provider is translated from. */
export type ModelMessage =
  | { readonly role: "system"; readonly content: string }
  | { readonly role: "user"; readonly content: string | readonly ModelPart[] }
  | {
      readonly role: "assistant";
      readonly content: string;
      readonly toolCalls?: readonly ToolCall[];
      readonly state?: ProviderState;
    }
  | { readonly role: "tool"; readonly callId: string; readonly content: string };

/** A tool as a model sees it. */
export interface ToolSchema {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments object. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface ModelRequest {
  readonly model: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ToolSchema[];
  /** Longest answer in tokens; the provider's own default when absent. */
  readonly maxOutputTokens?: number;
  /** How long the model may think, for models that do; the provider's own default when absent. */
  readonly reasoningEffort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh";
  /** The same for all calls of one conversation: vendors route by it to a warm prompt cache. */
  readonly cacheKey?: string;
}

/** Tokens of one model call. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Of the input: read from the vendor's cache, and written into it. */
  readonly cachedInputTokens?: number;
  readonly cacheWriteTokens?: number;
  /** Of the output: thought, not said. */
  readonly reasoningTokens?: number;
}

/** Why a model call failed. */
export interface ModelFailure {
  readonly reason:
    /** The key was refused; `auth_permanent` when no other key can help either. */
    | "auth"
    | "auth_permanent"
    /** The account has no money or no allowance left. */
    | "billing"
    | "rate_limit"
    /** The vendor behind a router limits it: another key changes nothing. */
    | "upstream_rate_limit"
    | "overloaded"
    | "server_error"
    | "timeout"
    | "network"
    | "ssl_cert_verification"
    | "context_overflow"
    /** The account's plan ends below this model's full window. */
    | "long_context_tier"
    | "oauth_long_context_beta_forbidden"
    | "payload_too_large"
    | "image_too_large"
    | "model_not_found"
    /** The account's own data policy rules out every vendor of the model. */
    | "provider_policy_blocked"
    | "content_policy"
    | "format_error"
    | "invalid_encrypted_content"
    | "multimodal_tool_content_unsupported"
    | "thinking_signature"
    | "llama_cpp_grammar_pattern"
    /** An answer that is none: a web page, broken JSON, no end. */
    | "invalid_response"
    | "aborted"
    | "unknown";
  /** HTTP status, when there was an answer. */
  readonly status?: number;
  readonly retryable: boolean;
  /** A shorter history may pass. */
  readonly shouldCompress?: boolean;
  /** Another key of the same provider may pass. */
  readonly shouldRotateCredential?: boolean;
  /** Another model or provider may pass where this one will not. */
  readonly shouldFallback?: boolean;
  /** Milliseconds that the provider asked us to wait. */
  readonly retryAfterMs?: number;
  /** One sentence for a person; no secret, no body dump. */
  readonly message: string;
}

export type ModelEvent =
  | { readonly type: "text"; readonly delta: string }
  | { readonly type: "reasoning"; readonly delta: string }
  | {
      readonly type: "finish";
      readonly reason: "stop" | "length" | "tool_calls" | "content_filter";
      readonly toolCalls: readonly ToolCall[];
      readonly usage?: Usage;
      readonly state?: ProviderState;
    }
  | { readonly type: "failed"; readonly failure: ModelFailure };

export interface ProviderContext {
  readonly fetch: typeof fetch;
  readonly signal: AbortSignal;
  /** Milliseconds until a call without any answer is given up. */
  readonly requestTimeoutMs: number;
  /** Milliseconds between two pieces of a stream until it is given up. */
  readonly stallTimeoutMs: number;
}

/** How to reach one vendor's endpoint, from settings; `apiKey` may be empty for local endpoints. */
export interface ProviderConnection {
  readonly baseUrl?: string;
  readonly apiKey?: string;
  /** The Workers AI binding, in deployments that have one. */
  readonly ai?: { run(model: string, input: Record<string, unknown>): Promise<unknown> };
}

/** One API mode: how a vendor's endpoint is spoken to. */
export interface Provider {
  readonly name: string;
  /**
   * Streams one model answer, ending with exactly one `finish` or `failed`. Never throws: an abort is a `failed`
   * event with reason `aborted`. Does not retry: the turn decides that.
   */
  stream(request: ModelRequest, connection: ProviderConnection, context: ProviderContext): AsyncIterable<ModelEvent>;
}
