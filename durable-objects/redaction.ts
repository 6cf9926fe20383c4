import type { ToolCall, ToolResult } from "#src/domain/message";
import { createRedactor } from "#src/safety/create-redactor";
import { type RedactMode, redactSecrets } from "#src/safety/redact-secrets";
import { printsEnvironment } from "#src/safety/redact-terminal";
import { redactableLength } from "#src/safety/redactable-length";

/** Takes secrets out of what is logged, shown, sent and given to models. */
export interface Redaction {
  /** A text by what it is. */
  text(text: string, mode: RedactMode): string;
  /** A tool's result, by the tool and by what it was asked. */
  result(result: ToolResult, call: ToolCall | undefined): ToolResult;
}

/** Names in the environment whose values are secrets. */
const SECRET_NAME = /(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)(?:__\w+)?$/;

/** The redaction of a deployment: it knows its own secrets, beside the shapes that all secrets have. */
export function openRedaction(
  isOn: boolean,
  environment: { readonly names: readonly string[]; readonly get: (name: string) => string | undefined },
): Redaction {
  const own = environment.names.filter((name) => SECRET_NAME.test(name)).flatMap((name) => environment.get(name) ?? []);
  const exact = createRedactor(own);
  const text: Redaction["text"] = (given, mode) => (isOn ? redactSecrets(given, mode, { exact }) : exact(given));
  return {
    text,
    result(result, call) {
      const command = SHELLS.has(result.name) ? commandOf(call) : undefined;
      const isDump = command !== undefined && printsEnvironment(command);
      const content =
        isOn && isDump
          ? redactSecrets(result.content, "terminal", { exact, isDump: true })
          : text(result.content, MODES.get(result.name) ?? "log");
      return content === result.content ? result : { ...result, content };
    },
  };
}

const SHELLS: ReadonlySet<string> = new Set(["terminal", "execute_code", "process"]);

/** What tools' results are; of a file the model reads what it may write back. */
const MODES: ReadonlyMap<string, RedactMode> = new Map([
  ["read_file", "file_read"],
  ["search_files", "file_read"],
  ["patch", "file_read"],
  ["write_file", "file_read"],
  ["terminal", "terminal"],
  ["execute_code", "terminal"],
  ["process", "terminal"],
]);

function commandOf(call: ToolCall | undefined): string | undefined {
  try {
    const { command } = JSON.parse(call?.arguments ?? "{}") as { readonly command?: unknown };
    return typeof command === "string" ? command : undefined;
  } catch {
    return undefined;
  }
}

/** A last word that may be the beginning of a secret: no word of a language looks like it. */
const SUSPICIOUS =
  /(?:^|[\s"'`(=:,])(?=\S*(?:[0-9_]|[a-z][A-Z]|[A-Z]{2}[a-z])|(?:sk|pk|rk|gh[a-z]|xox|AIza|AKIA|eyJ|glpat|npm|pypi|hf|whsec|xapp)[-_]?)\S{2,}$/;

/** What every secret that can be told has somewhere near it; plain words without any of it are shown as they come. */
const NEAR_SECRETS =
  /\d{3}|[a-z]\d|\d[a-z]|[_=@]|:\/\/|-----|pass|secret|token|key|code|pin\b|credential|contrase|senha|wachtwoord|lösenord|hasło|парол|密码|口令|パスワード/i;
/** Characters of what was shown before that are looked at again with what is new. */
const OVERLAP_CHARS = 32;

/**
 * Redacts a text that grows: whole lines once, and the line under way as far as it has come, without a last word that
 * may be the beginning of a secret. A private key is held back until it has ended.
 */
export function redactGrowing(redaction: Redaction): (whole: string) => string {
  let raw = "";
  let safe = "";
  let seen = 0;
  let isNear = false;
  return (whole) => {
    if (!whole.startsWith(raw) || whole.length < seen) {
      raw = "";
      safe = "";
      seen = 0;
      isNear = false;
    }
    isNear ||= NEAR_SECRETS.test(whole.slice(Math.max(0, seen - OVERLAP_CHARS)));
    seen = whole.length;
    if (!isNear) return whole;
    const end = redactableLength(whole);
    if (end > raw.length) {
      safe += redaction.text(whole.slice(raw.length, end), "strict_url");
      raw = whole.slice(0, end);
    }
    const line = whole.slice(end);
    const words = line.includes("-----") ? "" : line.replace(SUSPICIOUS, "");
    return words === "" ? safe : safe + redaction.text(words, "strict_url");
  };
}

type Level = "error" | "warn" | "log";
type Write = (...parts: unknown[]) => void;

/** Consoles as they were: a new configuration wraps them anew, and not what is wrapped already. */
const plain = new WeakMap<object, Readonly<Record<Level, Write>>>();

/** Keeps the deployment's secrets out of its own log, whoever writes to it. */
export function redactLogs(redaction: Redaction, target: Record<Level, Write> = console): void {
  const before = plain.get(target) ?? { error: target.error, warn: target.warn, log: target.log };
  plain.set(target, before);
  for (const level of ["error", "warn", "log"] as const) {
    target[level] = (...parts) =>
      before[level].apply(
        target,
        parts.map((part) => redacted(part, redaction)),
      );
  }
}

function redacted(part: unknown, redaction: Redaction): unknown {
  if (typeof part === "string") return redaction.text(part, "log");
  if (part instanceof Error) return redaction.text(part.stack ?? part.message, "log");
  return part;
}
