import { HOME } from "./markers";

/** What a file is to the system, the person or the agent, for whoever would write it. */
export type FileKind = "device" | "kernel" | "system" | "credentials" | "start-up" | "agent" | "project";

const HOME_FOLDER = `^(?:${HOME}|/root|/home/[^/]+|/Users/[^/]+|\\$env:USERPROFILE|%USERPROFILE%|\\$env:HOME|[A-Za-z]:/Users/[^/]+)/`;

/** Files that hold keys and passwords. */
const CREDENTIALS = new RegExp(
  `${HOME_FOLDER}(?:\\.ssh(?:/.*)?|\\.aws/(?:credentials|config)|\\.netrc|_netrc|\\.pgpass|\\.my\\.cnf|\\.npmrc|\\.pypirc|\\.git-credentials|` +
    "\\.docker/config\\.json|\\.kube(?:/.*)?|\\.gnupg(?:/.*)?|\\.config/(?:gh|gcloud|hub)(?:/.*)?|\\.azure/.*|\\.cargo/credentials.*|\\.gem/credentials|" +
    "\\.terraform\\.d/.*|\\.password-store/.*|\\.vault-token|Library/Keychains/.*)$",
  "u",
);
/** Files that run when a person logs in or opens a shell, or that git runs. */
const START_UP = new RegExp(
  `${HOME_FOLDER}(?:\\.(?:bash|zsh|ksh|csh|tcsh)rc|\\.(?:bash_|z)?(?:profile|login|logout)|\\.bash_aliases|\\.zshenv|\\.(?:z|bash_)?log(?:in|out)|\\.inputrc|\\.vimrc|` +
    "\\.gitconfig|\\.config/(?:git/config|fish(?:/.*)?|autostart(?:/.*)?|systemd(?:/.*)?)|Library/LaunchAgents(?:/.*)?|\\.xinitrc|\\.xprofile|\\.pam_environment)$",
  "u",
);
const AGENT = new RegExp(
  `${HOME_FOLDER}(?:\\.|AppData/Local/)(?:hermes|talaria)/(?:.*/)?(?:config\\.yaml|\\.env|auth\\.json|SOUL\\.md)$`,
  "u",
);

const SYSTEM =
  /^\/(?:usr\/?)?$|^(?:\/private)?\/etc(?:\/|$)|^\/(?:boot|bin|sbin|lib\d*|usr\/(?:bin|sbin|lib\d*|libexec))(?:\/|$)|^\/var\/spool\/cron|^\/private\/var\/(?!folders|tmp)|^\/(?:System|Library)\/|^\/lib\/systemd|^[A-Za-z]:\/Windows(?:\/|$)/i;
const KERNEL = /^\/(?:proc\/(?:sys\/|sysrq-trigger$|\d+\/)|sys\/)/;

/** Disks by their oldest names, those that are only files or memory, and memory; what else is a disk is never written. */
const DEVICE =
  /^\/dev\/(?:[sh]d|r?disk|loop\d|ram\d|mapper\/|dm-|md\d|zvol\/|nbd\d|k?mem$|port$|nvram|mtd|fb\d|input\/|bus\/|watchdog|rtc)/;

/** Kinds of a path that is resolved; undefined for everything that may be written without a thought. */
export function fileKind(path: string): FileKind | undefined {
  const unified = path.includes("\\") ? path.replaceAll("\\", "/").replaceAll(/["']/g, "") : path;
  if (KERNEL.test(unified)) return "kernel";
  if (SYSTEM.test(unified)) return "system";
  if (AGENT.test(unified)) return "agent";
  if (CREDENTIALS.test(unified)) return "credentials";
  if (START_UP.test(unified)) return "start-up";
  if (DEVICE.test(unified)) return "device";
  return isProjectFile(unified) ? "project" : undefined;
}

/** The secrets and the configuration of the project in which the command runs; examples and templates are not. */
function isProjectFile(path: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (/^\.env(?:\.[\w-]+)*$/.test(name)) return !/example|sample|template|dist|test/.test(name);
  return (
    /^config\.ya?ml$/.test(path) ||
    /(?:^|\/)\.git\/(?:config|hooks\/[^/]+)$/.test(path) ||
    /^\.(?:envrc|npmrc)$/.test(path)
  );
}

/** Whether a file holds the secrets of a project: read by everybody who works on it, but not sent away. */
export function isPrivateFile(path: string): boolean {
  return /(?:^|\/)\.env(?:\.(?!example|sample|template|dist)\w+)*$/.test(path);
}

/** Whether it is a folder of keys and passwords. */
export function isSecretFolder(path: string): boolean {
  return /(?:^|\/)\.(?:ssh|aws|gnupg|kube|password-store)\/?(?:\*)?$/.test(path);
}

/** Whether whoever reads a file learns a key or a password. */
export function isSecretFile(written: string): boolean {
  const path = written.includes("\\") ? written.replaceAll(/\\+/g, "/") : written;
  if (/^\/etc\/(?:g?shadow-?|sudoers|ssh\/ssh_host_\w+_key)$|^\/proc\/(?:\d+|self)\/environ$/.test(path)) return true;
  if (/(?:^|\/)\.ssh\/(?:config|known_hosts\w*|authorized_keys|[\w.-]*\.pub)$/.test(path)) return false;
  if (/(?:^|\/)(?:id_(?:rsa|dsa|ecdsa|ed25519)(?:_\w+)?|\.git-credentials|\.netrc|\.pgpass|\.vault-token)$/.test(path))
    return true;
  if (
    /(?:^|\/)\.aws\/credentials$|(?:^|\/)\.(?:kube\/config|docker\/config\.json)$|\/\.gnupg\/(?:private|secring)/.test(
      path,
    )
  )
    return true;
  if (
    /(?:^|\/)\.config\/(?:gh\/hosts\.yml|hub|gcloud\/(?:application_default_credentials\.json|\w+\.db|legacy_credentials\/.*))$/.test(
      path,
    )
  )
    return true;
  if (
    /(?:^|\/)\.(?:cargo\/credentials(?:\.toml)?|terraform\.d\/credentials\.tfrc\.json|azure\/\w*[tT]okens?\w*\.\w+)$/.test(
      path,
    )
  )
    return true;
  return /^(?:\ufdd1|\/root|\/home\/[^/]+|[A-Za-z]:\/Users\/[^/]+)\/\.(?:ssh\/[^/]+|hermes\/(?:\.env|auth\.json)|npmrc|pypirc)$/u.test(
    path,
  );
}
