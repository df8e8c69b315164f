// `npm run fuzz [-- PART] [--minutes N | --runs N]`: runs the properties of every *.fuzz.ts under src/ and sim/ with ever new seeds
// until one fails (its seed and the shrunk input are printed), time is up, or each had so many runs; TEST_SEED names the first seed.
// `npm test` runs the same properties briefly, with the same seed each time.

import { globSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { assert as check, type IAsyncProperty, type IProperty } from 'fast-check'
import { seedVariable } from '../sim/seeds.ts'

interface Fuzz {
  properties: { name: string; property: IProperty<unknown> | IAsyncProperty<unknown> }[]
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: 'string', default: 'Infinity' },
    runs: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log('Usage: npm run fuzz -- [PART] [--minutes N | --runs N]')
  process.exit(0)
}
const root = join(import.meta.dirname, '..')
const files = globSync('{src,sim}/**/*.fuzz.ts', { cwd: root }).filter((file) =>
  file.includes(positionals[0] ?? ''),
)
if (files.length === 0) {
  console.error(`No *.fuzz.ts has "${positionals[0]}" in its path.`)
  process.exit(64)
}
const properties = (
  await Promise.all(files.map(async (file) => ((await import(join(root, file))) as Fuzz).properties))
).flat()

const firstSeed = process.env[seedVariable] === undefined ? undefined : Number(process.env[seedVariable])
const endsAtMs = Date.now() + Number(values.minutes) * 60_000
const roundSize = Number(values.runs ?? 1_000)
const roundsMax = values.runs === undefined ? Number.POSITIVE_INFINITY : 1
for (let round = 1; round <= roundsMax && Date.now() < endsAtMs; round++) {
  for (const { name, property } of properties) {
    const seed = firstSeed === undefined ? Date.now() | 0 : (firstSeed + round) | 0
    process.stdout.write(`round ${round}  ${name}  seed ${seed}\n`)
    await check(property as IAsyncProperty<unknown>, { numRuns: roundSize, seed, endOnFailure: false })
  }
}
console.log(`${properties.length} properties held.`)
