import type { ExecutionLimits } from "./shell-types";

const KIB = 1024;
const MIB = 1024 * KIB;

/** The longest that a command may take, waits included. */
export const MAX_TIMEOUT_MS = 30_000;

/**
 * What one command may compute: about 2 s on a slow core. The thread is shared with other objects and hears nothing
 * meanwhile, and on Workers no clock moves while code computes, so it is counted and not timed.
 */
export const MAX_FUEL = 60_000_000;

/** Bytes of what a command may print; the rest is cut from the middle. Both fit one row of 2 MB. */
export const MAX_STDOUT_BYTES = 768 * KIB;
export const MAX_STDERR_BYTES = 256 * KIB;

/**
 * Limits of the shell itself. Fuel bounds the time; these bound memory, of which an isolate has 128 MB, and give the
 * common mistakes (endless loops and recursion) a message that names them.
 */
export const EXECUTION_LIMITS: ExecutionLimits = {
  maxSourceBytes: MIB,
  maxHeredocSize: MIB,
  maxExecDepth: 16,
  maxCallDepth: 50,
  maxSourceDepth: 16,
  maxSubstitutionDepth: 20,
  maxCommandCount: 50_000,
  maxLoopIterations: 100_000,
  maxAwkIterations: 100_000,
  maxSedIterations: 100_000,
  maxJqIterations: 100_000,
  maxWorkUnits: 2_000_000,
  maxArrayElements: 200_000,
  maxBraceExpansionResults: 50_000,
  maxGlobOperations: 100_000,
  maxTraversalEntries: 50_000,
  maxTraversalWork: 100_000,
  maxTraversalDepth: 64,
  maxFileDescriptors: 64,
  maxStringLength: 4 * MIB,
  maxInputBytes: 16 * MIB,
  maxLiveBytes: 32 * MIB,
  maxOutputSize: 8 * MIB,
  maxArchiveCompressedBytes: 8 * MIB,
  maxArchiveBytes: 16 * MIB,
  maxArchiveEntryBytes: 8 * MIB,
  maxArchiveEntries: 5_000,
  // the timer of the caller comes first and says why
  maxExecutionTimeMs: MAX_TIMEOUT_MS + 5_000,
};
