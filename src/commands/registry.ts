import type { Command } from "#src/domain/command";
import { approve } from "./approve";
import { compress } from "./compress";
import { deny } from "./deny";
import { help } from "./help";
import { hooks } from "./hooks";
import { model } from "./model";
import { newConversation } from "./new";
import { pairing } from "./pairing";
import { queue } from "./queue";
import { retry } from "./retry";
import { start } from "./start";
import { status } from "./status";
import { steer } from "./steer";
import { stop } from "./stop";
import { title } from "./title";
import { undo } from "./undo";
import { usage } from "./usage";
import { whoami } from "./whoami";
import { yolo } from "./yolo";

/**
 * Every slash command. A new one is one file and one line here. The order counts: `/help` shows it, and of several
 * commands that begin alike, the first is the one that their beginning means.
 */
export const commands: readonly Command[] = [
  newConversation,
  retry,
  undo,
  compress,
  title,
  stop,
  queue,
  steer,
  approve,
  deny,
  yolo,
  status,
  model,
  usage,
  whoami,
  pairing,
  hooks,
  help,
  start,
];
