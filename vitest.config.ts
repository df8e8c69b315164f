import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import LongestFirst from './scripts/longest-first.ts'
import { testRuns } from './scripts/test-runs.ts'

export default defineConfig({
  test: {
    projects: Object.entries(testRuns).map(([name, run]) => ({ extends: true, test: { name, ...run } })),
    // One worker per core: left alone, vitest keeps a core for itself, and half of a small machine would wait.
    maxWorkers: availableParallelism(),
    // Real disks, sockets and processes are slow on a loaded machine: the limit only catches what hangs.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    sequence: { sequencer: LongestFirst },
    reporters: ['default', './scripts/closing-line.ts'],
  },
})
