import { brokenProtocol } from "./sidecar-error";

/** Reads the fields of a sidecar's JSON; what is not as its protocol says is an error that names the field. */
export interface Reply {
  text(name: string): string;
  optionalText(name: string): string | undefined;
  whole(name: string): number;
  optionalWhole(name: string): number | undefined;
  flag(name: string): boolean;
  word<const Word extends string>(name: string, words: readonly Word[]): Word;
  object(name: string): Reply;
  objects(name: string): readonly Reply[];
}

/** @throws SidecarError `protocol` */
function readReply(value: unknown, place = ""): Reply {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw brokenProtocol(`${place || "it"} is no object`);
  const fields = new Map<string, unknown>(Object.entries(value));

  function wrong(name: string, wanted: string): Error {
    return brokenProtocol(`${place}${name} is not ${wanted}`);
  }

  function optionalText(name: string): string | undefined {
    const found = fields.get(name) ?? undefined;
    if (found !== undefined && typeof found !== "string") throw wrong(name, "a text");
    return found;
  }

  function optionalWhole(name: string): number | undefined {
    const found = fields.get(name) ?? undefined;
    if (found === undefined) return undefined;
    if (typeof found !== "number" || !Number.isSafeInteger(found)) throw wrong(name, "a whole number");
    return found;
  }

  return {
    optionalText,
    optionalWhole,
    text(name) {
      const found = optionalText(name);
      if (found === undefined) throw wrong(name, "a text");
      return found;
    },
    whole(name) {
      const found = optionalWhole(name);
      if (found === undefined) throw wrong(name, "a whole number");
      return found;
    },
    flag: (name) => fields.get(name) === true,
    word(name, words) {
      const found = words.find((candidate) => candidate === fields.get(name));
      if (found === undefined) throw wrong(name, `one of ${words.join(", ")}`);
      return found;
    },
    object: (name) => readReply(fields.get(name), `${place}${name}.`),
    objects(name) {
      const found = fields.get(name);
      if (!Array.isArray(found)) throw wrong(name, "a list");
      return found.map((item, i) => readReply(item, `${place}${name}[${i}].`));
    },
  };
}

/** @throws SidecarError `protocol` */
export function parseReply(text: string): Reply {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw brokenProtocol("it is no JSON", cause);
  }
  return readReply(value);
}
