// The test command: format and lint, types, then every test. Stops at the first of the three that fails.
// Arguments go to vitest: `npm test -- src/record` runs the tests of one folder.

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

function step(title: string, command: string, ...words: string[]): void {
  console.log(`\n# ${title}`)
  const { status } = spawnSync(command, words, { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

step('Format and lint', 'biome', 'check', '.')
step('Types', 'tsc')
step('Tests', 'vitest', 'run', ...process.argv.slice(2))
