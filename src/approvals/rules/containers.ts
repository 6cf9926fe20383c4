import { type Call, hasFlag, optionsOf, valuesOf } from "../call";
import { type CommandRule, HARMLESS_FLAGS } from "../rule";

const ENGINES = ["docker", "podman", "nerdctl"];
const COMPOSE = ["docker-compose", "podman-compose"];
const STOPS = "restart|stop|kill|down|rm";

/** Stops or deletes containers and what they keep, or reaches for another machine's. */
export const containerRules: readonly CommandRule[] = [
  {
    key: "container.other-engine",
    category: "container",
    description: "use the containers of another machine",
    programs: ENGINES,
    when: usesOtherEngine,
  },
  {
    key: "container.other-engine",
    category: "container",
    description: "use the containers of another machine",
    programs: [...ENGINES, ...COMPOSE],
    when: ({ environment }) =>
      ["DOCKER_HOST", "CONTAINER_HOST", "DOCKER_CONTEXT", "CONTAINER_CONNECTION"].some(
        (name) => (environment.get(name) ?? "") !== "",
      ),
  },
  {
    key: "container.other-engine",
    category: "container",
    description: "use the containers of another machine",
    programs: ["export", "declare"],
    when: ({ args }) =>
      args.some((arg) => /^(?:DOCKER_HOST|CONTAINER_HOST|DOCKER_CONTEXT|CONTAINER_CONNECTION)=./.test(arg)),
  },
  {
    key: "container.stop",
    category: "container",
    description: "stop, restart or remove containers",
    programs: ENGINES,
    verbs: [
      STOPS,
      `container ${STOPS}|prune`,
      `compose ${STOPS}`,
      "pod stop|rm|kill",
      "stack rm",
      "service rm|remove",
      "swarm leave",
      "node rm",
      "machine stop|rm|reset",
    ],
    unless: HARMLESS_FLAGS,
    when: (call) =>
      optionsOf(call).operands[0] !== "rm" || hasFlag(call, "-f", "--force", "-v", "--volumes", "-a", "--all"),
  },
  {
    key: "container.stop",
    category: "container",
    description: "stop, restart or remove containers",
    programs: COMPOSE,
    verbs: [STOPS],
    unless: HARMLESS_FLAGS,
  },
  {
    key: "container.delete",
    category: "container",
    description: "delete images, volumes or networks",
    programs: ENGINES,
    verbs: [
      "volume rm|remove|prune",
      "system prune|reset",
      "image prune",
      "rmi",
      "image rm|remove",
      "network rm|prune",
      "builder prune",
      "secret rm",
      "config rm",
      "buildx prune|rm",
    ],
    unless: HARMLESS_FLAGS,
    when: (call) => !isSmall(call),
  },
  {
    key: "container.host-access",
    category: "container",
    description: "give a container the rights or the files of this machine",
    programs: [...ENGINES],
    verbs: ["run|create|exec", "container run|create|exec", "compose run|exec"],
    when: reachesHost,
  },
];

/** A named image can be pulled again. */
function isSmall(call: Call): boolean {
  const { operands } = optionsOf(call);
  const isImage = operands[0] === "rmi" || (operands[0] === "image" && operands[1] !== "prune");
  return isImage && !hasFlag(call, "-f", "--force") && operands.length <= (operands[0] === "rmi" ? 2 : 3);
}

function usesOtherEngine(call: Call): boolean {
  const { operands } = optionsOf(call);
  if (operands[0] === "context" && operands[1] === "use") return true;
  if (call.program === "podman" && operands[0] === "system" && operands[1] === "connection")
    return operands[2] === "default";
  const first = call.args.findIndex((arg) => arg === operands[0]);
  const own = first === -1 ? call.args : call.args.slice(0, first);
  return own.some((arg) =>
    /^(?:-H|--host|-c|--context|--url|--connection|--identity|--remote|-r)(?:=|$)|^-H./.test(arg),
  );
}

function reachesHost(call: Call): boolean {
  if (hasFlag(call, "--privileged")) return true;
  const mounts = valuesOf(call, "-v", "--volume").map((value) => value.split(":", 1)[0] ?? "");
  const others = valuesOf(call, "--mount").flatMap((value) => /(?:^|,)(?:src|source)=([^,]*)/.exec(value)?.[1] ?? []);
  if (
    [...mounts, ...others].some((path) =>
      /^\/(?:etc|root|boot|dev|proc|sys|usr|bin|lib|var\/run|home)?(?:\/docker\.sock)?$|docker\.sock$/.test(path),
    )
  )
    return true;
  const namespaces = valuesOf(call, "--pid", "--net", "--network", "--ipc", "--userns", "--uts");
  const capabilities = valuesOf(call, "--cap-add");
  return (
    call.args.some((arg) => /^--(?:pid|ipc|userns|uts)=host$/.test(arg)) ||
    (namespaces.includes("host") && hasFlag(call, "--pid", "--ipc", "--userns")) ||
    capabilities.some((name) => /^(?:CAP_)?(?:ALL|SYS_ADMIN|SYS_PTRACE|SYS_MODULE|DAC_READ_SEARCH)$/i.test(name)) ||
    valuesOf(call, "--security-opt").some((value) => /unconfined/.test(value)) ||
    valuesOf(call, "--device").some((path) => /^\/dev\/(?:sd|nvme|mem|kmem|xvd|vd)/.test(path))
  );
}
