import { type Call, hasFlag, optionsOf, valuesOf } from "../call";
import { LOOKED_UP, SECRET, SHELL_OUTPUT } from "../markers";
import { resolveOperand } from "../paths";
import type { CommandRule } from "../rule";
import { isPrivateFile, isSecretFile, isSecretFolder } from "../sensitive-files";

const SENDERS =
  "curl wget http https xh nc ncat netcat socat telnet ftp sftp scp rsync ssh mail mailx sendmail mutt aws gsutil rclone gh gist pastebinit dig nslookup iwr irm invoke-webrequest invoke-restmethod openssl".split(
    " ",
  );
const READERS =
  "cat head tail less more bat nl xxd od hexdump strings base64 base32 tac grep rg awk sed cut sort tar zip 7z gzip cp openssl python3 vim vi nano get-content gc type copy-item".split(
    " ",
  );

/** Options that name a program which a call starts on this machine. */
const STARTING_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  rsync: ["-e", "--rsh", "--rsync-path"],
  scp: ["-S"],
  sftp: ["-S"],
  ssh: [],
  autossh: [],
  man: ["-P", "--pager"],
  tar: ["-I", "--use-compress-program"],
  gtar: ["-I", "--use-compress-program"],
  bsdtar: ["--use-compress-program"],
};

/** Opens the machine to others, or gives secrets away. */
export const networkRules: readonly CommandRule[] = [
  {
    key: "remote-code.shell-server",
    category: "remote-code",
    description: "give a shell to whoever is on the other side of a connection",
    programs: ["nc", "ncat", "netcat"],
    when: (call) => hasFlag(call, "-e", "-c", "--exec", "--sh-exec", "--lua-exec"),
  },
  {
    key: "remote-code.shell-server",
    category: "remote-code",
    description: "give a shell to whoever is on the other side of a connection",
    programs: ["socat"],
    when: ({ args }) => args.some((arg) => /^(?:exec|system):/i.test(arg)),
  },
  {
    key: "remote-code.shell-server",
    category: "remote-code",
    description: "give a shell to whoever is on the other side of a connection",
    programs: ["nc", "ncat", "netcat", "telnet", "socat", "openssl"],
    when: ({ stdin }) => stdin.includes(SHELL_OUTPUT),
  },
  {
    key: "remote-code.run-address",
    category: "remote-code",
    description: "run what comes from the network",
    programs: ["deno", "bun"],
    verbs: ["run|x|install"],
    when: (call) => isAddress(optionsOf(call).operands[1]),
  },
  {
    key: "remote-code.run-address",
    category: "remote-code",
    description: "run what comes from the network",
    programs: ["npx", "bunx", "pnpx", "uvx"],
    when: (call) => isAddress(optionsOf(call).operands[0]),
  },
  {
    key: "remote-code.run-address",
    category: "remote-code",
    description: "run what comes from the network",
    programs: ["npm", "pnpm", "yarn", "pipx"],
    verbs: ["exec|x|dlx|run"],
    when: (call) => isAddress(optionsOf(call).operands[1]),
  },
  {
    key: "remote-code.by-option",
    category: "remote-code",
    description: "run a program by an option that is not meant for it",
    programs: ["tar", "zip", "rsync", "bsdtar", "gtar"],
    when: ({ args }) =>
      args.some((arg) =>
        /^--checkpoint-action=exec|^--to-command|^--unzip-command|^-TT$|^--info-script|^--new-volume-script/.test(arg),
      ),
  },
  {
    key: "remote-code.by-variable",
    category: "remote-code",
    description: "load code into programs from a folder that everybody may write",
    programs: ["*"],
    when: loadsFromOpenFolder,
  },
  {
    key: "remote-code.by-option",
    category: "remote-code",
    description: "run a program by an option that is not meant for it",
    programs: Object.keys(STARTING_OPTIONS),
    when: startsShell,
  },
  {
    key: "secret.send",
    category: "secret",
    description: "send keys, passwords or the environment away",
    programs: SENDERS,
    when: (call) =>
      [...call.args, call.stdin].some((text) => text.includes(SECRET)) ||
      filesSent(call).some(isPrivateFile) ||
      call.args.some((arg, at) => !/^-[a-zA-Z]*i$/.test(call.args[at - 1] ?? "") && namesSecret(arg, call)),
  },
  {
    key: "secret.read",
    category: "secret",
    description: "read keys or passwords",
    programs: READERS,
    when: (call) =>
      call.args
        .map((arg) => resolveOperand(arg, call.cwd))
        .some((path) => isSecretFile(path) || isSecretFolder(path)) || readsRedirected(call),
  },
  {
    key: "secret.export",
    category: "secret",
    description: "read keys or passwords",
    programs: ["gpg", "gpg2", "security", "secret-tool", "vault", "op", "kubectl"],
    when: exportsSecret,
  },
];

const LOADS = /^(?:LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES|BASH_ENV)$/;
const OPEN_FOLDER = /(?:^|[ :])\/(?:tmp|var\/tmp|dev\/shm)\//;

function loadsFromOpenFolder({ program, args, environment }: Call): boolean {
  if (/^(?:export|declare|typeset)$/.test(program))
    return args.some(
      (arg) => LOADS.test(arg.split("=", 1)[0] ?? "") && OPEN_FOLDER.test(arg.slice(arg.indexOf("=") + 1)),
    );
  if (environment.size === 0) return false;
  return [...environment].some(([name, value]) => LOADS.test(name) && OPEN_FOLDER.test(value));
}

function isAddress(operand = ""): boolean {
  return /^https?:/.test(operand);
}

/** A program that an option names, and which is a shell: `ssh` with a port or `nc` to a proxy is meant there. */
function startsShell(call: Call): boolean {
  const settings = valuesOf(call, "-o").flatMap(
    (value) => /^\s*(?:ProxyCommand|LocalCommand|KnownHostsCommand)[ =]+(.*)$/is.exec(value)?.[1] ?? [],
  );
  const named = valuesOf(call, ...(STARTING_OPTIONS[call.program] ?? []));
  return [...named, ...settings].some((text) => /^\s*(?:\S*\/)?(?:ba|z|da|k)?sh(?:\s|$)/.test(text));
}

/** Programs that copy files to other machines. */
const COPIERS = /^(?:scp|rsync|aws|gsutil|rclone|sftp)$/;

/** What a call sends as a whole: by an option, or as what is copied to another machine. */
function filesSent(call: Call): readonly string[] {
  const { operands } = optionsOf(call);
  const isCopied = COPIERS.test(call.program) && /^[\w.-]+(?:@[\w.-]+)?:|:\/\//.test(operands.at(-1) ?? "");
  const uploaded = valuesOf(call, "-T", "--upload-file", "--post-file", "--body-file");
  return isCopied ? operands.slice(0, -1) : uploaded;
}

/** `@file`, `file=@file`, or the file itself. */
function namesSecret(arg: string, { cwd, program }: Call): boolean {
  const path = (/(?:^|=)[@<]?([^=@<]+)$/.exec(arg)?.[1] ?? arg).replace(/^file:\/\//, "");
  if (program === "ssh" || (program === "openssl" && !arg.includes("s_client"))) return false;
  const resolved = resolveOperand(path.replace(/^~(?=\/)/, "\ufdd1"), cwd);
  return (
    isSecretFile(resolved) ||
    (COPIERS.test(program) && isSecretFolder(resolved)) ||
    (/(?:^|=)[@<]/.test(arg) && /(?:^|\/)\.env(?:\.\w+)?$|^\/etc\/passwd$/.test(path))
  );
}

function readsRedirected({ stdin, program }: Call): boolean {
  return program === "cat" && stdin.includes(SECRET) && !stdin.includes(LOOKED_UP);
}

function exportsSecret(call: Call): boolean {
  const words = call.args.join(" ");
  if (call.program.startsWith("gpg"))
    return hasFlag(
      call,
      "--export-secret-keys",
      "--export-secret-subkeys",
      "--delete-secret-keys",
      "--delete-secret-and-public-key",
    );
  if (call.program === "security") return /^(?:dump-keychain|find-\w+-password|export|delete-)/.test(words);
  if (call.program === "kubectl") return /\bget secrets?\b.*(?:-o|--output)/.test(words);
  return call.program === "secret-tool" && valuesOf(call, "lookup").length > 0;
}
