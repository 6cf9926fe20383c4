import type { HookDialectName } from "#src/domain/hook";
import type { HookDialect } from "../dialect";
import { claude } from "./claude";
import { clawdcode } from "./clawdcode";
import { hermes } from "./hermes";
import { hermesGateway } from "./hermes-gateway";
import { native } from "./native";
import { starchild } from "./starchild";

/** Every system whose hooks are understood. A new one is a file here and one line in this list. */
export const DIALECTS: Readonly<Record<HookDialectName, HookDialect>> = {
  native,
  hermes,
  "hermes-gateway": hermesGateway,
  starchild,
  clawdcode,
  claude,
};

/** The dialect that a hook is written in. */
export function dialectOf(name: HookDialectName): HookDialect {
  return DIALECTS[name];
}
