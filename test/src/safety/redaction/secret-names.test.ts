import { expect, it } from "vitest";
import { secrecyOf } from "#src/safety/redaction/secret-names";

it.each([
  "password",
  "DB_PASSWORD",
  "MYSQL_PWD",
  "PGPASSWORD",
  "userPassword",
  "spring.datasource.password",
  "REDIS_PASS",
  "password2",
  "adminpw",
  "dbpass",
  "wifi_psk",
])("knows a password by %s", (name) => expect(secrecyOf(name)).toBe("password"));

it.each([
  "API_KEY",
  "apiKey",
  "x-api-key",
  "clientSecret",
  "client-secret",
  "AWS_SECRET_ACCESS_KEY",
  "authToken",
  "SECRET_KEY_BASE",
  "GH_TOKEN",
  "privateKey",
])("knows a secret by %s", (name) => expect(secrecyOf(name)).toBe("secret"));

it.each(["key", "session_id_value", "auth", "signature", "csrf"])("wants a random value for %s", (name) => {
  expect(secrecyOf(name)).toBe("random");
});

it.each([
  "MAX_TOKENS",
  "token_count",
  "TOKEN_LIMIT",
  "tokenizer",
  "secretary",
  "PASSWORD_FILE",
  "API_KEY_ID",
  "token_type",
  "partition_key",
  "publicKey",
  "KEYBOARD",
  "monkey",
  "author",
  "compass",
  "bypass",
  "password_hash_algo",
  "password_rules",
  "tokenValidator",
  "nextToken",
  "passenger",
  "",
  "host",
])("does not take %s for a secret's name", (name) => expect(secrecyOf(name)).toBe("none"));
