// The test commands: formats and types side by side, then tests, then properties. Stops at what fails first of these three.
//
//   npm test                      the short run: minutes, the same seeds every time
//   npm test -- src/model        the tests of one folder, short and long; other arguments go to vitest too
//   npm run test:all              the short run and the long one, with seeds that follow from the code, and prints them
//   npm run test:all -- --rest    the long run alone: what is left after `npm test`
//
// What belongs to which run: test-runs.ts.

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { seedOfCode, seedVariable } from '../sim/seeds.ts'

const root = join(import.meta.dirname, '..')
const words = process.argv.slice(2)
const isAll = takeWord('--all')
const isRest = takeWord('--rest')
const runs = isRest ? ['long'] : isAll || words.length > 0 ? ['short', 'long'] : ['short']

if (!isRest) {
  await sideBySide([
    ['Format and lint', 'biome', 'check', '.'],
    ['Types', 'tsc'],
    ['Types of web/', 'tsc', '-p', 'web'],
    ['Types of extension/', 'tsc', '-p', 'extension'],
  ])
}
if (runs.includes('long')) {
  process.env[seedVariable] ??= String(seedOfCode())
  const seed = process.env[seedVariable]
  console.log(`\nThe seed of the long run is ${seed}: ${seedVariable}=${seed} gives the same seeds again.`)
}
// Some short tests wait, for a server's silence or for other processes: one worker more than cores, or a core would be idle.
const workers = runs.includes('long') ? [] : ['--maxWorkers', String(availableParallelism() + 1)]
step('Tests', 'vitest', 'run', ...runs.map((run) => `--project=${run}`), ...workers, ...words)
if (isAll && words.length === 0)
  step('Properties with fresh seeds', 'node', 'scripts/fuzz.ts', '--runs', '100')

/** Whether it was said; vitest shall not hear of it. */
function takeWord(word: string): boolean {
  const at = words.indexOf(word)
  if (at >= 0) words.splice(at, 1)
  return at >= 0
}

/** All of them, also when one fails: whoever mends one wants to know of the others. */
async function sideBySide(steps: readonly (readonly [title: string, command: string, ...string[]])[]) {
  const running = steps.map(([title, command, ...commandWords]) => {
    const child = spawn(command, commandWords, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
    return { title, ended: Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]) }
  })
  let isWell = true
  for (const { title, ended } of running) {
    const [said, complaints, [code]] = await ended
    console.log(`\n# ${title}\n${said}${complaints}`.trimEnd())
    isWell &&= code === 0
  }
  if (!isWell) process.exit(1)
}

function step(title: string, command: string, ...commandWords: string[]): void {
  console.log(`\n# ${title}`)
  const { status } = spawnSync(command, commandWords, { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
