import { parseReply } from "./read-reply";
import { type SidecarAddress, openDoor } from "./sidecar-door";
import { brokenProtocol } from "./sidecar-error";
import { type ExecOptions, type SidecarCommand, type SidecarResult, execute } from "./sidecar-exec";
import { type SidecarFiles, openSidecarFiles } from "./sidecar-files";
import { type SidecarProcesses, openSidecarProcesses } from "./sidecar-processes";

/** What a sidecar says of itself. */
export interface SidecarHealth {
  /** Milliseconds of the longest command. */
  readonly maxTimeoutMs: number;
  /** It can run a command without network. */
  readonly canCutNetwork: boolean;
}

/** One workspace on a sidecar. Every method @throws SidecarError */
export interface SidecarClient {
  /** Where it is, for people. */
  readonly host: string;
  health(): Promise<SidecarHealth>;
  /** The real path of the workspace's folder there. */
  root(): Promise<string>;
  exec(command: SidecarCommand, options: ExecOptions): Promise<SidecarResult>;
  readonly files: SidecarFiles;
  readonly processes: SidecarProcesses;
}

const HEALTH_TIMEOUT_MS = 10_000;

/** The version of the protocol that is spoken here. Source: docs/sidecar-protocol.md */
const PROTOCOL = "v1";

/** Opens a workspace on a sidecar. Nothing is asked before a method is called. */
export function openSidecar(address: SidecarAddress, session: string): SidecarClient {
  const door = openDoor(address, session);
  const ask = async (path: string) => {
    const response = await door.send({ path, timeoutMs: HEALTH_TIMEOUT_MS });
    return parseReply(await door.within(response.text(), HEALTH_TIMEOUT_MS));
  };
  return {
    host: door.host,
    async health() {
      const reply = await ask("/v1/health");
      const protocol = reply.text("protocol");
      if (protocol !== PROTOCOL) throw brokenProtocol(`it speaks ${protocol}, and ${PROTOCOL} is needed`);
      return {
        maxTimeoutMs: reply.object("limits").whole("timeout_ms"),
        canCutNetwork: reply.object("capabilities").flag("network_none"),
      };
    },
    root: async () => (await ask("/v1/session")).text("root"),
    exec: (command, options) => execute(door, command, options),
    files: openSidecarFiles(door),
    processes: openSidecarProcesses(door),
  };
}
