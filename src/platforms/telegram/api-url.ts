import type { PlatformAccount } from "#src/domain/platform";

const DEFAULT_API_BASE = "https://api.telegram.org";

/** Where a Bot API method is called. Holds the token: never to be logged. */
export function apiUrl(account: PlatformAccount, method: string): string {
  return `${baseOf(account)}/bot${account.settings["bot_token"] ?? ""}/${method}`;
}

/** Where a file is fetched. Holds the token: never to be logged or handed on. */
export function fileUrl(account: PlatformAccount, path: string): string {
  const segments = path.split("/").map((segment) => encodeURIComponent(segment));
  return `${baseOf(account)}/file/bot${account.settings["bot_token"] ?? ""}/${segments.join("/")}`;
}

function baseOf({ settings }: PlatformAccount): string {
  return (settings["api_base"] ?? DEFAULT_API_BASE).replace(/\/+$/, "");
}
