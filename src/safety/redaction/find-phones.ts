import type { Span } from "./span";

// E.164: "+" and up to 15 digits. Source: https://www.itu.int/rec/T-REC-E.164
const INTERNATIONAL = /(?<![\w+.=-])\+[1-9]\d{0,3}(?:[ .()-]{0,2}\d{1,5}){2,7}(?![\w+]|\.\d)/g;
const LINKED =
  /(?<=\b(?:wa\.me\/|api\.whatsapp\.com\/send\?phone=|tel:\+?|sms:\+?|signal\.me\/#p\/\+?|phone=%2[bB]))\d{8,15}(?!\d)/g;
const WHATSAPP = /(?<!\d)\d{8,15}(?=(?::\d{1,3})?@(?:s\.whatsapp\.net|c\.us))/g;
const MIN_DIGITS = 10;

/** Telephone numbers in international form, which name a person. */
export function findPhones(text: string): readonly Span[] {
  return [
    ...(text.includes("+") ? [...text.matchAll(INTERNATIONAL)].filter(isNumber) : []),
    ...(/wa\.me|whatsapp|tel:|sms:|signal\.me|phone=/.test(text)
      ? [...text.matchAll(LINKED), ...text.matchAll(WHATSAPP)]
      : []),
  ].map(({ index, 0: number }) => ({ start: index, end: index + number.length, replacement: maskNumber(number) }));
}

function isNumber({ 0: number }: RegExpExecArray): boolean {
  const digits = number.replaceAll(/\D/g, "").length;
  return digits >= MIN_DIGITS && digits <= 15;
}

/** The country remains, for a person who looks for the right line. */
function maskNumber(number: string): string {
  return `${number.slice(0, number.startsWith("+") ? 3 : 2)}****${number.slice(-2)}`;
}
