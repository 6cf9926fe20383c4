import type { Button } from "#src/domain/platform";
import type { Payload } from "./fields";

/** Source: https://docs.slack.dev/reference/block-kit/blocks, 2026-11. */
const MAX_SECTION_CHARS = 3000;
const MAX_BLOCKS = 50;
const MAX_BUTTONS_PER_BLOCK = 25;
const MAX_LABEL_CHARS = 75;
const FENCE = "```";

/**
 * The blocks of a message: its text as sections, its buttons under it. `key` names the first section, by which the
 * message is found again where Slack takes no metadata.
 */
export function messageBlocks(mrkdwn: string, buttons: readonly Button[], key?: string): readonly Payload[] {
  const rows = Array.from({ length: Math.ceil(buttons.length / MAX_BUTTONS_PER_BLOCK) }, (_, row) =>
    buttons.slice(row * MAX_BUTTONS_PER_BLOCK, (row + 1) * MAX_BUTTONS_PER_BLOCK),
  );
  const sections = splitSections(mrkdwn, MAX_SECTION_CHARS).slice(0, MAX_BLOCKS - rows.length);
  return [
    ...sections.map((text, index) => ({
      type: "section",
      ...(key !== undefined && index === 0 ? { block_id: key } : {}),
      text: { type: "mrkdwn", text },
    })),
    ...rows.map((row, index) => ({
      type: "actions",
      elements: row.map((button, at) => buttonElement(button, index, at)),
    })),
  ];
}

function buttonElement(button: Button, row: number, at: number): Payload {
  return {
    type: "button",
    action_id: `button_${row}_${at}`,
    text: { type: "plain_text", text: cutLabel(button.label), emoji: true },
    value: button.value,
    ...(button.style === undefined ? {} : { style: button.style }),
  };
}

function cutLabel(label: string): string {
  if (label.length <= MAX_LABEL_CHARS) return label;
  return `${label.slice(0, safeCut(label, MAX_LABEL_CHARS - 1))}…`;
}

/** Cuts mrkdwn into pieces at line ends where that is possible; a code block that is cut is closed and opened again. */
export function splitSections(mrkdwn: string, maxChars: number): readonly string[] {
  const sections: string[] = [];
  let section = "";
  let isCode = false;
  const flush = (): void => {
    if (section.trim() !== "") sections.push(isCode ? `${section}\n${FENCE}` : section);
    section = isCode ? FENCE : "";
  };
  // room for the marks that a cut within code costs: one before, one after
  for (const line of cutLines(mrkdwn, maxChars - 2 * (FENCE.length + 1))) {
    const room = maxChars - FENCE.length - 1;
    if (section !== "" && section.length + 1 + line.length > room) flush();
    section = section === "" ? line : `${section}\n${line}`;
    if ((line.split(FENCE).length - 1) % 2 === 1) isCode = !isCode;
  }
  isCode = false;
  flush();
  return sections;
}

function cutLines(text: string, maxChars: number): readonly string[] {
  return text.split("\n").flatMap((line) => {
    const pieces: string[] = [];
    let rest = line;
    while (rest.length > maxChars) {
      const cut = safeCut(rest, maxChars);
      pieces.push(rest.slice(0, cut));
      rest = rest.slice(cut);
    }
    return [...pieces, rest];
  });
}

/** A place to cut at or before `max`: not within a link, an entity or a surrogate pair, after a blank if one is near. */
function safeCut(text: string, max: number): number {
  const head = text.slice(0, max);
  const link = head.lastIndexOf("<") > head.lastIndexOf(">") ? head.lastIndexOf("<") : max;
  const entity = /&[a-z]{0,3}$/.exec(head.slice(0, link))?.index ?? link;
  const pair = /[\ud800-\udbff]$/.test(head.slice(0, entity)) ? entity - 1 : entity;
  const blank = head.slice(0, pair).lastIndexOf(" ") + 1;
  const cut = blank > max / 2 ? blank : pair;
  return cut > 0 ? cut : max;
}
