import type { ThreatRule } from "./threat-rule";

/** Commands that carry secrets away. */
export const shellRules: readonly ThreatRule[] = [
  {
    id: "exfil_curl",
    scope: "all",
    needs: ["curl"],
    // one match for each line: what follows is read by `sendsSecret`, in one pass
    pattern: /\bcurl\s[^\n]*/g,
    view: "lines",
    accepts: (line) => sendsSecret(line, SECRET_NAME),
  },
  {
    id: "exfil_wget",
    scope: "all",
    needs: ["wget"],
    pattern: /\bwget\s[^\n]*/g,
    view: "lines",
    accepts: (line) => sendsSecret(line, SECRET_NAME),
  },
  {
    id: "exfil_variable",
    scope: "strict",
    needs: ["curl", "wget"],
    pattern: /\b(?:curl|wget)\s[^\n]*/g,
    view: "lines",
    accepts: (line) => sendsSecret(line, SHORT_SECRET_NAME),
  },
  {
    id: "read_secrets",
    scope: "all",
    needs: ["cat "],
    // up to what else the line does: a file that is written is not read
    pattern: /\bcat [^\n;|&>]*/g,
    view: "lines",
    isNegatable: true,
    unlessBefore: /\b(?:the|a|my|our|his|her|this|that|your) $/,
    accepts: (match) => match.replace(/ #.*$/, "").split(/\s+/).slice(1).some(isSecretFile),
  },
];

const VARIABLE = /\$\{?(?:env:)?([a-z_]\w*)/g;
const SECRET_NAME = /key|token|secret|password|credential|api/;
const SHORT_SECRET_NAME = /passwd|passphrase|_pass\b|_pat\b|_pw\b|_auth\b/;
const PLAIN_NAME =
  /(?:_url|_uri|_host|_base|_port|_version|_endpoint|_path|_dir|_name|_id|_region)$|^(?:keyboard|monkey|keyword)/;
// where a credential belongs: its own header, its own option
const CREDENTIAL_ARGUMENT =
  /(?:-h|--header)[ =]?(?:"[^":]*(?:auth|key|token|secret|cookie|pass)[^":]*:[^"]*"|'[^':]*(?:auth|key|token|secret|cookie|pass)[^':]*:[^']*'|[\w-]*(?:auth|key|token|secret|cookie|pass)[\w-]*:\S*)|(?:-u|--user|--oauth2-bearer|--proxy-user|--http-password|--password|-e)[ =]?(?:"[^"]*"|'[^']*'|\S+)/g;

function sendsSecret(line: string, secret: RegExp): boolean {
  const sent = line.replaceAll(CREDENTIAL_ARGUMENT, " ");
  for (const match of sent.matchAll(VARIABLE)) {
    const name = match[1] ?? "";
    if (secret.test(name) && !PLAIN_NAME.test(name)) return true;
  }
  return false;
}

const SECRET_BASENAME =
  /^(?:[\w*-]*\.env(?:\.[\w-]+)?|[\w.-]*credentials(?:\.(?:json|ya?ml|ini|toml|db|csv|enc|txt|conf))?|\.(?:netrc|pgpass|npmrc|pypirc))$/;
const SAMPLE =
  /^(?:example|sample|template|dummy|import\.meta|process)\b|\.(?:example|sample|template|dist|defaults?|schema|md|[jt]sx?|py|go|rs|rb|java|kt|php|swift)$/;

/** True for the name of a file that holds credentials and not a sample of one. */
function isSecretFile(argument: string): boolean {
  const path = argument.replaceAll(/^["'`(]+|["'`).,:!?]+$/g, "");
  const name = path.slice(path.lastIndexOf("/") + 1);
  return SECRET_BASENAME.test(name) && !SAMPLE.test(name);
}
