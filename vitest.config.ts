import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import LongestFirst from './scripts/longest-first.ts'

// Real disks, sockets and processes are slow on a loaded machine: the limit only catches what hangs.
export default defineConfig({
  test: {
    include: ['{src,sim,bench,e2e,scripts}/**/*.test.ts'],
    // One worker per core: left alone, vitest keeps a core for itself, and half of a small machine would wait.
    maxWorkers: availableParallelism(),
    testTimeout: 60_000,
    hookTimeout: 60_000,
    sequence: { sequencer: LongestFirst },
    reporters: ['default', './scripts/closing-line.ts'],
  },
})
