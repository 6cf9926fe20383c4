import { beforeEach, expect, it } from "vitest";
import { isShown, requestTokens, shownTokens } from "#src/agent/compaction/shown-tokens";
import { toModelMessages } from "#src/agent/to-model-messages";
import type { MessageKind } from "#src/domain/message";
import { answers, newConversation, says } from "../../../support/compaction-rows";

beforeEach(newConversation);

const KINDS: readonly MessageKind[] = ["chat", "command", "steer", "partial", "answer", "hook", "note", "notice"];

it("counts exactly the rows that the model is shown", () => {
  const view = { isShared: false, canSee: false, images: new Map() };
  for (const kind of KINDS) {
    const row = says("words", { kind });
    expect([kind, isShown(row)]).toEqual([kind, toModelMessages([row], view).length > 0]);
    expect(shownTokens(row) > 0).toBe(isShown(row));
  }
});

it("takes what the provider counted, and an estimate of what came since", () => {
  const rows = [says("x".repeat(400)), answers("y".repeat(400)), says("z".repeat(400))];
  expect(requestTokens({ rows, overheadTokens: 50 })).toBe(50 + 3 * 104);
  expect(requestTokens({ rows, overheadTokens: 50, measured: { tokens: 900, lastId: 2 } })).toBe(1004);
  expect(requestTokens({ rows, overheadTokens: 50, measured: { tokens: 5, lastId: 2 } })).toBe(362);
});
