import { expect, it } from "vitest";
import { sha256 } from "#src/lib/hmac";
import { toHex } from "#src/lib/encoding";
import { digestNow } from "#src/hooks/short-digest";

it.each(["", "abc", "ä€😀", "x".repeat(55), "x".repeat(56), "x".repeat(64), "x".repeat(1000)])(
  "digests %j as the platform does",
  async (text) => {
    expect(digestNow(text)).toBe(toHex(await sha256(text)));
  },
);
