import { type Call, hasFlag, optionsOf } from "../call";
import type { CommandRule } from "../rule";

const PROGRAMS = (
  "aws gcloud gsutil bq az doctl fly flyctl heroku vercel netlify wrangler railway render supabase firebase linode-cli hcloud scw ibmcloud oci " +
  "kubectl oc helm k3s eksctl kops minikube kind k3d argocd flux istioctl kustomize " +
  "terraform tofu terragrunt pulumi cdk sam serverless sls amplify copilot eb s3cmd s3api mc b2 rclone " +
  "gh glab hub npm pnpm yarn cargo gem twine vault consul nomad op bw dokku pm2 cf turso neonctl planetscale pscale upstash stripe influx " +
  "vagrant virsh vboxmanage multipass lxc incus proxmox qm pct govc openstack nova ansible cloudflared ngrok apt apt-get aptitude yum dnf pacman zypper apk brew snap flatpak dpkg rpm"
).split(" ");
const PACKAGE_MANAGERS: ReadonlySet<string> = new Set(
  "apt apt-get aptitude yum dnf pacman zypper apk brew snap flatpak dpkg rpm npm pnpm yarn cargo gem".split(" "),
);

// as a word of its own or the first part of one: `delete`, `delete-stack`, `apps:destroy`
const DESTROYS =
  /^(?:[\w-]+:)*(?:delete|destroy|terminate|purge|drop|deprovision|decommission|uninstall|undelete|nuke|wipe|erase|unpublish|yank|drain|evict|deregister|detach-policy|revoke|disable-key|schedule-key-deletion|reset|prune|del|remove|rb|rm|down|undefine)(?:-[\w-]+|:[\w-]+|[A-Z]\w*)*$/;
const ALWAYS =
  /^(?:[\w-]+:)*(?:delete|destroy|terminate|purge|deprovision|nuke|wipe|erase|unpublish|yank|undefine|down|remove)(?:-[\w-]+|:[\w-]+|[A-Z]\w*)*$/;

/** Destroys what runs or is kept elsewhere. */
export const cloudRules: readonly CommandRule[] = [
  {
    key: "cloud.destroy",
    category: "cloud",
    description: "destroy something that runs or is kept elsewhere",
    programs: PROGRAMS,
    unless: ["--help", "-help", "--dry-run", "--dryrun"],
    when: destroys,
  },
  {
    key: "cloud.apply",
    category: "cloud",
    description: "change infrastructure without showing the plan first",
    programs: ["terraform", "tofu", "terragrunt", "pulumi", "cdk"],
    unless: ["--help", "-help"],
    when: (call) => {
      const { operands } = optionsOf(call);
      if (call.program === "pulumi")
        return (
          /^(?:up|update|destroy)$/.test(operands[0] ?? "") && hasFlag(call, "-y", "--yes", "-f", "--skip-preview")
        );
      return (
        hasFlag(call, "-auto-approve", "--auto-approve", "-destroy", "--destroy") &&
        /^(?:apply|destroy)$/.test(operands.find((operand) => operand !== "run-all") ?? "")
      );
    },
  },
  {
    key: "cloud.destroy",
    category: "cloud",
    description: "destroy something that runs or is kept elsewhere",
    programs: ["terraform", "tofu"],
    verbs: ["state rm|mv|push|replace-provider", "workspace delete", "taint", "force-unlock"],
    unless: ["--help", "-help"],
  },
  {
    key: "cloud.scale-down",
    category: "cloud",
    description: "take down something that runs elsewhere",
    programs: ["kubectl", "oc"],
    when: ({ args }) =>
      (args.includes("scale") && /--replicas[= ]0(?: |$)/.test(args.join(" "))) ||
      (args.includes("replace") && args.includes("--force")),
  },
  {
    key: "cloud.stop",
    category: "cloud",
    description: "stop something that runs elsewhere",
    programs: ["aws", "gcloud", "az", "doctl", "hcloud"],
    when: ({ args }) =>
      args.some((arg) => /^(?:stop-\w+|reboot-\w+|stop|deallocate|power-off|reset)$/.test(arg)) &&
      args.some((arg) => /^(?:ec2|compute|instances|vm|server|droplet-action|rds|droplet)$/.test(arg)),
  },
  {
    key: "cloud.public",
    category: "cloud",
    description: "open something to everybody",
    programs: ["aws", "gcloud", "gsutil", "gh", "az"],
    when: ({ args }) => /public-read|allUsers|--visibility[= ]public|0\.0\.0\.0\/0|AllUsers/.test(args.join(" ")),
  },
];

function destroys(call: Call): boolean {
  const { program, args } = call;
  const { operands } = optionsOf(call);
  if (PACKAGE_MANAGERS.has(program)) return destroysPackages(program, operands, call);
  if (program === "aws" && operands.at(-1) === "help") return false;
  if (program === "aws" && operands[0] === "s3")
    return /^(?:rb|rm)$/.test(operands[1] ?? "") || (operands[1] === "sync" && hasFlag(call, "--delete"));
  if (program === "aws" && operands[0] === "s3api") return /^(?:delete|put-bucket-policy)/.test(operands[1] ?? "");
  if (LOCAL_NOUNS[program]?.test(operands[0] ?? "") === true) return false;
  if (program === "gh" || program === "glab") return destroysOnForge(operands, args);
  if (program === "pm2") return operands[0] === "kill" || (operands[0] === "delete" && operands[1] === "all");
  if (program === "kubectl" || program === "oc")
    return /^(?:delete|drain|cordon|taint)$/.test(operands[0] ?? "") && operands[0] !== "cordon";
  // the verb stands among the first words; what follows are names
  const words = operands.slice(0, 4);
  const verb = words.findIndex(
    (operand) =>
      DESTROYS.test(operand) &&
      (ALWAYS.test(operand) || operands.length > 1 || program === "terraform" || program === "tofu"),
  );
  const before = words.slice(NAMES_SERVICE_FIRST.test(program) ? 1 : 0, Math.max(0, verb));
  return verb !== -1 && !before.some((word) => OTHER_VERBS.test(word)) && !isReading(program, operands);
}

/** What only the machine here keeps, and can be had again. */
const LOCAL_NOUNS: Readonly<Record<string, RegExp>> = {
  helm: /^(?:repo|plugin)$/,
  gh: /^(?:alias|extension|config)$/,
  gcloud: /^components$/,
  vagrant: /^(?:plugin|box)$/,
};

/** Verbs behind which everything is a name. */
const OTHER_VERBS =
  /^(?:set|get|put|read|describe|list|ls|show|create|add|update|invoke|deploy|submit|ssh)(?:-[\w-]+)?$/;
/** Programs whose first word is never a verb: `logs`, `run` and `deploy` are services. */
const NAMES_SERVICE_FIRST = /^(?:aws|gcloud|az|oci|ibmcloud)$/;

function isReading(program: string, [verb = ""]: readonly string[]): boolean {
  if (NAMES_SERVICE_FIRST.test(program)) return false;
  return /^(?:help|list|ls|get|describe|show|logs?|status|version|plan|validate|fmt|init|output|run|dev|deploy|tail)$/.test(
    verb,
  );
}

/** Options with which a package manager only says what it would do. */
const REHEARSALS: Readonly<Record<string, readonly string[]>> = {
  apt: ["-s", "--simulate", "--just-print", "--recon", "--no-act"],
  "apt-get": ["-s", "--simulate", "--just-print", "--recon", "--no-act"],
  yum: ["--assumeno", "--downloadonly"],
  dnf: ["--assumeno", "--downloadonly"],
  pacman: ["-p", "--print"],
  zypper: ["-D"],
  dpkg: ["--simulate", "--no-act"],
  rpm: ["--test", "-q", "--query", "-V", "--verify"],
  apk: ["-s", "--simulate"],
};

function destroysPackages(program: string, operands: readonly string[], call: Call): boolean {
  if (hasFlag(call, ...(REHEARSALS[program] ?? []))) return false;
  const [verb = "", next] = program === "yarn" && operands[0] === "npm" ? operands.slice(1) : operands;
  if (program === "pacman") return call.args.some((arg) => arg.startsWith("-R"));
  if (program === "dpkg") return call.args.some((arg) => /^(?:-P|-r|--purge|--remove)$/.test(arg));
  if (program === "rpm") return call.args.some((arg) => /^(?:-[a-z]*e[a-z]*|--erase)$/.test(arg));
  if (/^(?:npm|pnpm|yarn|cargo|gem)$/.test(program))
    return /^(?:unpublish|yank|deprecate)$/.test(verb) || (verb === "owner" && next !== "ls");
  if (program === "brew" || program === "snap" || program === "flatpak")
    return /^(?:uninstall|remove|rm)$/.test(verb) && hasFlag(call, "--force", "--zap", "--purge", "--delete-data");
  return /^(?:purge|remove|autoremove|erase|del|rm)$/.test(verb);
}

function destroysOnForge(operands: readonly string[], args: readonly string[]): boolean {
  const [noun = "", verb = ""] = operands;
  if (noun === "api")
    return (
      args.some((arg, at) => /^(?:-X|--method)$/.test(arg) && /^delete$/i.test(args[at + 1] ?? "")) ||
      args.some((arg) => /^(?:-XDELETE|--method=DELETE)$/i.test(arg))
    );
  return (
    /^(?:delete|archive|unlink|remove|delete-asset)$/.test(verb) ||
    (noun === "repo" && verb === "edit" && args.some((arg) => arg.startsWith("--visibility")))
  );
}
