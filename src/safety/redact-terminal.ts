import { redactSecrets, type RedactOptions } from "./redact-secrets";

/** What a command printed, without secrets: an environment that was dumped is read strictly, other output is not. */
export function redactTerminal(command: string, output: string, options: RedactOptions = {}): string {
  if (!printsEnvironment(command)) return redactSecrets(output, "terminal", options);
  return redactSecrets(output, "log", { ...options, isDump: true });
}

const MAX_COMMAND_CHARS = 16_384;
const ENVIRONMENT_FILE =
  /(?:^|[\s/"'=<:])(?:\.env(?:\.[\w.-]+)?|[\w.-]+\.env|\.envrc|environ|\.(?:netrc|npmrc|pypirc|pgpass|bashrc|zshrc|profile|bash_profile|zshenv|git-credentials|dockercfg|my\.cnf)|credentials(?:\.\w+)?|secrets?\.(?:ya?ml|json|toml|env|txt)|\.dev\.vars|auth\.json)(?=$|[\s"';|&)>:])/;
const DUMPS =
  /(?:^|[\s;&|(`"'/])(?:printenv|env(?=\s*(?:$|[|;&)"'>]|-0|--null))|export(?=\s*(?:$|[|;&)>]|-p\b))|set(?=\s*(?:$|[|;&)>]))|(?:declare|typeset)(?=\s+-\w*[xp]|\s*(?:$|[|;&)]))|compgen\s+-[ev]|show-environment|(?:gci|get-childitem|dir|ls)\s+env:|os\.environ|process\.env(?!\.\w)|system\.getenv\(\)|env\.to_h|phpinfo)/i;
const VAULTS =
  /\b(?:docker\s+(?:compose\s+)?(?:inspect|config)|kubectl\s+(?:get|describe)\s+(?:secrets?|cm|configmaps?)|heroku\s+config|vercel\s+env|fly(?:ctl)?\s+(?:secrets|config)|railway\s+variables|vault\s+(?:kv\s+)?(?:get|read)|op\s+(?:read|item)|aws\s+(?:secretsmanager|ssm|configure)|gcloud\s+(?:secrets|auth)|az\s+(?:keyvault|account)|gh\s+auth|terraform\s+output|git\s+credential|security\s+find-|pass\s+show|doppler\s+secrets|wrangler\s+secret|netlify\s+env|dotenv\s+list|supabase\s+secrets|ps\s+\w*e\w*ww?)\b/i;

/** True for a command that prints variables or files of secrets, however it is wrapped. */
export function printsEnvironment(command: string): boolean {
  const said = command.slice(0, MAX_COMMAND_CHARS).replaceAll(/\\\r?\n/g, " ");
  return DUMPS.test(said) || ENVIRONMENT_FILE.test(said) || VAULTS.test(said);
}
