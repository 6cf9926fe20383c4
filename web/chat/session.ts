/** The session in view, which most parts of the page need: its key, empty until the address is read. */
export const inView = { sessionKey: "" };

export const MAIN_SESSION = "main:web:dm:owner";

/** The platform that a session is on. */
export function platformOf(key: string): string {
  return decodeURIComponent(key.split(":")[1] ?? "").split("@")[0] ?? "";
}

/** A name that lasts: previews change with every message. */
export function nameOf(key: string, title: string | undefined): string {
  if (title !== undefined && title !== "") return title;
  if (key === MAIN_SESSION) return "Main chat";
  return platformOf(key) === "web" ? "Chat" : decodeURIComponent(key.split(":").slice(2).join(" "));
}

/** The address of a session on this page. */
export function hrefOf(key: string): string {
  return `#${new URLSearchParams({ session: key }).toString()}`;
}
