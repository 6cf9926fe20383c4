import { stripAnsi } from "#src/lib/strip-ansi";

// what nobody sees but a comparison does, controls that a terminal swallows, and noncharacters
const INVISIBLE = new RegExp(
  "[\\0-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\xad\\u{34f}\\u{61c}\\u{115f}\\u{1160}\\u{17b4}\\u{17b5}\\u{180b}-\\u{180f}" +
    "\\u{200b}-\\u{200f}\\u{202a}-\\u{202e}\\u{2060}-\\u{206f}\\u{3164}\\u{fdd0}-\\u{fdef}\\u{fe00}-\\u{fe0f}\\u{feff}\\u{ffa0}" +
    "\\u{fff0}-\\u{fffb}\\u{e0000}-\\u{e0fff}]",
  "gu",
);

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
    .map((pair) => [pair.slice(0, 1), pair.slice(1)]),
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
