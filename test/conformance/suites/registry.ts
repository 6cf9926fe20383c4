import type { Suite } from "../result";
import { approvals } from "./approvals";
import { errors } from "./errors";
import { hooks } from "./hooks";
import { parallel } from "./parallel";
import { platform } from "./platform";
import { redact } from "./redact";
import { split } from "./split";
import { ssrf } from "./ssrf";
import { threats } from "./threats";
import { toolpairs } from "./toolpairs";

/** Every format of acceptance cases. A new one is a file here and one line in this list. */
export const suites: readonly Suite[] = [
  approvals,
  errors,
  hooks,
  parallel,
  platform,
  redact,
  split,
  ssrf,
  threats,
  toolpairs,
];
