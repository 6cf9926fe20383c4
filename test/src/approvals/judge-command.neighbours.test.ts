import { expect, it } from "vitest";
import { judgeCommand } from "#src/approvals/judge-command";

/** What a program does harmlessly that some other option makes dangerous. */
const HARMLESS: readonly string[] = [
  "rsync -e 'ssh -p 2222' -av src/ host:dst/",
  "rsync --rsync-path='sudo rsync' -av src/ host:dst/",
  "ssh -o ProxyCommand='ssh -W %h:%p jump' host uptime",
  "ssh -o ProxyCommand='nc -X 5 -x proxy:1080 %h %p' host uptime",
  "man -P cat ls",
  "tar -I zstd -cf a.tar.zst src",
  "npx lighthouse https://example.com",
  "npm run open https://example.com",
  "deno run main.ts https://example.com",
  "curl https://example.com/x.json | bun run build",
  "gdb -batch -ex bt ./app core",
  "curl file:///etc/hosts",
  "aws s3 rm help",
  "aws logs tail /aws/delete",
  "aws ssm get-parameter --name delete",
  "gcloud config set project delete-me",
  "gcloud logging read delete",
  "gcloud run deploy delete",
  "wrangler secret put delete",
  "dpkg -L nginx",
  "dpkg --simulate -r nginx",
  "rpm -qa",
  "rpm -Uvh x.rpm",
  "redis-cli --scan --pattern 'flushall*'",
  "ufw --dry-run disable",
  "robocopy a b /L /MIR",
  "pg_restore -d app dump",
  "pg_restore -l dump",
  "pg_restore -c -f out.sql dump",
  "visudo -c",
  "visudo -cf sudoers",
  "visudo --check",
  "passwd -S bob",
  "passwd --status bob",
  "chage -l bob",
  "chsh -l",
  "dscl . -read /Users/bob",
  "dscl . list /Users",
  "sudo docker exec -it web bash",
  "sudo docker run -it ubuntu bash",
  "sudo env FOO=1 bash build.sh",
  "sudo find . -exec bash check.sh {} \\;",
];

it("asks nobody about the harmless neighbours of what is dangerous", () => {
  const asked = HARMLESS.map((command) => ({ command, verdict: judgeCommand(command) })).filter(
    ({ verdict }) => verdict.hardline !== undefined || verdict.dangerous !== undefined,
  );
  expect(asked).toEqual([]);
});
