import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import LongestFirst from './scripts/longest-first.ts'
import { testRuns } from './scripts/test-runs.ts'

// All cores are busy already: threads for collecting garbage only take time from the other tests, as does collecting it often.
const frugal = ['--max-semi-space-size=64', '--single-threaded-gc']

export default defineConfig({
  test: {
    projects: Object.entries(testRuns).map(([name, run]) => ({
      extends: true,
      test: { name, ...run, execArgv: name === 'short' ? frugal : [] },
    })),
    // One worker per core: left alone, vitest keeps a core for itself, and half of a small machine would wait.
    maxWorkers: availableParallelism(),
    // A loaded machine is many times slower than a quiet one: the limit only catches what hangs.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    sequence: { sequencer: LongestFirst },
    reporters: ['default', './scripts/closing-line.ts'],
  },
})
