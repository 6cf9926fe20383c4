/** What Telegram would make of a text in MarkdownV2. */
export interface ReadText {
  readonly text: string;
  readonly entities: readonly { readonly type: string; readonly text: string; readonly extra?: string }[];
}

const RESERVED = new Set("_*[]()~`>#+-=|{}.!");
const MARKS: Readonly<Record<string, string>> = {
  "*": "bold",
  _: "italic",
  __: "underline",
  "~": "strikethrough",
  "||": "spoiler",
};

/**
 * Reads MarkdownV2 as strictly as Telegram does: a reserved character outside an entity must be escaped, every entity
 * closed, the innermost first. Source: https://core.telegram.org/bots/api#markdownv2-style
 *
 * @throws Error "can't parse entities: …"
 */
export function readMarkdownV2(source: string): ReadText {
  const entities: { type: string; text: string; extra?: string }[] = [];
  const open: { readonly type: string; readonly mark: string; readonly start: number }[] = [];
  let text = "";
  let at = 0;
  let isLineStart = true;
  let isQuoted = false;
  const fail = (why: string): never => {
    throw new Error(`can't parse entities: ${why} at ${at} of ${JSON.stringify(source)}`);
  };
  const close = (extra?: string): void => {
    const top = open.pop() ?? fail("nothing to close");
    entities.push({ type: top.type, text: text.slice(top.start), ...(extra === undefined ? {} : { extra }) });
  };
  const readCode = (mark: string): void => {
    const start = at + mark.length;
    let code = "";
    for (at = start; !source.startsWith(mark, at); at++) {
      if (at >= source.length) fail(`unclosed ${mark}`);
      if (source[at] === "\\") at++;
      else if (source[at] === "`" && mark === "`") fail("unescaped `");
      code += source[at] ?? "";
    }
    at += mark.length;
    const tag = mark === "```" ? (/^([^\s`]*)\n/.exec(code)?.[1] ?? "") : "";
    const shown = mark === "```" ? code.replace(/^[^\s`]*\n/, "").replace(/\n$/, "") : code;
    if (shown === "") fail("empty code");
    entities.push({ type: mark === "```" ? "pre" : "code", text: shown, ...(tag === "" ? {} : { extra: tag }) });
    text += shown;
  };
  const readTarget = (): void => {
    if (source[at + 1] !== "(") fail("a link without target");
    let target = "";
    for (at += 2; source[at] !== ")"; at++) {
      if (at >= source.length) fail("unclosed target");
      if (source[at] === "\\") at++;
      target += source[at] ?? "";
    }
    at += 1;
    close(target);
  };
  while (at < source.length) {
    const char = source[at] ?? "";
    const mark = MARKS[source.slice(at, at + 2)] === undefined ? char : source.slice(at, at + 2);
    if (isLineStart && char === ">") {
      isQuoted = true;
      isLineStart = false;
      at += 1;
      continue;
    }
    if (isLineStart && isQuoted) {
      if (open.length > 0) fail("an entity reaches out of its quotation");
      isQuoted = false;
    }
    isLineStart = false;
    if (char === "\\") {
      const escaped = source.codePointAt(at + 1) ?? fail("a lone backslash");
      if (escaped < 1 || escaped > 126) fail("an escape of nothing reserved");
      text += source[at + 1] ?? "";
      at += 2;
    } else if (source.startsWith("```", at)) {
      if (open.length > 0 || isQuoted) fail("a code block within something");
      readCode("```");
    } else if (char === "`") {
      if (open.length > 0) fail("code within something");
      readCode("`");
    } else if (MARKS[mark] !== undefined) {
      at += mark.length;
      if (open.at(-1)?.mark === mark) close();
      else if (open.some((entity) => entity.mark === mark)) fail(`${mark} closes what is not innermost`);
      else open.push({ type: MARKS[mark] ?? "", mark, start: text.length });
    } else if (char === "[") {
      if (open.some((entity) => entity.mark === "]")) fail("a link within a link");
      open.push({ type: "text_link", mark: "]", start: text.length });
      at += 1;
    } else if (char === "]" && open.at(-1)?.mark === "]") {
      readTarget();
    } else if (RESERVED.has(char)) {
      fail(`unescaped ${char}`);
    } else {
      if (char === "\n") {
        if (isQuoted && open.length > 0) fail("an entity reaches over quoted lines");
        isLineStart = true;
      }
      text += char;
      at += 1;
    }
  }
  if (open.length > 0) fail(`unclosed ${open.at(-1)?.mark}`);
  return { text, entities };
}
