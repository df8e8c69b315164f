// Which test file belongs to which run. `npm test` is the short run, `npm run test:all` is both.
//
// Short: tests of the parts (in this process, on virtual time or nearly without waiting, with fixed seeds) and the smoke tests.
// Long: tests with real processes, browsers or real time (e2e/), and whatever else takes long (*.long.test.ts), also with
// seeds that nobody has tried.
// Every test file belongs to exactly one of them: see test-runs.test.ts.

export interface TestRun {
  /** Globs. */
  readonly include: string[]
  readonly exclude: string[]
  /** Each file in a process of its own, with its own copy of every module. That costs a third of a second for each. Without it a
   * file must leave nothing behind: no changed global, no timer, no listener of the process. */
  readonly isolate: boolean
}

export const testRuns: Record<'short' | 'long', TestRun> = {
  short: {
    include: ['{src,sim,bench,scripts,extension,e2e/smoke}/**/*.test.ts', 'e2e/architecture.test.ts'],
    exclude: ['**/*.long.test.ts'],
    isolate: false,
  },
  long: {
    include: ['e2e/**/*.test.ts', '{src,sim,bench,scripts,extension}/**/*.long.test.ts'],
    exclude: ['e2e/smoke/**', 'e2e/architecture.test.ts'],
    isolate: true,
  },
}
