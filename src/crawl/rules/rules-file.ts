// The rules as one TOML file: a table [[rule]] each. What is exported can be imported again, here or elsewhere.
//
//   [[rule]]
//   site = "example.org"
//   access = "deny"
//
//   [[rule]]
//   pattern = "/print/"
//   depth = 2

import { parse, stringify, TomlError } from 'smol-toml'
import { PolyhistorError } from '../../errors.ts'
import {
  isSameRule,
  type RuleFields,
  ruleFieldNames,
  ruleName,
  targetWords,
} from '../../model/jobs/site-rule.ts'
import { checkSaying, RuleMalformed, type RuleStatement } from './rule-schema.ts'
import { type RuleChange, readRule, writeRule } from './written-rule.ts'

class RulesFileMalformed extends PolyhistorError {
  constructor(message: string) {
    super('rules-file-malformed', message)
  }
}

const head = `# Rules of a Polyhistor archive: polyhistor rules import FILE
# The most specific rule that says something decides: url, pattern, host, site, all.

`

export function printRulesFile(rules: readonly RuleStatement[]): string {
  return head + (rules.length === 0 ? '' : `${stringify({ rule: rules.map(writeRule) })}\n`)
}

/** Throws RulesFileMalformed, which names the rule and what is wrong with it. */
export function readRulesFile(text: string): RuleStatement[] {
  const { rule = [], ...more } = parsed(text)
  const [unknown] = Object.keys(more)
  if (unknown !== undefined)
    throw new RulesFileMalformed(`A file of rules has tables [[rule]], and no ${JSON.stringify(unknown)}.`)
  if (!Array.isArray(rule)) throw new RulesFileMalformed('Each rule is a table [[rule]], in double brackets.')
  const names = new Set<string>()
  return rule.map((written: unknown, index) => {
    const read = readNumbered(written, index + 1)
    const name = ruleName(read.target)
    if (names.has(name))
      throw new RulesFileMalformed(`Rule ${index + 1}: there are two rules for ${targetWords(read.target)}.`)
    names.add(name)
    return read
  })
}

function readNumbered(written: unknown, number: number): RuleStatement {
  if (typeof written !== 'object' || written === null)
    throw new RulesFileMalformed(`Rule ${number} is no table.`)
  try {
    return checkSaying(readRule(written as Record<string, unknown>))
  } catch (error) {
    if (!(error instanceof RuleMalformed)) throw error
    throw new RulesFileMalformed(`Rule ${number}: ${error.message}`)
  }
}

function parsed(text: string): Record<string, unknown> {
  try {
    return parse(text)
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    throw new RulesFileMalformed(`The file is no TOML: ${error.message}`)
  }
}

export interface RulesChange {
  readonly kind: 'add' | 'change' | 'remove'
  readonly rule: RuleStatement
  /** As it is to be carried out; undefined to remove it. */
  readonly wanted: RuleChange | undefined
}

/** What leads from the rules that there are to those of a file. `isWhole`: those that the file does not name go. */
export function ruleChanges(
  now: readonly RuleStatement[],
  then: readonly RuleStatement[],
  { isWhole }: { isWhole: boolean },
): RulesChange[] {
  const before = new Map(now.map((rule) => [ruleName(rule.target), rule]))
  const changes: RulesChange[] = []
  for (const rule of then) {
    const old = before.get(ruleName(rule.target))
    before.delete(ruleName(rule.target))
    if (isSameRule(old, rule)) continue
    const { target, ...set } = rule
    const unset = ruleFieldNames.filter((name) => old?.[name] !== undefined && set[name] === undefined)
    changes.push({
      kind: old === undefined ? 'add' : 'change',
      rule,
      wanted: { target, set: set as RuleFields, unset },
    })
  }
  if (!isWhole) return changes
  return [
    ...changes,
    ...[...before.values()].map((rule) => ({ kind: 'remove', rule, wanted: undefined }) as const),
  ]
}
