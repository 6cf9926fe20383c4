import type { Attachment } from "./message";
import type { ChatType } from "./session-key";

/** One thing an operator sets for a platform. `key` is its name in config.yaml, `env` its name in the environment. */
export interface PlatformSetting {
  readonly key: string;
  readonly env: string;
  /** The platform is on when all its required settings are set. */
  readonly required?: boolean;
  readonly secret?: boolean;
  /** One line for docs and error messages. */
  readonly describe: string;
}

/** The settings of one platform account, by `key`. Values are what the operator gave, never empty strings. */
export interface PlatformAccount {
  /** Absent for the platform's only account. */
  readonly id?: string;
  readonly settings: Readonly<Record<string, string>>;
}

/** A webhook request with its bytes as they came: signatures are over bytes, never over re-written JSON. */
export interface WebhookRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: Uint8Array;
}

/** Where an answer goes. Plain JSON: it is stored with the turn and outlives the process. */
export interface DeliveryTarget {
  readonly chatId: string;
  readonly threadId?: string;
  /** Message that the answer replies to, where the platform shows that. */
  readonly replyTo?: string;
  /** The person who asked, where a platform needs it to answer (ephemeral replies, streams). */
  readonly userId?: string;
}

export type InboundKind =
  | "message"
  | "edited_message"
  | "message_deleted"
  | "command"
  | "button"
  | "reaction_added"
  | "reaction_removed"
  | "member_joined"
  | "delivery_status"
  | "ignored";

/** One thing that happened on a platform, verified and in our words. Plain JSON: it crosses RPC and may be stored. */
export interface InboundEvent {
  readonly kind: InboundKind;
  /** The platform's own id of this delivery, for logs. May restart or repeat: never a dedupe key by itself. */
  readonly eventId: string;
  /**
   * Keys, unique within the session, that make a second arrival of the same meaning a no-op. By meaning, not by
   * delivery: message id and edit date, not update id.
   */
  readonly dedupeKeys: readonly string[];
  readonly chatId: string;
  readonly chatType: ChatType;
  /** Thread or topic that the message is in; absent for a root message. */
  readonly threadId?: string;
  /**
   * Set where a root message opens a thread for its answer (a mention in a Slack channel): the conversation is then
   * that thread's.
   */
  readonly opensThread?: string;
  readonly chatTitle?: string;
  readonly userId: string;
  readonly userName?: string;
  /** Author's words: the bot's own mention removed, entities unescaped, outer blanks trimmed. */
  readonly text: string;
  /** Text as received, after decoding alone. */
  readonly rawText: string;
  /** Id of this message; for edits, reactions and buttons the message acted upon. Absent where there is none. */
  readonly messageId?: string;
  readonly mentionsBot: boolean;
  readonly replyTo?: string;
  readonly replyToBot: boolean;
  /** Text of the message replied to, when the platform sends it along. */
  readonly replyToText?: string;
  /** `dm`, mention, reply to the bot, command or button: what a group bot answers to. */
  readonly addressed: boolean;
  readonly attachments: readonly Attachment[];
  readonly isFromBot: boolean;
  readonly command?: { readonly name: string; readonly args: string };
  readonly action?: { readonly id: string; readonly value: string; readonly callbackId?: string };
  readonly reaction?: { readonly emoji: string };
  /** Albums: messages with one value belong together. */
  readonly mediaGroupId?: string;
  /** Another chat that gets the answer, as `platform:chat[:thread]`; the sender's own chat when absent. */
  readonly deliverTo?: string;
  /** The client may have cut a longer text here: more may follow at once. */
  readonly nearSplitLimit?: boolean;
  readonly target: DeliveryTarget;
  /** Epoch milliseconds, by the platform's clock. */
  readonly at: number;
}

/** What a webhook request came to. */
export interface Received {
  readonly events: readonly InboundEvent[];
  /** The answer that the platform demands once the events are stored; 200 with an empty body when absent. */
  readonly response?: { readonly status: number; readonly body?: string; readonly contentType?: string };
}

export interface Button {
  readonly label: string;
  /** Comes back as the action's value; at most 64 bytes, the narrowest platform's limit. */
  readonly value: string;
  readonly style?: "primary" | "danger";
}

/** A file to send: bytes are read when the send happens. */
export interface OutboundFile {
  readonly kind: Attachment["kind"];
  readonly name: string;
  readonly mime: string;
  readonly bytes: Uint8Array;
}

/** One message to hand over: Markdown of at most the adapter's length, which the adapter turns into its dialect. */
export interface OutboundMessage {
  readonly markdown: string;
  readonly buttons?: readonly Button[];
  readonly file?: OutboundFile;
}

export interface SendOptions {
  /** The same for every try of one message: given to the platform where it has an idempotent send. */
  readonly key: string;
  readonly signal: AbortSignal;
}

export interface SentMessage {
  readonly messageId: string;
}

/**
 * Speaks to one platform account. Made per use by {@link PlatformAdapter.open}; holds no state that matters.
 *
 * Every method throws {@link GatewayError}: `rate_limited` (429, with `retryAfterMs`), `unavailable` (5xx: not
 * accepted), `unconfirmed` (timeout, reset, 502, 504: may have been accepted), `refused` (any other answer of no).
 */
export interface PlatformClient {
  send(target: DeliveryTarget, message: OutboundMessage, options: SendOptions): Promise<SentMessage>;
  /** Replaces a message of ours. Idempotent: "not modified" is success. */
  edit?(target: DeliveryTarget, messageId: string, message: OutboundMessage, options: SendOptions): Promise<void>;
  /** Looks in the platform's history for a message that was sent with this key. Resolves undefined when it is not there. */
  findSent?(
    target: DeliveryTarget,
    key: string,
    options: { readonly sinceMs: number; readonly signal: AbortSignal },
  ): Promise<SentMessage | undefined>;
  /** Shows that an answer is being written. Failures do not matter. */
  typing?(target: DeliveryTarget, signal: AbortSignal): Promise<void>;
  /** Tells the platform that a button press was heard. Failures do not matter. */
  acknowledge?(event: { readonly callbackId: string; readonly text?: string }, signal: AbortSignal): Promise<void>;
  /** Fetches an attachment's bytes. @throws GatewayError `too_large` over `maxBytes`. */
  fetchAttachment?(
    attachment: Attachment,
    options: { readonly maxBytes: number; readonly signal: AbortSignal },
  ): Promise<{ readonly bytes: Uint8Array; readonly mime: string }>;
}

/** What an adapter may use of the world; tests inject it. */
export interface PlatformIo {
  readonly fetch: typeof fetch;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/**
 * One messenger: verifies and reads what it sends us, and speaks to it. Written as pure functions over Web standards;
 * `cloudflare:*` and SDKs stay out.
 */
export interface PlatformAdapter {
  /** Wire name: the route `/webhooks/<name>`, the session key and config.yaml use it. */
  readonly name: string;
  readonly label: string;
  readonly settings: readonly PlatformSetting[];
  /** Whether what is set is enough, where "all required settings" cannot say it. */
  readonly isOn?: (settings: Readonly<Record<string, string>>) => boolean;
  readonly limits: {
    /** Longest text of one message, in `unit`. */
    readonly textLength: number;
    readonly unit: "utf16" | "codepoint" | "byte";
    /** Largest webhook body in bytes: 413 beyond it. */
    readonly bodyBytes: number;
  };
  readonly delivery: {
    /** The platform drops a second send with the same key. */
    readonly idempotent: boolean;
    /** Milliseconds between two edits of a growing answer; absent where messages cannot be edited. */
    readonly editIntervalMs?: number;
  };
  /** Who may talk without an allow-list: `strangers` get a pairing code; `signed` senders are trusted by signature. */
  readonly access: "strangers" | "signed";
  /** Stands for the slash of a command where the platform keeps messages with a slash to itself. */
  readonly commandMark?: string;
  /** One paragraph for the system prompt: what renders here and how long an answer should be. */
  readonly promptHint: string;
  /**
   * Verifies a request over its raw bytes and reads its events.
   * @throws GatewayError `signature_invalid` | `bad_request`
   */
  receive(request: WebhookRequest, account: PlatformAccount, io: PlatformIo): Promise<Received>;
  open(account: PlatformAccount, io: PlatformIo): PlatformClient;
}
