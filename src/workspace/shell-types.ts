import type { Bash, BashOptions } from "just-bash/browser";

/** Types that just-bash uses in its interface without naming them. */
export type ExecutionLimits = NonNullable<BashOptions["executionLimits"]>;

/** A parsed script. */
export type Script = ReturnType<Bash["transform"]>["ast"];

export type Statement = Script["statements"][number];
