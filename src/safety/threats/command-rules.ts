import { anyOf, inOrder } from "./phrase";
import type { ThreatRule } from "./threat-rule";

const SECRET_PATH =
  /(?:\.env(?!rc|ironment|\.(?:example|sample|template))\b|\.netrc|\.pgpass|\.git-credentials|\.aws\b|\.ssh\b|\.gnupg|\.kube\/config|\.docker\/config|id_(?:rsa|ed25519|ecdsa|dsa)(?!\.pub)|\/etc\/(?:shadow|passwd|sudoers)|credentials\b|\.npmrc|\.pypirc|\.hermes\/)/;

/** Commands that no note or skill needs: foreign code run unseen, secrets sent, traces and guards removed. */
export const commandRules: readonly ThreatRule[] = [
  {
    id: "remote_code",
    scope: "strict",
    view: "lines",
    isNegatable: true,
    pattern: anyOf(
      /\b(?:curl|wget|fetch|iwr|invoke-webrequest|irm)\s[^\n|]{0,400}\|\s{0,4}(?:sudo\s{1,4}(?:-\w+\s{1,4})?)?(?:env\s)?(?:\/(?:usr\/)?bin\/)?(?:ba|z|da|k|fi)?sh\b/,
      /\b(?:curl|wget|iwr|irm|invoke-webrequest)\s[^\n|]{0,400}\|\s{0,4}(?:sudo\s{1,4})?(?:python[23]?|perl|ruby|node|php|iex|invoke-expression|osascript)\b/,
      /\b(?:curl|wget)\s[^\n]{0,300}chmod\s{1,4}\+x\s{1,4}\S{1,200}\s{0,4}(?:&&|;)\s{0,4}(?:sudo\s{1,4})?\.?\//,
      /\b(?:wget\s|curl\s[^\n|]{0,200}(?:\s-\w{0,4}o\s|>|--output))[^\n|]{0,200}(?:&&|;)\s{0,4}(?:sudo\s{1,4})?(?:ba|z|da)?sh\s{1,4}(?!-c)\S/,
      /\b(?:python[23]?|node|perl|ruby|php)\s{1,4}-\w\s{1,4}["']?\$\(\s{0,4}(?:curl|wget)\b/,
      /\b(?:exec|eval)\s{0,2}\(\s{0,2}(?:requests\.get|urlopen|urllib\S{0,30}urlopen|open\(["']https?:|file_get_contents\(\\?["']https?:|await fetch)/,
      /\b(?:python[23]?|node|perl|ruby)\s{1,4}<\(\s{0,4}(?:curl|wget)\b/,
      /\b(?:ba|z|da)?sh\s{1,4}(?:-c\s{1,4})?["']?(?:<\(|\$\()\s{0,4}(?:curl|wget)\b/,
      /\b(?:eval|source)\s{1,4}["']?(?:\$\(|<\(|\x60)\s{0,4}(?:curl|wget|base64|echo|printf|nc)\b/,
      /\biex\s{0,2}\(/,
      /\bpowershell(?:\.exe)?\s[^\n]{0,80}-e(?:nc|ncodedcommand)?\s/,
    ),
  },
  {
    id: "encoded_code",
    scope: "strict",
    view: "lines",
    isNegatable: true,
    needs: [
      "base",
      "exec",
      "char",
      "eval",
      "xxd",
      "decode",
      "function",
      "rot13",
      "decrypt",
      "decipher",
      "scramble",
      "convert",
      "translate",
      "reverse",
    ],
    pattern: anyOf(
      /\bbase(?:64|32)\s{1,4}(?:-d|--decode|-di)\b[^\n|]{0,200}\|\s{0,4}(?:sudo\s)?(?:(?:ba|z|da)?sh|python[23]?|perl|node)\b/,
      /\b(?:eval|exec)\s{0,2}\(\s{0,2}string\.fromcharcode\b/,
      /\bnew function\s{0,2}\(\s{0,2}atob\b/,
      /\b(?:rot13|decrypt|decipher|unscramble|convert|translate|reverse) (?:\S+ ){0,8}?(?:and|then) (?:obey|follow (?:it|them|the (?:orders|instructions|result))|do (?:exactly )?(?:what|as) (?:it|they) (?:says?|tells?|asks?))\b/,
      /\b(?:exec|eval)\s{0,2}\(\s{0,2}(?:base64[._]|atob|gzinflate|str_rot13|buffer\.from|bytes\.fromhex|codecs\.decode|compile|__import__|zlib)/,
      /\bxxd\s{1,4}-r[^\n|]{0,80}\|\s{0,4}(?:ba)?sh\b/,
      /\bdecode (?:\S+ ){0,6}(?:and|then) (?:\S+ ){0,2}(?:follow|execute|run|obey|do|perform|apply)\b/,
    ),
  },
  {
    id: "environment_exfil",
    scope: "strict",
    view: "lines",
    isNegatable: true,
    pattern: anyOf(
      /\b(?:env|printenv|set|export -p|os\.environ|process\.env|declare -x)\b[^\n|]{0,200}\|\s{0,4}(?:[\w.-]+[^\n|]{0,60}\|\s{0,4})?(?:nc|ncat|netcat|curl|wget|socat|telnet|openssl s_client|ssh|mail|mailx|sendmail|http|https)\b/,
      /\b(?:http|xh|httpie)\s{1,4}(?:(?:post|put|patch)\s)[^\n]{0,200}=\s?["']?\$\{?\w*(?:key|token|secret|passw)/,
      /\b(?:env|printenv)\s{0,4}>\s{0,4}\S{1,80}[^\n]{0,80}\b(?:curl|wget|nc|scp)\b/,
      /\b(?:iwr|irm|invoke-webrequest|invoke-restmethod)\s[^\n]{0,200}\$env:\w*(?:key|token|secret|password)/,
      /\b(?:curl|wget|nc|fetch|requests\.(?:post|get|put)|httpx\.\w+|axios|urlopen)\b[^\n]{0,200}(?:\$\((?:env|printenv|cat|set)\b|os\.environ|process\.env|\x60(?:env|printenv|cat)\b)/,
    ),
  },
  {
    id: "secret_file_exfil",
    scope: "strict",
    view: "lines",
    isNegatable: true,
    pattern: anyOf(
      /\b(?:nslookup|dig|host|ping)\s[^\n]{0,120}(?:\$\(|\$\{?\w*(?:secret|token|key|pass))/,
      inOrder(/\b(?:curl|wget|scp|rsync|nc|ftp|aws s3 cp|gsutil|rclone)\s[^\n]{0,300}/, SECRET_PATH),
      inOrder(
        SECRET_PATH,
        /[^\n]{0,100}(?:\||>)\s{0,4}(?:base64\b[^\n|]{0,20}\|\s{0,4})?(?:nc|ncat|netcat|curl|wget|socat|telnet|openssl s_client|ssh|mail|mailx|sendmail|http|https)\b/,
      ),
      inOrder(SECRET_PATH, /[^\n]{0,100}\bto\b[^\n]{0,40}https?:\/\//),
    ),
  },
  {
    id: "secret_file_read",
    scope: "strict",
    view: "lines",
    isNegatable: true,
    needs: [".env", "rc", ".aws", "environ", ".netrc", ".pgpass", "credentials", "config", "id_", "shadow", ".gnupg"],
    unlessBefore:
      /\b(?:will|can|could|may|to|automatically|also|apps?|it|tools?|that|which|loader|dotenv|vite|we|they) $/,
    accepts: (match) => !/\.env\.(?:example|sample|template|dist)/.test(match),
    pattern: anyOf(
      /\b(?:less|more|head|tail|strings|xxd|hexdump|base64|type|get-content|bat|nl|tac|od|open|read|print|show|steal|copy|cp|tar|zip|gzip|grep|awk|sed|view|dump|output|include|send|cat)[\s(][^\n;|&#]{0,80}?(?<=[\s/~"'\x60(])(?:\.env(?=[\s"'\x60),;|&]|$|\.(?:local|production|prod|staging|development|dev)\b)|\.netrc|\.pgpass|\.git-credentials|\.aws\/credentials|\.kube\/config|\.docker\/config\.json|id_(?:rsa|ed25519|ecdsa|dsa)(?!\.pub)\b|\/etc\/shadow|\.gnupg\/)/,
      /\b(?:less|more|head|tail|bat|nl|base64|xxd|strings|grep\s[^\n;|&]{0,40}(?:key|token|secret|pass|auth))[^\n;|&]{0,80}?(?<=[\s/~"'])(?:\.npmrc|\.pypirc|\.aws)(?=[\s"'\x60),;|&]|$)/,
      /\bcat\s[^\n;|&]{0,40}\/proc\/(?:self|\d{1,7})\/environ\b/,
      /\$\(<\s{0,2}\S{0,80}(?:\.env|\.netrc|id_rsa|credentials)\b|\bdd\s[^\n]{0,40}if=\S{0,80}(?:\.env\b|\.netrc|id_rsa|\/etc\/shadow)/,
    ),
  },
  {
    id: "reverse_shell",
    scope: "strict",
    view: "lines",
    isNegatable: true,
    pattern: anyOf(
      /\/dev\/(?:tcp|udp)\//,
      /\b(?:nc|ncat|netcat)\s[^\n]{0,80}-(?:\w{0,4}e|-exec|c)\s/,
      /\b(?:nc|ncat|netcat)\s[^\n|]{0,80}\|\s{0,4}(?:ba|z)?sh\b|\bexec\s{0,2}\(?\s{0,2}\\?["']\/bin\/(?:ba|z)?sh\b/,
      /\bmkfifo\s[^\n]{0,120}\b(?:nc|sh)\b/,
      /\bsocat\s[^\n]{0,120}exec:/,
      /\b(?:pty\.spawn|os\.dup2)\b/,
      /\bssh\s(?:[^\n]{0,80}\s)?-\w{0,4}r\s{0,2}\d{1,5}:/,
      /\bbash -i\b/,
    ),
  },
  {
    id: "network_pipe",
    scope: "strict",
    view: "lines",
    isNegatable: true,
    pattern: anyOf(
      /\|\s{0,4}(?:nc|ncat|netcat|telnet)\s{1,4}\S+\s{1,4}\d{1,5}\b/,
      /\b(?:post|upload|paste|publish|put|dump|share) (?:\S+ ){0,4}?(?:keys?|secrets?|passwords?|credentials?|tokens?|\.env|database|config|it|them) (?:\S+ ){0,2}?(?:on|to|at|in) (?:a |the )?(?:public )?(?:pastebin|hastebin|ghostbin|termbin|paste site)\b/,
      /\b(?:webhook\.site|requestbin\.\w+|pipedream\.net|burpcollaborator\.net|oast\.\w+|interact\.sh|transfer\.sh|file\.io|0x0\.st|pastebin\.com\/(?:api|raw))\b/,
    ),
  },
  {
    id: "destruction",
    scope: "strict",
    view: "lines",
    isNegatable: true,
    pattern: anyOf(
      /\brm\s{1,4}(?:-{1,2}[\w-]{1,20}\s{1,4}){1,4}["']?(?:\/(?=[\s"'*;&|]|$)|\/\*|~|\$home|\$\{home\}|\*(?:\s|$)|\.\s{0,2}$|\/(?:etc|usr|var|home|boot|root|bin)\b)/,
      /\bmkfs(?:\.\w+)?\s[^\n]{0,60}\/dev\//,
      /\bfind\s{1,4}(?:\/|~|\$home)\s[^\n]{0,80}-delete\b/,
      /\bdd\s[^\n]{0,80}\bof=\/dev\/(?:sd|nvme|hd|disk|vd)/,
      /:\s{0,2}\(\)\s{0,2}\{\s{0,2}:\s{0,2}\|/,
      />\s{0,2}\/dev\/(?:sd|nvme|hd)/,
      /\bchmod\s{1,4}(?:-\w+\s{1,4})?(?:777|a\+rwx|u\+s|\+s|4[0-7]{3})\s/,
      /\bdrop\s{1,4}(?:database|schema)\s/,
      /\bformat c:/,
      /\bdel \/[fsq]\b[^\n]{0,20}\*/,
    ),
  },
  {
    id: "persistence",
    scope: "strict",
    view: "lines",
    isNegatable: true,
    // what everybody keeps in a shell's start-up file
    accepts: (match, view, index) =>
      !/\.(?:bashrc|zshrc|bash_profile|profile|zprofile)$/.test(match) ||
      !/\b(?:(?:\w*path|editor|locale|prompt)\b|alias(?:es)?\b|\w+ (?:init|hook|completion) (?:-|bash|zsh)|nvm|pyenv|completions?\b)/.test(
        lineAt(view, index),
      ) ||
      /\b(?:curl|wget|nc|base64|https?)\b/.test(lineAt(view, index)),
    pattern: anyOf(
      /(?:>|\b(?:tee|append|add|write|insert|echo)\s)[^\n]{0,120}(?:[~/\s]\.(?:bashrc|zshrc|bash_profile|profile|zprofile)|\/etc\/(?:crontab|cron\.|rc\.local|sudoers|ld\.so|systemd\/|profile)|\bsudoers\b)/,
      /\|\s{0,4}crontab\b/,
      /\bcrontab\s{1,4}-(?![el]\b)/,
      /\b(?:add|create|install|set up|schedule|insert) (?:(?:an?|the|new) ){0,3}(?:cron ?job|crontab(?: entry| line)?|scheduled task|systemd (?:service|unit|timer)|launch agent|startup (?:script|item|entry)|login (?:item|script|hook)|git hook)\b[^.!?\n]{0,60}\b(?:curl|wget|exfil\w*|reverse shell|backdoor|miner|phones? home|beacons?|uploads? (?:the |all )?(?:code|source|secrets|files|repo\w*))\b/,
      />\s{0,4}\S{0,80}\.git\/hooks\/[\w-]{1,30}/,
      /\buseradd\s[^\n]{0,60}-u\s{0,4}0\b/,
      /\breg\s{1,4}add\s[^\n]{0,120}\\currentversion\\run/,
      /\blaunchctl\s{1,4}(?:load|bootstrap)/,
      /\buser(?:mod|add)\s[^\n]{0,60}\b(?:sudo|wheel|root)\b/,
      /\bnopasswd\s{0,2}:/,
      /\bgit\s{1,4}config\s{1,4}--global\s{1,4}(?:core\.(?:hookspath|sshcommand|pager|editor)|alias|credential|url)/,
      /\bschtasks\s[^\n]{0,40}\/create/,
    ),
  },
  {
    id: "anti_forensics",
    scope: "strict",
    view: "lines",
    isNegatable: true,
    pattern: anyOf(
      /\bhistory\s{1,4}-c\b/,
      /\bunset\s{1,4}histfile\b/,
      /\bhistfile=\/dev\/null/,
      /\bhistsize=0\b/,
      /\b(?:shred|srm|wipe)\s{1,4}(?:-\w+\s{1,4})?\S*(?:log|history)/,
      /\brm\s[^\n]{0,60}(?:\/var\/log|_history|\.log\b)/,
      /\b(?:clear|delete|erase|wipe|remove|truncate|clean) (?:\S+ ){0,4}(?:audit logs?|shell history|bash history|command history|your logs?|logs? (?:afterwards?|when (?:you are )?done|after)|your tracks|all traces|evidence|all logs)\b/,
      /\band (?:then )?(?:delete|clear|wipe|erase) (?:the |all |your )*logs\b(?! (?:older|after|from|in)\b)/,
      /\bcover (?:your|our|the|its) tracks\b/,
      /\bauditctl\s{1,4}-(?:d|e\s?0)/,
      /\bsetenforce\s{1,4}0/,
      /\biptables\s{1,4}-f\b/,
      /\bufw\s{1,4}disable/,
      /\bkill\w*\s[^\n]{0,40}(?:auditd|falco|osquery|crowdstrike|defender)/,
    ),
  },
  {
    id: "mining_or_supply_chain",
    scope: "strict",
    view: "lines",
    isNegatable: true,
    pattern: anyOf(
      /\bxmrig\b/,
      /\bstratum\+(?:tcp|ssl):\/\//,
      /\b(?:minerd|cgminer|cpuminer|nicehash|coinhive)\b/,
      /\b(?:pip3?|uv pip)\s{1,4}install\s[^\n]{0,120}(?:--(?:extra-)?index-url|--trusted-host|git\+http:|https?:\/\/(?!github\.com|files\.pythonhosted\.org|download\.pytorch\.org))/,
      /\bnpm\s{1,4}(?:config\s{1,4}set\s{1,4}registry|install\s[^\n]{0,80}(?:--registry[ =]|https?:\/\/(?!github\.com|registry\.npmjs\.org)))/,
      /\b(?:node_tls_reject_unauthorized\s{0,2}=\s{0,2}["']?0|strict-ssl\s{1,4}false|http\.sslverify\s{1,4}false)/,
    ),
  },
];

function lineAt(view: string, index: number): string {
  const end = view.indexOf("\n", index);
  return view.slice(index, end < 0 ? index + 400 : Math.min(end, index + 400));
}
