import { decodeUtf8Strictly, fromBase64, fromHex } from "#src/lib/encoding";

const BASE64 = /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{20,}={0,2}/g;
const HEX = /(?<![0-9A-Za-z])(?:[0-9A-Fa-f]{2}[ :]?){12,}/g;
const ESCAPED =
  /(?:%[0-9A-Fa-f]{2}|\\x[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\\[nrt](?=\s|[a-z])|&#x?[0-9A-Fa-f]{2,6};|&(?:lt|gt|quot|amp|nbsp);)/g;
const MAX_PAYLOADS = 200;

/** What a text carries in base64, hexadecimal digits or escapes, as far as it is text again. */
export function decodePayloads(text: string): readonly string[] {
  const packed = [
    ...take(text, BASE64, (run) =>
      fromBase64(run.slice(0, run.length - (run.replace(/=+$/, "").length % 4 === 1 ? 1 : 0))),
    ),
    ...take(text, HEX, (run) => fromHex(run.replaceAll(/[ :]/g, ""))),
  ];
  // a sign that is escaped changes no word
  const hidesWords = text.match(ESCAPED)?.some((sign) => /[\p{L}\s<]/u.test(unescape(sign))) ?? false;
  return hidesWords ? [...packed, unescape(text)] : packed;
}

function take(text: string, pattern: RegExp, decode: (run: string) => Uint8Array | undefined): string[] {
  const found: string[] = [];
  for (const [run] of text.matchAll(pattern)) {
    const bytes = decode(run);
    const read = bytes === undefined ? undefined : decodeUtf8Strictly(bytes);
    if (read !== undefined && isReadable(read)) found.push(read);
    if (found.length >= MAX_PAYLOADS) break;
  }
  return found;
}

/** Words, not the bytes of a picture or a key that happen to decode. */
function isReadable(text: string): boolean {
  // eslint-disable-next-line no-control-regex -- a control character is what tells bytes from text
  return text.length >= 8 && !/[\u0000-\u0008\u000E-\u001F\u007F]/.test(text) && /[\s;|]|\p{Lo}/u.test(text);
}

const NAMED: Readonly<Record<string, string>> = {
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&amp;": "&",
  "&nbsp;": " ",
  "\\n": "\n",
  "\\r": "\n",
  "\\t": "\t",
};

function unescape(text: string): string {
  return text.replaceAll(ESCAPED, (sign) => {
    if (sign in NAMED) return NAMED[sign] ?? sign;
    const isHex = !sign.startsWith("&#") || sign[2] === "x";
    const code = Number.parseInt(sign.replaceAll(/^(?:%|\\[xu]|&#x?)|;$/g, ""), isHex ? 16 : 10);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : sign;
  });
}
