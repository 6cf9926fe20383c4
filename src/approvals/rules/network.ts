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
    operand: (operand) => /^https?:/.test(operand),
  },
  {
    key: "remote-code.by-option",
    category: "remote-code",
    description: "run a program by an option that is not meant for it",
    programs: ["tar", "zip", "rsync", "bsdtar", "gtar"],
    when: ({ args }) =>
      args.some((arg) =>
        /^--checkpoint-action=exec|^--to-command|^--unzip-command|^-TT$|^--info-script|^--new-volume-script|^--rsh=.*\bsh -c/.test(
          arg,
        ),
      ),
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
  const path = /(?:^|=)[@<]?([^=@<]+)$/.exec(arg)?.[1] ?? arg;
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
