import { fromBase64 } from "#src/lib/encoding";
import { signedText } from "./sign";
import { verifyEd25519 } from "./signing-key";

/** Seconds that the other side's clock may differ from ours. */
const MAX_SKEW_SECONDS = 300;

export interface SignedResponse {
  /** `webhook-id` of the request that this answers: an answer to another one does not count. */
  readonly id: string;
  readonly headers: Headers;
  readonly body: string;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Whether an answer was signed, just now, by the owner of `responseKey` (`whpk_...`). Never throws. */
export async function verifyResponse(responseKey: string, response: SignedResponse): Promise<boolean> {
  const { id, headers, body, now } = response;
  const written = headers.get("webhook-timestamp") ?? "";
  const timestampSeconds = Number(written);
  if (!/^\d{1,12}$/.test(written) || Math.abs(now / 1000 - timestampSeconds) > MAX_SKEW_SECONDS) return false;
  if ((headers.get("webhook-id") ?? id) !== id) return false;
  const text = signedText({ id, timestampSeconds, body });
  const signatures = (headers.get("webhook-signature") ?? "").split(" ").filter((each) => each.startsWith("v1a,"));
  // a rotation takes two; a list without end is somebody else's idea
  for (const signature of signatures.slice(0, 4)) {
    const bytes = fromBase64(signature.slice("v1a,".length));
    if (bytes !== undefined && (await verifyEd25519(responseKey, bytes, text))) return true;
  }
  return false;
}
