import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import LongestFirst from './scripts/longest-first.ts'
import { testRuns } from './scripts/test-runs.ts'

const short = {
  // All cores are busy already: threads for collecting garbage only take time from the other tests, as does collecting it often.
  execArgv: [
    '--min-semi-space-size=64',
    '--max-semi-space-size=64',
    '--initial-heap-size=400',
    '--single-threaded-gc',
  ],
  // Node runs the sources as they are, as it does for users. Vite would make every use of an import a property read, which is a
  // tenth of the processor time. There are no mocks, which need a loader. In the long run, where every file is a process of its
  // own, having the types removed once for all of them is cheaper.
  experimental: { viteModuleRunner: false, nodeLoader: false },
  setupFiles: ['./scripts/temporary-files.ts'],
}

export default defineConfig({
  test: {
    projects: Object.entries(testRuns).map(([name, run]) => ({
      extends: true,
      test: { name, ...run, ...(name === 'short' ? short : {}) },
    })),
    // One worker per core: left alone, vitest keeps a core for itself, and half of a small machine would wait.
    maxWorkers: availableParallelism(),
    // A loaded machine is many times slower than a quiet one: the limit only catches what hangs.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    sequence: { sequencer: LongestFirst },
    reporters: ['default', './scripts/closing-line.ts'],
  },
})
