import { isBlockDevice } from "../paths";
import type { Rule } from "../rule";
import { type FileKind, fileKind } from "../sensitive-files";

/** Rules about the files that a command writes, by what the file is. */
const writeRules: Readonly<Record<FileKind, Rule>> = {
  device: { key: "disk.device-write", category: "disk", description: "write to a device" },
  kernel: { key: "file.kernel", category: "file", description: "change the running kernel" },
  system: { key: "file.system", category: "file", description: "write files of the system" },
  credentials: { key: "file.credentials", category: "file", description: "write files that hold keys or passwords" },
  "start-up": { key: "file.start-up", category: "file", description: "change what runs when a person logs in" },
  agent: { key: "file.agent", category: "file", description: "change the configuration of the agent that runs this" },
  project: {
    key: "file.project",
    category: "file",
    description: "write the secrets or the configuration of the project",
  },
};

const OVERWRITES_DISK: Rule = { key: "disk.overwrite", category: "disk", description: "overwrite a disk" };
const ASKS_KERNEL: Rule = {
  key: "machine.power",
  category: "machine",
  description: "shut down or restart the machine",
};

/** What must never be written. */
export function writeFloor(path: string): Rule | undefined {
  if (isBlockDevice(path)) return OVERWRITES_DISK;
  return path === "/proc/sysrq-trigger" ? ASKS_KERNEL : undefined;
}

/** What is only written when a person allows it. */
export function writeRule(path: string): Rule | undefined {
  const kind = fileKind(path);
  return kind === undefined ? undefined : writeRules[kind];
}
