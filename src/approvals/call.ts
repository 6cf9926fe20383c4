import { UNKNOWN } from "./markers";

/** One program that a command line would run, with its arguments as the shell hands them over. */
export interface Call {
  /** The name alone, in lower case, without folder and `.exe`. */
  readonly program: string;
  /** As it was called. */
  readonly path: string;
  readonly args: readonly string[];
  /** The arguments as they are written: Windows paths lose their backslashes to a shell. */
  readonly sources: readonly string[];
  /** What it reads; empty when nothing is piped in. */
  readonly stdin: string;
  readonly hasStdin: boolean;
  /** Variables that are set for it alone. */
  readonly environment: ReadonlyMap<string, string>;
  /** What stands around it, outermost first: `sudo`, `xargs`, `sh`, `if`, and `&` for what runs on behind. */
  readonly via: readonly string[];
  /** Absent when it cannot be known. */
  readonly cwd?: string;
}

/** Arguments by their kind. */
export interface Options {
  /** Letters as `-r`, one each, and names as `--force`. */
  readonly flags: ReadonlySet<string>;
  /** What is no option and no option's value. */
  readonly operands: readonly string[];
}

// only those that can stand before what decides: a subcommand, a file
const VALUE_OPTIONS: Readonly<Record<string, string>> = {
  git: "-C -c --git-dir --work-tree --namespace --exec-path --config-env",
  docker: "-H --host -c --context -l --log-level --config --tlscacert --tlscert --tlskey -f --file -p --project-name",
  podman: "-H --host -c --connection --url --identity --log-level --root -f --file -p --project-name",
  "docker-compose": "-f --file -p --project-name -H --host --context --profile --env-file",
  kubectl: "-n --namespace --context --kubeconfig -s --server --cluster --user --token --as -l --selector",
  helm: "-n --namespace --kube-context --kubeconfig",
  aws: "--profile --region --endpoint-url --output --query",
  gcloud: "--project --account --format --region --zone --configuration",
  az: "--subscription -g --resource-group --output -o",
  hermes: "-p --profile -m --model -r --resume --provider",
  talaria: "-p --profile",
  systemctl: "-H --host -M --machine -t --type -n --lines -o --output -p --property -s --signal",
  npm: "-w --workspace -C --prefix --registry",
  pnpm: "-C --dir --filter -F",
  terraform: "-chdir",
  rsync: "-e --rsh -f --filter --exclude --include --exclude-from --include-from --files-from --log-file --partial-dir",
  scp: "-i -P -F -o -l -c -J -S",
  chmod: "--reference",
  chown: "--reference --from",
  truncate: "-s --size -r --reference",
  shred: "-n --iterations -s --size",
  gh: "-R --repo",
  "redis-cli": "-h -p -s -a -u -n -r -i --user --pass --cacert --pattern",
  wrangler: "-c --config -e --env --cwd",
  pm2: "-n --name",
};

const VALUE_OPTIONS_OF: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(VALUE_OPTIONS).map(([program, flags]) => [program, new Set(flags.split(" "))]),
);
const NONE: ReadonlySet<string> = new Set();

const read = new WeakMap<Call, Options>();

/** The options and operands of a call. A single dash in front of several letters is each letter, and the whole too. */
export function optionsOf(call: Call): Options {
  const known = read.get(call);
  if (known !== undefined) return known;
  const options = readOptions(call);
  read.set(call, options);
  return options;
}

function readOptions({ program, args }: Call): Options {
  const takesValue = VALUE_OPTIONS_OF.get(program) ?? NONE;
  const flags = new Set<string>();
  const operands: string[] = [];
  let isOver = false;
  for (let at = 0; at < args.length; at += 1) {
    // what is unknown inside of an option is most often nothing
    const arg = args[at] ?? "";
    const isOption = !isOver && arg.length > 1 && arg.startsWith("-");
    if (!isOption) operands.push(arg);
    else if (arg === "--") isOver = true;
    else {
      addFlags(arg.replaceAll(UNKNOWN, ""), flags);
      if (takesValue.has(arg)) at += 1;
    }
  }
  return { flags, operands };
}

function addFlags(arg: string, flags: Set<string>): void {
  const name = arg.split(/[=:]/, 1)[0] ?? arg;
  flags.add(name);
  if (!arg.startsWith("--")) for (const letter of name.slice(1)) flags.add(`-${letter}`);
}

/** Programs that take a long option cut short. */
const ABBREVIATING: ReadonlySet<string> = new Set(
  "git sudo rm chmod chown chgrp cp mv ln install shred truncate wget crontab".split(" "),
);

/** Whether one of some options is there. */
export function hasFlag(call: Call, ...wanted: readonly string[]): boolean {
  const { flags } = optionsOf(call);
  if (wanted.some((flag) => flags.has(flag))) return true;
  return ABBREVIATING.has(call.program) && wanted.some((flag) => flag.startsWith("--") && hasLongFlag(call, flag));
}

/** Whether a long option is there, cut short or not, as GNU programs take it. */
export function hasLongFlag(call: Call, name: string): boolean {
  for (const flag of optionsOf(call).flags)
    if (flag.length > 2 && flag.startsWith("--") && name.startsWith(flag)) return true;
  return false;
}

/** The values of an option, as `-x value`, `-xvalue`, `--name value` or `--name=value`. */
export function valuesOf(call: Call, ...names: readonly string[]): readonly string[] {
  const found: string[] = [];
  call.args.forEach((arg, at) => {
    for (const name of names) {
      const next = call.args[at + 1];
      if (arg === name && next !== undefined) found.push(next);
      else if (arg.startsWith(`${name}=`)) found.push(arg.slice(name.length + 1));
      else if (name.length === 2 && arg.length > 2 && arg.startsWith(name)) found.push(arg.slice(2));
    }
  });
  return found;
}

/** Whether the operands begin with these words. */
export function beginsWith(call: Call, words: string): boolean {
  const { operands } = optionsOf(call);
  return words.split(" ").every((word, at) => word.split("|").includes(operands[at] ?? ""));
}
