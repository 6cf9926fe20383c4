import { expect, it } from "vitest";
import type { Attachment } from "#src/domain/message";
import { telegram } from "#src/platforms/telegram/telegram";
import { ACCOUNT, TOKEN, telegramIo } from "../../../support/telegram/updates";

const VOICE: Attachment = { kind: "voice", id: "AwAC", mime: "audio/ogg" };
const { signal } = new AbortController();

/** Fetches an attachment from a Telegram that describes it by `file` and answers the download by `download`. */
async function fetchFrom(file: object, download: () => Response, maxBytes = 10, attachment = VOICE): Promise<unknown> {
  const urls: string[] = [];
  const io = telegramIo((url) => {
    urls.push(url.replace(TOKEN, "T"));
    return url.includes("/file/") ? download() : Response.json(file);
  });
  const fetched = await telegram.open(ACCOUNT, io).fetchAttachment?.(attachment, { maxBytes, signal });
  return { urls, mime: fetched?.mime, text: new TextDecoder().decode(fetched?.bytes) };
}

function described(fields: object): object {
  return { ok: true, result: { file_id: "AwAC", ...fields } };
}

it("fetches a file by its id", async () => {
  expect(await fetchFrom(described({ file_path: "voice/a b.oga", file_size: 3 }), () => new Response("abc"))).toEqual({
    urls: ["https://api.telegram.org/botT/getFile", "https://api.telegram.org/file/botT/voice/a%20b.oga"],
    mime: "audio/ogg",
    text: "abc",
  });
});

it("refuses a file that is said to be too large without fetching it", async () => {
  const download = (): Response => {
    throw new Error("fetched");
  };
  await expect(fetchFrom(described({ file_path: "a", file_size: 11 }), download)).rejects.toMatchObject({
    code: "too_large",
  });
});

it("stops at a file that turns out too large", async () => {
  await expect(fetchFrom(described({ file_path: "a" }), () => new Response("x".repeat(11)))).rejects.toMatchObject({
    code: "too_large",
  });
});

it("says so when Telegram finds the file too big", async () => {
  const refusal = { ok: false, error_code: 400, description: "Bad Request: file is too big" };
  await expect(fetchFrom(refusal, () => new Response())).rejects.toMatchObject({ code: "too_large" });
});

it.each([{ file_path: "/var/lib/a" }, { file_path: "../x" }, {}])("does not fetch %j", async (fields) => {
  await expect(fetchFrom(described(fields), () => new Response("x"))).rejects.toMatchObject({ code: "refused" });
});

it("has nothing to fetch for a place on the map", async () => {
  const place: Attachment = { kind: "location", url: "geo:1,2" };
  await expect(fetchFrom({}, () => new Response(), 10, place)).rejects.toMatchObject({ code: "not_found" });
});

it("names no token when the download is refused", async () => {
  const error: unknown = await fetchFrom(described({ file_path: "a" }), () => new Response("", { status: 404 })).catch(
    (thrown: unknown) => thrown,
  );
  expect(error).toMatchObject({ code: "refused", status: 404 });
  expect(String(error)).not.toContain("AAF");
});
