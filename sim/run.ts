// `npm run sim -- NAME [--seeds N] [--first F] [--seed S]`: runs a scenario with N seeds, or with one. A failure prints
// the command that brings it back. Without a name it lists what there is.

import { parseArgs } from 'node:util'
import { scenarios } from './scenarios.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seeds: { type: 'string' },
    first: { type: 'string', default: '1' },
    seed: { type: 'string' },
    // Of the ring and of whole peers: sim/ring/scenario.ts, sim/peer/scenario.ts.
    peers: { type: 'string' },
    minutes: { type: 'string' },
    churn: { type: 'string' },
    twice: { type: 'boolean' },
    // Of the archive: sim/archive/scenario.ts.
    stores: { type: 'boolean' },
    // Of durability: sim/archive/durability/scenario.ts.
    years: { type: 'string' },
    copies: { type: 'string' },
    rules: { type: 'string' },
    // Of hostile members: sim/hostile/scenario.ts.
    messages: { type: 'string' },
    // Of volunteers: sim/peer/scenario.ts.
    large: { type: 'boolean' },
    pages: { type: 'string' },
    liars: { type: 'string' },
    forged: { type: 'string' },
    help: { type: 'boolean' },
  },
})
const [name = ''] = positionals
const scenario = scenarios[name]
if (values.help || scenario === undefined) {
  console.log('Usage: npm run sim -- NAME [--seeds N] [--first F] [--seed S]\n')
  for (const [known, { promise, options }] of Object.entries(scenarios)) {
    console.log(`  ${known.padEnd(11)} ${promise}`)
    if (options !== undefined) console.log(`  ${''.padEnd(11)} ${options}`)
  }
  process.exit(values.help || name === '' ? 0 : 64)
}
const again = process.argv.slice(2).filter((word, at, words) => {
  const isOfSeeds = (one: string | undefined) => /^--(seeds|first|seed)(=|$)/.test(one ?? '')
  return !isOfSeeds(word) && !(isOfSeeds(words[at - 1]) && !words[at - 1]!.includes('='))
})

const first = Number(values.first)
const seedCount = Number(values.seeds ?? scenario.seedsByDefault ?? 200)
const seeds =
  values.seed === undefined
    ? Array.from({ length: seedCount }, (_, count) => String(first + count))
    : [values.seed]
// Peers that cannot be reached are errors without number, and where each was made costs time. The seed that fails tells, run alone.
if (seeds.length > 1) Error.stackTraceLimit = 0
const startMs = Date.now()
let toldMs = startMs
const sums: Record<string, number> = {}
for (const [count, seed] of seeds.entries()) {
  try {
    const figures = await scenario.run(seed, values)
    for (const [figure, value] of Object.entries(figures)) {
      if (typeof value === 'number') sums[figure] = (sums[figure] ?? 0) + value
    }
    if (seeds.length === 1) console.log(figures)
  } catch (error) {
    console.error(error)
    console.error(`\nSeed ${seed} fails. Again: npm run sim -- ${again.join(' ')} --seed ${seed}`)
    process.exit(1)
  }
  if (Date.now() - toldMs >= 60_000 || count + 1 === seeds.length) {
    toldMs = Date.now()
    const seconds = ((Date.now() - startMs) / 1_000).toFixed(1)
    console.log(`${count + 1} seeds (last ${seed}) in ${seconds} s: ${JSON.stringify(sums)}`)
  }
}
