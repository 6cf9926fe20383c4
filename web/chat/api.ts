import { bearer, refusalIn } from "../shared/api";
import { askForToken } from "../shared/door";
import type { MessagesPage, SessionsPage } from "./wire";

/** Asks the operator's API; without the right token the page asks for one. Throws {@link ApiError}. */
async function request(path: string): Promise<Response> {
  const response = await fetch(path, { headers: bearer() });
  if (response.ok) return response;
  const refusal = await refusalIn(response);
  if (refusal.status === 401) askForToken("That token is not the right one.");
  throw refusal;
}

/** A page of the list of sessions, those written in last first. */
export async function readSessions(before: number | undefined): Promise<SessionsPage> {
  const response = await request(`/api/sessions?limit=200${before === undefined ? "" : `&before=${before}`}`);
  // what this route answers
  return (await response.json()) as SessionsPage;
}

/** Looks whether a session can be read. */
export async function probeSession(key: string): Promise<void> {
  await request(pathOf(key));
}

/** The messages before one, those of earlier conversations too. */
export async function readMessagesBefore(key: string, id: string): Promise<MessagesPage> {
  const response = await request(`${pathOf(key)}/messages?before=${encodeURIComponent(id)}&limit=100`);
  // what this route answers
  return (await response.json()) as MessagesPage;
}

/** The bytes of an attachment. */
export async function readMedia(key: string, mediaKey: string): Promise<Blob> {
  return (await request(`/api/media/${encodeURIComponent(key)}/${encodeURIComponent(mediaKey)}`)).blob();
}

function pathOf(key: string): string {
  return `/api/sessions/${encodeURIComponent(key)}`;
}
