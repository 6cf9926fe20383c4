import { expect, it } from "vitest";
import { platformHint } from "#src/agent/prompt/platform-hints";

it("lets the adapter speak for its platform", () => {
  expect(platformHint("telegram", "Own words.")).toBe("Own words.");
  expect(platformHint("telegram", undefined)).toContain("Telegram");
});

it("knows places that have no adapter, by all their names", () => {
  expect(platformHint("cron", undefined)).toContain("[SILENT]");
  expect(platformHint("whatsapp_cloud", undefined)).toBe(platformHint("whatsapp", undefined));
  expect(platformHint("api_server", undefined)).toBe(platformHint("api", undefined));
});

it("says nothing of a place that nobody knows", () => {
  expect(platformHint("constructor", undefined)).toBe("");
});

it("adds the operator's words, or has them instead", () => {
  expect(platformHint("slack", "Own.", { append: "In German." })).toBe("Own.\nIn German.");
  expect(platformHint("nowhere", undefined, { append: "In German." })).toBe("In German.");
  expect(platformHint("slack", "Own.", { replace: "Mine." })).toBe("Mine.");
  expect(platformHint("slack", "Own.", { replace: "" })).toBe("Own.");
});
