/** An object of a Slack payload: parsed JSON whose members are not known to be there. */
export type Payload = Readonly<Record<string, unknown>>;

/** The value as an object, or undefined when it is none. */
export function toPayload(value: unknown): Payload | undefined {
  // an object that is no array can be read by name: what is read is checked by the readers below
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Payload) : undefined;
}

/** The object that a JSON text says, or undefined when it says none. */
export function parsePayload(json: string): Payload | undefined {
  try {
    return toPayload(JSON.parse(json));
  } catch {
    return undefined;
  }
}

/** A member that is a text and not empty. */
export function textIn(payload: Payload | undefined, name: string): string | undefined {
  const value = payload?.[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** A member that is an object. */
export function payloadIn(payload: Payload | undefined, name: string): Payload | undefined {
  return toPayload(payload?.[name]);
}

/** The objects of a member that is a list; none when it is no list. */
export function payloadsIn(payload: Payload | undefined, name: string): readonly Payload[] {
  const value = payload?.[name];
  if (!Array.isArray(value)) return [];
  return value.map(toPayload).filter((item) => item !== undefined);
}
