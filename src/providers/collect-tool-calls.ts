import type { ToolCall } from "#src/domain/message";
import { countField, field, parseJson, textField } from "./json";

/** Puts the pieces of streamed tool calls together, however a vendor cuts them. */
export interface ToolCallCollector {
  /** One element of `tool_calls`: the start of a call, a further piece of one, or a whole one. */
  add(piece: unknown): void;
  /** There are calls, and none is cut in the middle. */
  areWhole(): boolean;
  /**
   * The calls in the order they began. Ids that are missing or already `used` become `call_<n>`. Of an answer that was
   * cut at a limit, calls that are not whole keep their broken arguments: half a command must not run, and the model has
   * to hear of it.
   */
  finish(used: ReadonlySet<string>, isCut?: boolean): readonly CollectedCall[];
  /** Characters so far. */
  chars(): number;
}

/** A call, and what its vendor wants to see again with it. */
export interface CollectedCall extends ToolCall {
  readonly extra?: unknown;
}

interface Slot {
  readonly index: number | undefined;
  id: string | undefined;
  name: string;
  arguments: string;
  extra: unknown;
}

export function createToolCallCollector(): ToolCallCollector {
  const slots: Slot[] = [];
  let chars = 0;
  return {
    chars: () => chars,
    add(piece) {
      const part = readPiece(piece);
      chars += part.arguments.length;
      const slot = findSlot(slots, part);
      if (slot === undefined) {
        if (part.id === undefined && part.name === "" && part.arguments === "") return;
        slots.push(part);
        return;
      }
      slot.id ??= part.id;
      slot.extra ??= part.extra;
      if (part.name !== "") slot.name = part.name;
      slot.arguments = joinArguments(slot, part);
    },
    areWhole: () => slots.length > 0 && slots.every((slot) => isWhole(slot.arguments)),
    finish(used, isCut = false) {
      const taken = new Set(used);
      return slots
        .filter((slot) => slot.name !== "")
        .map((slot) => ({
          id: uniqueId(slot.id, taken),
          name: slot.name,
          arguments: writtenArguments(slot.arguments, isCut),
          ...(slot.extra === undefined ? {} : { extra: slot.extra }),
        }));
    },
  };
}

function readPiece(piece: unknown): Slot {
  // Workers AI's own format has name and arguments beside each other, without `function`
  const call = field(piece, "function") ?? piece;
  const given = field(call, "arguments") ?? field(call, "parameters");
  return {
    index: countField(piece, "index"),
    id: textField(piece, "id"),
    name: textField(call, "name") ?? "",
    arguments: typeof given === "string" ? given : given === undefined || given === null ? "" : JSON.stringify(given),
    extra: field(piece, "extra_content"),
  };
}

/** The call that a piece belongs to; undefined when it begins a new one. */
function findSlot(slots: readonly Slot[], part: Slot): Slot | undefined {
  if (part.index !== undefined) {
    const slot = slots.findLast((each) => each.index === part.index);
    return slot !== undefined && beginsAnother(slot, part) ? undefined : slot;
  }
  const slot = part.id === undefined ? slots.at(-1) : slots.findLast((each) => each.id === part.id);
  return slot !== undefined && beginsAnother(slot, part) ? undefined : slot;
}

/** Some vendors number every call 0, or not at all: a name after a call that is whole begins another one. */
function beginsAnother(slot: Slot, part: Slot): boolean {
  if (part.name === "") return false;
  const isSameId = slot.id !== undefined && slot.id === part.id;
  if (isSameId && slot.index !== undefined) return false;
  if (slot.id !== undefined && part.id !== undefined && !isSameId) return true;
  if (part.name !== slot.name) return slot.name !== "";
  const isSaidAgain = part.arguments === "" || (isSameId && part.arguments === slot.arguments);
  return isWhole(slot.arguments) && !isSaidAgain;
}

function joinArguments(slot: Slot, part: Slot): string {
  // an empty object sent ahead of the real arguments, or the whole call said once more at its end
  if (slot.arguments === "{}" && part.arguments.startsWith("{")) return part.arguments;
  if (slot.arguments === part.arguments && isWhole(slot.arguments)) return slot.arguments;
  return slot.arguments + part.arguments;
}

function isWhole(text: string): boolean {
  return text.endsWith("}") && parseJson(text) !== undefined;
}

/** A call's arguments as its vendor sent them. Of a call that was cut before they began, they are half of something. */
export function writtenArguments(text: string, isCut: boolean): string {
  if (text.trim() !== "") return text;
  return isCut ? "{" : "{}";
}

/** The id, or `call_<n>` when it is missing or taken; takes it. */
export function uniqueId(id: string | undefined, taken: Set<string>): string {
  let unique = id;
  for (let n = taken.size + 1; unique === undefined || taken.has(unique); n++) unique = `call_${n}`;
  taken.add(unique);
  return unique;
}
