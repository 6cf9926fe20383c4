import type { Suite } from "../result";
import { errors } from "./errors";
import { hooks } from "./hooks";
import { parallel } from "./parallel";
import { platform } from "./platform";
import { split } from "./split";
import { ssrf } from "./ssrf";
import { toolpairs } from "./toolpairs";

/** Every format of acceptance cases. A new one is a file here and one line in this list. */
export const suites: readonly Suite[] = [errors, hooks, parallel, platform, split, ssrf, toolpairs];
