// Source: https://ecma-international.org/publications-and-standards/standards/ecma-48/ sections 5.3 to 5.6
const OPERATING_SYSTEM_COMMAND = "(?:\\u001B\\]|\\u009D)[^\\u0007\\u001B\\u009C]*(?:\\u0007|\\u001B\\\\|\\u009C)?";
const CONTROL_STRING = "(?:\\u001B[PX^_]|[\\u0090\\u0098\\u009E\\u009F])[^\\u001B\\u009C]*(?:\\u001B\\\\|\\u009C)?";
const CONTROL_SEQUENCE = "(?:\\u001B\\[|\\u009B)[0-?]*[ -/]*[@-~]?";
const SHORT_ESCAPE = "\\u001B[ -/]*[0-~]?";

const ESCAPES = new RegExp([OPERATING_SYSTEM_COMMAND, CONTROL_STRING, CONTROL_SEQUENCE, SHORT_ESCAPE].join("|"), "gu");

/** A terminal's text without its colours, cursor moves, titles and links. Line breaks and tabs stay. */
export function stripAnsi(text: string): string {
  return text.replace(ESCAPES, "");
}
