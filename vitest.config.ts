import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import LongestFirst from './scripts/longest-first.ts'
import { testRuns } from './scripts/test-runs.ts'

export default defineConfig({
  test: {
    projects: Object.entries(testRuns).map(([name, run]) => ({ extends: true, test: { name, ...run } })),
    // One worker per core: left alone, vitest keeps a core for itself, and half of a small machine would wait.
    maxWorkers: availableParallelism(),
    // A loaded machine is many times slower than a quiet one: the limit only catches what hangs.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    sequence: { sequencer: LongestFirst },
    reporters: ['default', './scripts/closing-line.ts'],
  },
})
