import type { HookDialectName } from "./hook";
import type { JsonValue } from "./json";

/** Hooks that were added at run time, in the words of their system. */
export interface HookSource {
  readonly id: string;
  /** Told from the text when absent. */
  readonly dialect?: HookDialectName;
  readonly native: JsonValue;
  /** Epoch milliseconds. */
  readonly addedAt: number;
}

/** The source of a hook module that was not deployed with the Worker. */
export interface HookModuleSource {
  /** Hex digits: its name, and what a hook that names it was approved with. */
  readonly sha256: string;
  /** Bytes of UTF-8. */
  readonly bytes: number;
  /** Epoch milliseconds. */
  readonly addedAt: number;
}

/** A hook that is left alone for a while, because it failed too often. */
export interface OpenCircuit {
  /** Failures in a row. */
  readonly consecutive: number;
  /** Epoch milliseconds. */
  readonly openedAt: number;
  /** Milliseconds until one call is tried. */
  readonly openMs: number;
}

/** What a profile knows of its hooks beside config.yaml. `approvals` are the hooks' own business, as plain JSON. */
export interface ProfileHooks {
  readonly sources: readonly HookSource[];
  readonly approvals: readonly JsonValue[];
  /** The master switch. */
  readonly isOn: boolean;
  /** Ids of hooks that are switched off one by one. */
  readonly disabled: readonly string[];
  /** Modules that were running when the process died, twice in a row: not called until somebody says so. */
  readonly quarantined: readonly string[];
  /** By hook. */
  readonly circuits: Readonly<Record<string, OpenCircuit>>;
  /** Since when nothing was delivered to an observer, by hook. Epoch milliseconds. */
  readonly failing: Readonly<Record<string, number>>;
  /** Hashes of the module sources that are kept. */
  readonly modules: readonly string[];
  /** What the signing secrets of hooks that brought none are made from. It never leaves for a list or a log. */
  readonly seed: string;
  /** How often a hook's secret was renewed, and when last: for a day after, the one before it signs as well. */
  readonly renewals: Readonly<Record<string, { readonly count: number; readonly at: number }>>;
}

export const NO_PROFILE_HOOKS: ProfileHooks = {
  sources: [],
  approvals: [],
  isOn: true,
  disabled: [],
  quarantined: [],
  circuits: {},
  failing: {},
  modules: [],
  seed: "",
  renewals: {},
};
