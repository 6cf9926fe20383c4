import type { Suite } from "../result";
import { errors } from "./errors";
import { parallel } from "./parallel";
import { platform } from "./platform";
import { split } from "./split";
import { toolpairs } from "./toolpairs";

/** Every format of acceptance cases. A new one is a file here and one line in this list. */
export const suites: readonly Suite[] = [errors, parallel, platform, split, toolpairs];
