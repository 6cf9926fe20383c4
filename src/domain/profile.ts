import type { JsonValue } from "./json";
import type { ProfileHooks } from "./profile-hooks";
import type { Usage } from "./provider";

/** What sessions need of their profile, cached by version. Plain JSON: it crosses RPC. */
export interface ProfileSnapshot {
  /** Raised by every change. */
  readonly version: number;
  /** Settings made at run time: the first to win. Keys are config paths. */
  readonly runtime: Readonly<Record<string, unknown>>;
  /** People approved at run time, as `platform:userId`. */
  readonly approved: readonly string[];
  /** Approved people who count as owners, as `platform:userId`. */
  readonly owners: readonly string[];
  readonly hooks: ProfileHooks;
  /** Where the keys of model vendors stand, by vendor; never the keys. */
  readonly credentials: Readonly<Record<string, JsonValue>>;
  /** Given to the first one that asks after a start or a deployment. */
  readonly begins?: { readonly isRestart: boolean };
  /** Kinds of danger that are always allowed, by a person's word. */
  readonly allowedAlways: readonly string[];
}

/** What a session tells its profile now and then; sums, so that telling twice changes nothing. */
export interface SessionDigest {
  readonly key: string;
  readonly platform: string;
  readonly title?: string;
  /** First words of the latest message. */
  readonly preview: string;
  /** Epoch milliseconds. */
  readonly updatedAt: number;
  readonly messageCount: number;
  /** Something is owed to a platform, or was given up. */
  readonly owesDeliveries: boolean;
  /** All tokens of this session so far, by day (`YYYY-MM-DD`, UTC) and model. */
  readonly usage: readonly DayUsage[];
}

export interface DayUsage extends Usage {
  readonly day: string;
  readonly model: string;
  readonly calls: number;
  /** US dollars, of the calls whose price is known. */
  readonly costUsd?: number;
}
