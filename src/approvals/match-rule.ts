import { type Call, beginsWith, hasFlag, optionsOf } from "./call";
import type { CommandRule } from "./rule";

/** Rules by the program that they are about. */
export type RuleIndex = ReadonlyMap<string, readonly CommandRule[]>;

/** Puts the rules of one program together. */
export function indexRules(rules: readonly CommandRule[]): RuleIndex {
  const index = new Map<string, CommandRule[]>();
  for (const rule of rules) {
    for (const program of rule.programs) {
      const known = index.get(program);
      if (known === undefined) index.set(program, [rule]);
      else known.push(rule);
    }
  }
  return index;
}

/** Whether a call is what a rule is about. */
export function matchesRule(rule: CommandRule, call: Call): boolean {
  const { verbs, flags, unless, operand, when } = rule;
  if (verbs !== undefined && !verbs.some((words) => beginsWith(call, words))) return false;
  if (flags !== undefined && !hasFlag(call, ...flags)) return false;
  if (unless !== undefined && hasFlag(call, ...unless)) return false;
  if (operand !== undefined && !optionsOf(call).operands.some((each) => operand(each, call))) return false;
  return when === undefined || when(call);
}
