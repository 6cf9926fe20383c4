import { scanForThreats, type ThreatScope } from "#src/safety/scan-threats";
import { type CaseFile, type Result, type Suite, resultOf } from "../result";
import { type BuiltText, buildText } from "./build-text";

/** What a case says of a text, in the names of the format. */
interface ThreatCase {
  readonly id: string;
  readonly input: { readonly text: BuiltText; readonly scope: ThreatScope };
  /** Ids of the peer's patterns; only whether there are any is compared. */
  readonly expected: readonly string[];
  readonly label: "attack" | "benign" | "arguable";
  /** The reviewer's word where what was observed is judged wrong. */
  readonly better?: { readonly flagged: boolean };
}

/** Which texts attack the agent that reads them. */
export const threats: Suite = {
  suite: "threats",
  async run(file: CaseFile): Promise<readonly Result[]> {
    // the format is that of the suite's own files
    return (file["cases"] as readonly ThreatCase[]).map(judge);
  },
};

function judge({ id, input, expected, label, better }: ThreatCase): Result {
  const found = scanForThreats(buildText(input.text), input.scope).map((threat) => threat.id);
  const isFlagged = better?.flagged ?? expected.length > 0;
  const passes = label === "arguable" || found.length > 0 === isFlagged;
  return resultOf(
    id,
    passes ? [] : [{ expected: isFlagged ? "a threat" : "no threat", got: found.join(", ") || "none" }],
  );
}
