import type { SpawnOptions } from "node:child_process";

export interface Guard {
  /** Names the process group, by its leader's id, to kill when this process dies; undefined for none. */
  watch(pid: number | undefined): void;
  release(): void;
}

export const STOP_SIGNALS: readonly NodeJS.Signals[];
export function startGuard(): Guard;
export function watchParent(onGone: () => void): () => void;
export function killGroup(pid: number): void;
export function runGuarded(command: string, args: readonly string[], options: SpawnOptions): Promise<number>;
