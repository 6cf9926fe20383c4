import { kept } from "./keep";

/** The server's refusal of a request. */
export class ApiError extends Error {
  /** HTTP status; 0 when no answer came. */
  readonly status: number;
  /** The API's word for the problem, where it has one. */
  readonly word: string | undefined;

  constructor(status: number, sentence: string, word?: string) {
    super(sentence);
    this.status = status;
    this.word = word;
  }
}

/** The header that carries the token: never the address, which others may see. */
export function bearer(): { readonly authorization: string } {
  return { authorization: `Bearer ${kept.get("token") ?? ""}` };
}

/** What an answer that is none says: a problem of RFC 9457, or only its status. */
export async function refusalIn(response: Response): Promise<ApiError> {
  const problem: unknown = await response.json().catch(() => undefined);
  return new ApiError(
    response.status,
    textOf(problem, "detail") ?? `The server answered ${response.status}.`,
    textOf(problem, "code"),
  );
}

function textOf(value: unknown, name: string): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const found: unknown = Reflect.get(value, name);
  return typeof found === "string" ? found : undefined;
}
