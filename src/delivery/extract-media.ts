/** A line of an answer that asks for a file: `MEDIA:/workspace/chart.png`, alone or in quotes or emphasis. */
const MEDIA = /(?:^|[\s"'`*(])["'`*(]{0,3}MEDIA:\s?(\/[^\s"'`*)]+)["'`*)]*/g;
/** What ends a sentence and not a file's name. */
const PUNCTUATION = /[.,;:!?]+$/;

/** Takes `MEDIA:` directives out of an answer, except inside code blocks: the text without them, and the paths. */
export function extractMedia(answer: string): { readonly text: string; readonly files: readonly string[] } {
  if (!answer.includes("MEDIA:")) return { text: answer, files: [] };
  const files: string[] = [];
  const pieces = answer.split(/(```[\s\S]*?(?:```|$))/);
  const text = pieces
    .map((piece) =>
      piece.startsWith("```")
        ? piece
        : piece.replaceAll(MEDIA, (_match, path: string) => {
            files.push(path.replace(PUNCTUATION, ""));
            return "";
          }),
    )
    .join("")
    .trim();
  return { text, files };
}
