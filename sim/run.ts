// `npm run sim -- NAME [--seeds N] [--first F] [--seed S]`: runs a scenario with N seeds, or with one. A failure prints
// the command that brings it back. Without a name it lists what there is.
//
// Many seeds are run in processes of their own, some in each. Node keeps combined signals that somebody listens to until they are
// aborted, which a simulated process that was killed never does: each seed of whole peers left 50 MB behind.

import { fork } from 'node:child_process'
import { once } from 'node:events'
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
    // Of whole peers: places on the ring that move.
    places: { type: 'boolean' },
    liars: { type: 'string' },
    forged: { type: 'string' },
    // Of large rings: sim/scale/scenario.ts.
    slowness: { type: 'string' },
    lookups: { type: 'string' },
    log: { type: 'string' },
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
const seedsPerProcess = 20
const isPart = process.send !== undefined
// With whoever started it, and by itself when it has told its figures.
if (isPart) process.once('disconnect', () => process.exit())
const startMs = Date.now()
let toldMs = startMs
const sums: Record<string, number> = {}
if (seeds.length > seedsPerProcess) {
  for (let start = 0; start < seeds.length; start += seedsPerProcess) {
    const part = seeds.slice(start, start + seedsPerProcess)
    add(await runApart(part))
    tell(start + part.length, part.at(-1)!)
  }
} else {
  // Peers that cannot be reached are errors without number, and where each was made costs time. The seed that fails tells, run alone.
  if (seeds.length > 1) Error.stackTraceLimit = 0
  for (const [index, seed] of seeds.entries()) {
    const figures = await runSeed(seed)
    add(figures)
    if (seeds.length === 1 && !isPart) console.log(figures)
    if (!isPart) tell(index + 1, seed)
  }
  process.send?.(sums, () => process.disconnect?.())
}

async function runSeed(seed: string): Promise<Record<string, number | string>> {
  try {
    return await scenario!.run(seed, values)
  } catch (error) {
    console.error(error)
    console.error(`\nSeed ${seed} fails. Again: npm run sim -- ${again.join(' ')} --seed ${seed}`)
    process.exit(1)
  }
}

/** Gives the sums of its figures. It has told what failed. */
async function runApart(part: readonly string[]): Promise<Record<string, number>> {
  const child = fork(import.meta.filename, [...again, '--first', part[0]!, '--seeds', String(part.length)])
  let told: Record<string, number> | undefined
  child.once('message', (message) => (told = message as Record<string, number>))
  await once(child, 'exit')
  return told ?? process.exit(1)
}

function add(figures: Readonly<Record<string, number | string>>): void {
  for (const [figure, value] of Object.entries(figures))
    if (typeof value === 'number') sums[figure] = (sums[figure] ?? 0) + value
}

/** Once a minute, and at the end. */
function tell(count: number, seed: string): void {
  if (Date.now() - toldMs < 60_000 && count < seeds.length) return
  toldMs = Date.now()
  const seconds = ((toldMs - startMs) / 1_000).toFixed(1)
  console.log(`${count} seeds (last ${seed}) in ${seconds} s: ${JSON.stringify(sums)}`)
}
