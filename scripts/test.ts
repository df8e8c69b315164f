// The test commands: formats and types, then tests, then properties. Stops at the first step that fails.
//
//   npm test                      the short run: minutes, the same seeds every time
//   npm test -- src/model        the tests of one folder, short and long; other arguments go to vitest too
//   npm run test:all              the short run and the long one, with seeds that follow from the code, and prints them
//   npm run test:all -- --rest    the long run alone: what is left after `npm test`
//
// What belongs to which run: test-runs.ts.

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { seedOfCode, seedVariable } from '../sim/seeds.ts'

const root = join(import.meta.dirname, '..')
const words = process.argv.slice(2)
const isAll = takeWord('--all')
const isRest = takeWord('--rest')
const runs = isRest ? ['long'] : isAll || words.length > 0 ? ['short', 'long'] : ['short']

if (!isRest) {
  step('Format and lint', 'biome', 'check', '.')
  step('Types', 'tsc')
  for (const folder of ['web', 'extension']) step(`Types of ${folder}/`, 'tsc', '-p', folder)
}
if (runs.includes('long')) {
  process.env[seedVariable] ??= String(seedOfCode())
  const seed = process.env[seedVariable]
  console.log(`\nThe seed of the long run is ${seed}: ${seedVariable}=${seed} gives the same seeds again.`)
}
step('Tests', 'vitest', 'run', ...runs.map((run) => `--project=${run}`), ...words)
if (isAll && words.length === 0)
  step('Properties with fresh seeds', 'node', 'scripts/fuzz.ts', '--runs', '100')

/** Whether it was said; vitest shall not hear of it. */
function takeWord(word: string): boolean {
  const at = words.indexOf(word)
  if (at >= 0) words.splice(at, 1)
  return at >= 0
}

function step(title: string, command: string, ...commandWords: string[]): void {
  console.log(`\n# ${title}`)
  const { status } = spawnSync(command, commandWords, { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
