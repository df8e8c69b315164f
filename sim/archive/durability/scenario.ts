// `npm run sim -- durability [--seed S] [--peers N] [--years Y] [--copies R] [--churn MODEL] [--rules ours] [--twice]`
//
// Ten years of a thousand peers for 3 and 6 copies: what is lost, and what repair costs, beside an oracle that knows which
// failures are for good. Fails when the policy of docs/decisions/0023 (`ours`) takes more repair than the goal, or when 6 copies
// lose anything. With 3 copies a loss is a matter of luck in this network, so it is told and not failed on. What the program
// does is told beside it (`placed`).

import assert from 'node:assert/strict'
import type { Scenario, ScenarioOptions } from '../../scenario.ts'
import { allRules, type Comparison, compareWithOracle } from './comparison.ts'
import { models, type NetworkModel } from './models.ts'

const ratioMax = 1.3
const yearsOfGoal = 10
const copiesThatLoseNothing = 6

export const durabilityScenario: Scenario = {
  options: '[--peers N] [--years Y] [--copies R] [--rules NAME,NAME] [--churn MODEL]',
  promise: 'copies outlive ten years of disk deaths, at little more traffic than an oracle needs',
  seedsByDefault: 1,
  run: async (seed, options = {}) => {
    const { churn, storage } = modelFor(options)
    console.log(JSON.stringify({ seed, ...churn, ...storage }))
    console.log(heading)
    const figures: Record<string, number | string> = {}
    for (const copies of options.copies ? [Number(options.copies)] : [3, 6]) {
      const rules = allRules(copies).filter(({ name }) => options.rules?.split(',').includes(name) ?? true)
      const compare = (): Comparison[] => compareWithOracle({ seed, churn, storage, copies }, rules)
      const rows = compare()
      for (const row of rows) console.log(line(row))
      if (options.twice) assert.deepEqual(compare(), rows, 'the same seed gave another run')
      for (const { rule, ratio, lost, lostExpected } of rows) {
        Object.assign(figures, {
          [`${rule} ${copies} ratio`]: ratio,
          [`${rule} ${copies} lost`]: lost,
          [`${rule} ${copies} expected`]: lostExpected,
        })
        if (rule === 'ours') check(copies, ratio, lost, churn.years)
      }
    }
    return figures
  },
}

function modelFor({ churn = 'lognormal', peers, years }: ScenarioOptions): NetworkModel {
  const model = models[churn]
  assert(model, `there is no model ${churn}: ${Object.keys(models).join(', ')}`)
  return {
    ...model,
    churn: {
      ...model.churn,
      ...(peers && { peers: Number(peers) }),
      ...(years && { years: Number(years) }),
    },
  }
}

function check(copies: number, ratio: number, lost: number, years: number): void {
  // At first nobody's habits are known, and spares are made that serve for years.
  assert(
    years < yearsOfGoal || ratio <= ratioMax,
    `repair took ${ratio.toFixed(2)} times the oracle's traffic`,
  )
  assert(copies < copiesThatLoseNothing || lost === 0, `${lost} of 10^7 entries were lost`)
}

const columns = [
  'rule      ',
  'copies',
  'lost/10^7',
  'expected',
  'traffic',
  'to place',
  'ratio',
  'mean copies',
  '< r readable',
  '0 readable',
  'owner has it',
  'trace',
]
const heading = columns.join('  ')

function line({ rule, copies, lost, lostExpected, ratio, result }: Comparison): string {
  const share = (value: number): string => `${(100 * value).toPrecision(3)} %`
  return [
    rule,
    copies,
    lost.toFixed(0),
    lostExpected.toPrecision(2),
    result.traffic.toFixed(2),
    result.trafficToPlace.toFixed(2),
    ratio.toFixed(3),
    result.meanCopies.toFixed(2),
    share(result.belowWanted),
    share(result.unreadable),
    share(result.ownerHolds),
    result.trace,
  ]
    .map((cell, index) => String(cell).padEnd(columns[index]!.length))
    .join('  ')
}
