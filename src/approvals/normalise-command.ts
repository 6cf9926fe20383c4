import { stripAnsi } from "#src/lib/strip-ansi";

// what nobody sees but a comparison does, NUL and other controls that a terminal swallows, and noncharacters
const INVISIBLE = /[\0-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\u{e0000}-\u{e0fff}]/gu;

// letters of other scripts that look like Latin ones
// Source: https://www.unicode.org/Public/security/latest/confusables.txt
const LOOKS_LIKE: Readonly<Record<string, string>> = Object.fromEntries(
  (
    "аa еe оo рp сc уy хx ѕs іi јj һh ԁd ԛq ԝw ɡg ӏl мm тt кk нh вb гr пn " +
    "αa εe οo ρp τt υu νv κk ιi γy χx ηn μm σo " +
    "АA ВB ЕE КK МM НH ОO РP СC ТT ХX ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX " +
    "ıi ȷj ᴀa ʙb ᴄc ᴅd ᴇe ɢg ʜh ɪi ᴊj ᴋk ʟl ᴍm ɴn ᴏo ᴘp ʀr ꜱs ᴛt ᴜu ᴠv ᴡw ʏy ᴢz ∕/ ⁄/ ⧸/ ╱/ −- ‐- ‑- ‒- –- —- ∣| ｜| ǀ| ；; ⸵;"
  )
    .split(" ")
    .map((pair) => [[...pair][0] ?? "", [...pair][1] ?? ""]),
);
const CONFUSABLE = new RegExp(`[${Object.keys(LOOKS_LIKE).join("")}]`, "gu");

/**
 * A command as it looks to a person: without escapes and invisible characters, and with plain letters instead of
 * those that only look like them.
 */
export function normaliseCommand(command: string): string {
  if (/^[\t\n\r -~]*$/.test(command)) return command;
  const visible = stripAnsi(command).replaceAll(INVISIBLE, "").normalize("NFKC");
  return visible.replaceAll(CONFUSABLE, (char) => LOOKS_LIKE[char] ?? char);
}
