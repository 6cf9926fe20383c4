import { expect, it } from "vitest";
import { telegram } from "#src/platforms/telegram/telegram";
import { ACCOUNT, message, telegramIo, webhook } from "../../../support/telegram/updates";

const BODY = JSON.stringify({ update_id: 81, ...message({ text: "hi" }) });

it("takes an update with the secret token", async () => {
  const received = await telegram.receive(webhook(BODY), ACCOUNT, telegramIo());
  expect(received.events).toHaveLength(1);
  expect(received.response).toBeUndefined();
});

it.each([undefined, "", "hook-Secret_2", "hook-Secret_", "hook-Secret_1, hook-Secret_1"])(
  "refuses the secret token %j",
  async (secret) => {
    const request = webhook(BODY, secret ?? "");
    if (secret === undefined) request.headers.delete("x-telegram-bot-api-secret-token");
    await expect(telegram.receive(request, ACCOUNT, telegramIo())).rejects.toMatchObject({
      code: "signature_invalid",
    });
  },
);

it("refuses everything while it has no secret token", async () => {
  const account = { settings: { bot_token: "1:x" } };
  await expect(telegram.receive(webhook(BODY, ""), account, telegramIo())).rejects.toMatchObject({
    code: "signature_invalid",
  });
});

it("refuses what is not UTF-8", async () => {
  const request = { ...webhook(BODY), body: Uint8Array.of(0x7b, 0xff, 0x7d) };
  await expect(telegram.receive(request, ACCOUNT, telegramIo())).rejects.toMatchObject({ code: "bad_request" });
});
