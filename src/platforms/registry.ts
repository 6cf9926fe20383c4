import type { PlatformAdapter } from "#src/domain/platform";
import { slack } from "./slack/slack";
import { telegram } from "./telegram/telegram";
import { webhook } from "./webhook/webhook";

/** Every messenger. A new platform is one file (or folder) here and one line in this list. */
export const platforms: readonly PlatformAdapter[] = [telegram, slack, webhook];
