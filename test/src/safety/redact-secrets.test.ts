import { describe, expect, it } from "vitest";
import { redactSecrets, type RedactMode } from "#src/safety/redact-secrets";
import { letters } from "./letters";

const KEY = letters("word", 40);
const PASSWORD = "s3cr3tpw";
const MODES: readonly RedactMode[] = ["log", "code", "file_read", "strict_url", "terminal"];

it.each([
  `OPENAI_API_KEY=${KEY}`,
  `export GITHUB_TOKEN="${KEY}"`,
  `CF_API_TOKEN = ${KEY}`,
  `{"clientSecret":"${KEY}","expires_in":3600}`,
  `{'api_key': '${KEY}'}`,
  String.raw`{\"apiKey\":\"${KEY}\"}`,
  `:password => "${KEY}"`,
  `X-Api-Key: ${KEY}`,
  `curl -H "Authorization: Bearer ${KEY}" https://x.example`,
  `Set-Cookie: sid=${KEY}; HttpOnly`,
  `a=1&token=${KEY}&b=2`,
  `--token ${KEY}`,
  `<apiKey>${KEY}</apiKey>`,
  `{"name":"API_KEY","value":"${KEY}"}`,
  `machine api.example.com login me password ${KEY}`,
  `set password to ${KEY}`,
  `setx API_TOKEN ${KEY}`,
  `aws configure set aws_secret_access_key ${KEY}`,
  `localStorage.setItem('token', '${KEY}')`,
  `npm config set //registry.example.com/:_authToken ${KEY}`,
  `client(api_key="${KEY}")`,
  `("Authorization", "Bearer ${KEY}")`,
  `https://maker.ifttt.com/trigger/x/with/key/${KEY}`,
])("takes the value of a secret field out of a log: %#", (text) => {
  expect(redactSecrets(text, "log")).not.toContain(KEY.slice(0, 12));
});

it.each([
  `MYSQL_PWD=${PASSWORD}`,
  `token = ab12cd.${PASSWORD}`,
  `api_key=ab12.${PASSWORD}`,
  `password: ${PASSWORD}`,
  `Server=db;User Id=sa;Password=${PASSWORD};`,
  `host=db password=${PASSWORD} user=x`,
  `postgresql+asyncpg://app:${PASSWORD}@db/app`,
  `redis://:${PASSWORD}@host:6379/0`,
  `https://user:p@${PASSWORD}@example.com/x`,
  `curl -u admin:${PASSWORD} https://x.example`,
  `mysql -u root -p${PASSWORD}`,
  `my password is ${PASSWORD}`,
  `[sudo] password for u: ${PASSWORD}`,
  `keytool -storepass ${PASSWORD} -list`,
  `ALTER USER root IDENTIFIED BY '${PASSWORD}';`,
  `CREATE USER x WITH PASSWORD '${PASSWORD}';`,
  `define('DB_PASSWORD', '${PASSWORD}');`,
])("takes a password out of a log: %s", (text) => {
  expect(redactSecrets(text, "log")).not.toContain(PASSWORD);
});

it("leaves the rest of the line", () => {
  expect(redactSecrets(`{"token":"${KEY}","expires_in":3600}`, "log")).toBe('{"token": "***","expires_in":3600}');
  expect(redactSecrets(`mysql://root:${PASSWORD}@localhost/x`, "log")).toBe("mysql://root:***@localhost/x");
});

it.each([
  'API_KEY=os.getenv("API_KEY")',
  "const token = await getToken()",
  "api_key: Optional[str] = None",
  "API_KEY=${API_KEY}",
  "Authorization: Bearer <token>",
  "Access-Control-Allow-Headers: Authorization, X-Api-Key",
  'allowedHeaders: ["Authorization", "Content-Type"]',
  'API_KEY="sk-ant-..."',
  "TOKEN=`cat token.txt`",
  "PASSWORD=$1",
  "token = :token",
  "token = SyntaxKind.EqualsToken;",
  "credentials = includeCredentials;",
  "apiKey: connectionClient.apiKey,",
  "authorization: _authorization,",
  "exports.Keys = api_keys_1.APIKeys;",
  "self.credentials = authorizer",
  "password: Uint8Array, salt: Uint8Array",
  'if ("password" in options) password = "username" in options',
  "type Credentials = 'omit' | 'include'",
  "credentials: 'include'",
  '["password", "password2"]',
  'update("secret", "base64")',
  '"scripts": { "token": "node token.js" }',
  '{"api_key": "The key to use", "password": "Forgot your password?"}',
  "ask(prompt='Password: ', stream=None)",
  'print("Token: ", value)',
  'license = "BSD-2-Clause or Apache-2.0"',
  '"@scope/token": "^0.3.0"',
  '"src/signing-key.ts": "2222f7eb6ece95150013aabf414cdb67e04009ed"',
  'Key: "1min_35sec.mp4"',
  'token: "GITHUB_TOKEN"',
  "pass_rate: 95, passThrough = 1",
  "gpg --recv-keys CC68F5A3106FF448322E48ED27F5E38D5B0A215F",
  "token=token)",
  'password = input("Password: ")',
  "ENV TOKEN_LIMIT 100",
  "postgres://{user}:{password}@host/db",
  "MAX_TOKENS=4096",
  "OLDPWD=/home",
  "password: !vault",
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
  "reset password to v2api",
  "prompt_tokens=12 completion_tokens=34",
  "The password must have 12 characters.",
  "password: required",
  "password: ********",
  "secret santa: Bob",
  "partition_key=user_id",
  "tokenizer: cl100k_base",
  "I am_not_a_token_really",
  "sk-your-api-key-here",
  "sk_buff_head_init",
  "task-list-2024-01-15-final-version",
  "550e8400-e29b-41d4-a716-446655440000",
  "commit 3593871c15d694c1957f8db03911731a6b2dc782",
  "https://example.com/docs?page=2&sort=key",
  "https://user@example.com/",
  "git@github.com:x/y.git",
  "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ me",
  "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
  "2024-01-01T00:00:00+01:00",
  "+1 415 555",
  "",
])("leaves what is no secret in every mode: %s", (text) => {
  for (const mode of MODES) expect(redactSecrets(text, mode)).toBe(text);
});

describe("modes", () => {
  const code = `const cfg = {"apiKey": "test-fixture-value-1"};\nMY_TOKEN=${KEY}`;

  it("leaves fields of source code and of files that will be written back", () => {
    expect(redactSecrets(code, "code")).toBe(code);
    expect(redactSecrets(code, "file_read")).toBe(code);
  });

  it("names a key in a file, so that a shortened one is not written back for it", () => {
    expect(redactSecrets(`key = "ghp_${letters("word", 36)}"`, "file_read")).toBe('key = "«redacted:ghp_…»"');
  });

  it("takes passwords of connections and headers out of files too", () => {
    expect(redactSecrets(`postgres://u:${PASSWORD}@h/db`, "file_read")).toBe("postgres://u:***@h/db");
    expect(redactSecrets(`Authorization: Bearer ${KEY}`, "code")).toBe("Authorization: Bearer ***");
  });

  it("takes codes and signatures out of addresses that leave only", () => {
    const url = `https://e.example/cb?code=${KEY}&state=1`;
    expect(redactSecrets(url, "strict_url")).toBe("https://e.example/cb?code=***&state=1");
    expect(redactSecrets(url, "log")).toBe(url);
  });

  it("takes telephone numbers out of logs unless told to keep them", () => {
    expect(redactSecrets("call +14155552671 now", "log")).toBe("call +14****71 now");
    expect(redactSecrets("call +14155552671 now", "log", { keepsPhones: true })).toBe("call +14155552671 now");
    expect(redactSecrets("call +14155552671 now", "code")).toBe("call +14155552671 now");
  });

  it("takes the deployment's own values out first", () => {
    const exact = (text: string) => text.replaceAll("opensesame", "[REDACTED]");
    expect(redactSecrets("say opensesame", "code", { exact })).toBe("say [REDACTED]");
  });
});

it("finds keys between colours, in full-width letters and against other letters", () => {
  const key = `ghp_${letters("word", 36)}`;
  for (const text of [`\u001B[31m${key}\u001B[0m`, key.replace("ghp", "ｇｈｐ"), `x${key}`, `${key}${key}`]) {
    expect(redactSecrets(text, "log")).not.toContain(key.slice(10, 30));
  }
  expect(redactSecrets(`gh\u001B[1mp_${letters("word", 36)}`, "log")).toMatch(/^ghp_\w{2}\.{3}\w{4}$/);
});

it("changes nothing more when it redacts again", () => {
  const parts = [
    KEY,
    `ghp_${KEY}`,
    "token",
    "=",
    ": ",
    '"',
    "'",
    "Authorization: Bearer ",
    "https://u:",
    "@",
    " ",
    "\n",
    "&",
    "{",
    "}",
  ];
  for (let seed = 0; seed < 2_000; seed++) {
    const text = Array.from(
      { length: 8 },
      (_, at) => parts[(seed * 31 + at * at * 17 + seed * at) % parts.length],
    ).join("");
    for (const mode of MODES) {
      const once = redactSecrets(text, mode);
      expect(redactSecrets(once, mode)).toBe(once);
    }
  }
});

it.each([
  "sk-",
  "eyJ",
  "token=",
  '"token":"',
  "authorization: ",
  "cookie: a=b; ",
  "https://a:b",
  "-----BEGIN PRIVATE KEY-----\n",
  "+1415555",
  "a\u200B",
  "curl -u ",
  "?token=",
])("ends soon on a long text of %j", (part) => {
  expect(redactSecrets(part.repeat(400_000 / part.length), "strict_url").length).toBeGreaterThan(0);
});
