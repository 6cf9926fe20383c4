const LETTERS: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  e: "\u001b",
  E: "\u001b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  "'": "'",
  '"': '"',
  "?": "?",
};

// Source: https://www.gnu.org/software/bash/manual/html_node/ANSI_002dC-Quoting.html
const ESCAPE = /\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([0-7]{1,3})|c([^])|([^]))/g;

/** What stands between `$'` and `'`, with its escapes resolved. */
export function decodeAnsiC(text: string): string {
  return text.replace(ESCAPE, (whole: string, ...found: (string | undefined)[]) => {
    const [hex, short, long, octal, control, letter] = found;
    const code = hex ?? short ?? long;
    if (code !== undefined) return codePoint(Number.parseInt(code, 16));
    if (octal !== undefined) return codePoint(Number.parseInt(octal, 8) & 0xff);
    if (control !== undefined) return codePoint(control.charCodeAt(0) & 0x1f);
    return LETTERS[letter ?? ""] ?? whole;
  });
}

/** As `echo -e`, `printf` and `tr` read escapes: like the above, but `\0` leads an octal and `\c` ends the text. */
export function decodeEchoEscapes(text: string): string {
  const end = text.indexOf("\\c");
  return decodeAnsiC((end === -1 ? text : text.slice(0, end)).replaceAll(/\\0([0-7]{1,3})/g, "\\$1"));
}

function codePoint(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd";
}
