import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join, matchesGlob } from 'node:path'
import { test } from 'vitest'
import { type TestRun, testRuns } from './test-runs.ts'

const root = join(import.meta.dirname, '..')
const files = globSync('**/*.test.ts', { cwd: root, exclude: ['node_modules', 'dist'] })

const isIn = (file: string, { include, exclude }: TestRun): boolean =>
  include.some((glob) => matchesGlob(file, glob)) && !exclude.some((glob) => matchesGlob(file, glob))

test('every test file belongs to the short run or to the long one, and to one only', () => {
  assert.ok(files.length > 300)
  const runsOf = (file: string) => Object.values(testRuns).filter((run) => isIn(file, run)).length
  assert.deepEqual(
    files.filter((file) => runsOf(file) !== 1),
    [],
  )
})

test('the short run has no seeds from the clock: properties say theirs', () => {
  const withoutSeed = files
    .filter((file) => isIn(file, testRuns.short))
    .filter((file) =>
      propertyChecksOf(readFileSync(join(root, file), 'utf8')).some((call) => !/\bseed\b/.test(call)),
    )
  assert.deepEqual(withoutSeed, [])
})

/** The calls of fast-check's assert, with their arguments. */
function propertyChecksOf(text: string): string[] {
  return [...text.matchAll(/\bfc\.assert\(/g)].map(({ index }) => {
    let depth = 0
    for (let at = text.indexOf('(', index); at < text.length; at++) {
      if (text[at] === '(') depth++
      if (text[at] === ')' && --depth === 0) return text.slice(index, at + 1)
    }
    return text.slice(index)
  })
}
