import { judgeCommand } from "#src/approvals/judge-command";
import { type CaseFile, type Result, type Suite, resultOf } from "../result";

interface ApprovalCase {
  readonly id: string;
  readonly input: { readonly command: Text };
  readonly expected: Verdict;
  /** The right verdict where the observed one is judged wrong. */
  readonly better?: Verdict;
  /** `arguable`: `dangerous` may be either. */
  readonly label?: string;
}

/** A text, or how a long one is put together. */
type Text = string | { readonly $repeat: readonly [string, number] } | { readonly $join: readonly Text[] };

interface Verdict {
  readonly dangerous: boolean;
  readonly hardline: boolean;
}

/** Which command lines need a person's word, and which are never run. */
export const approvals: Suite = {
  suite: "approvals",
  async run(file: CaseFile): Promise<readonly Result[]> {
    // the format is that of the suite's own files
    return (file["cases"] as readonly ApprovalCase[]).map((each) => {
      const { dangerous, hardline } = each.better ?? each.expected;
      const verdict = judgeCommand(textOf(each.input.command));
      const got: Verdict = { dangerous: verdict.dangerous !== undefined, hardline: verdict.hardline !== undefined };
      const isRight =
        each.label === "arguable" ? !got.hardline : got.dangerous === dangerous && got.hardline === hardline;
      return resultOf(each.id, isRight ? [] : [{ expected: { dangerous, hardline }, got }]);
    });
  },
};

function textOf(text: Text): string {
  if (typeof text === "string") return text;
  return "$repeat" in text ? text.$repeat[0].repeat(text.$repeat[1]) : text.$join.map(textOf).join("");
}
