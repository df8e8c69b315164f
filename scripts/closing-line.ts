// A vitest reporter that ends the run with one plain line that any CI can read: "12 passed, 0 failed".

import type { Reporter, TestModule } from 'vitest/node'

export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 }
    for (const module of modules) {
      const tests = [...module.children.allTests()]
      for (const test of tests) {
        const { state } = test.result()
        counts[state === 'pending' ? 'failed' : state]++
      }
      // A file that breaks before its tests are known has none to count.
      if (tests.length === 0 && !module.ok()) counts.failed++
    }
    const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : ''
    // Printed last, after the default reporter's summary.
    process.on('exit', () => console.log(`\n${counts.passed} passed, ${counts.failed} failed${skipped}`))
  }
}
