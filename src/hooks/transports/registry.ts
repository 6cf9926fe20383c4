import type { HookTarget } from "#src/domain/hook";
import { type HttpHookPorts, httpTransport } from "../http/http-transport";
import { type CommandPorts, commandTransport } from "./command";
import { type ModulePorts, moduleTransport } from "./module";
import { type PromptPorts, promptTransport } from "./prompt";
import type { HookTransport } from "./transport";

/** What the ways to reach hooks need of the world; one that is absent does not exist here. */
export interface TransportPorts {
  readonly module: ModulePorts;
  readonly http?: HttpHookPorts;
  readonly command?: CommandPorts;
  readonly prompt?: PromptPorts;
}

/** Every way to reach a hook, by the type of its target. A new one is a file here and one line in this list. */
export function hookTransports(ports: TransportPorts): (type: HookTarget["type"]) => HookTransport | undefined {
  const transports: readonly HookTransport[] = [
    moduleTransport(ports.module),
    ...(ports.http === undefined ? [] : [httpTransport(ports.http)]),
    ...(ports.command === undefined ? [] : [commandTransport(ports.command)]),
    ...(ports.prompt === undefined ? [] : [promptTransport(ports.prompt)]),
  ];
  const byType = new Map(transports.map((transport) => [transport.type, transport]));
  return (type) => byType.get(type);
}
