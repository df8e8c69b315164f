// What a rule costs and loses beside the oracle, on the same lives.

import type { CopyRule } from './copy-rules.ts'
import { impatient, naive, oracle, ours, placed } from './copy-rules.ts'
import { DurabilityRun, type RunOptions, type RunResult } from './durability-run.ts'

/** A rule that acts at every coming and going is asked for a part of the arcs: each has its fate apart from the others. */
const hastyArcsPart = 8

export interface Comparison {
  rule: string
  copies: number
  result: RunResult
  /** Traffic in that of the oracle. */
  ratio: number
  /** Entries lost, of 10^7. */
  lost: number
  /** What is to be expected by the time that arcs hung on their last copy: tells more than a loss that is rare. */
  lostExpected: number
}

export function compareWithOracle(options: RunOptions, rules: readonly CopyRule[]): Comparison[] {
  const best = new DurabilityRun(options, oracle(options.copies)).run()
  const others = rules.map((rule) => ({ rule: rule.name, options: optionsFor(rule, options), by: rule }))
  return [
    compared('oracle', options, best, best),
    ...others.map(({ rule, options, by }) =>
      compared(rule, options, new DurabilityRun(options, by).run(), best),
    ),
  ]
}

export function allRules(copies: number): CopyRule[] {
  return [ours(copies), placed(copies), impatient(copies), naive(copies)]
}

function optionsFor(rule: CopyRule, options: RunOptions): RunOptions {
  if (!rule.isHasty) return options
  const { arcs, entries } = options.storage
  const part = Math.min(hastyArcsPart, arcs)
  return { ...options, storage: { ...options.storage, arcs: arcs / part, entries: entries / part } }
}

function compared(rule: string, options: RunOptions, result: RunResult, best: RunResult): Comparison {
  const { deathsPerYear, leavesPerYear, announcedShare, years } = options.churn
  const silentEndsPerYear = deathsPerYear + leavesPerYear * (1 - announcedShare)
  return {
    rule,
    copies: options.copies,
    result,
    ratio: result.traffic / best.traffic,
    lost: (result.lostArcs / options.storage.arcs) * 1e7,
    lostExpected: result.lastCopyShare * silentEndsPerYear * years * 1e7,
  }
}
