import fc from 'fast-check'
import { test } from 'vitest'
import { properties } from './record-dictionary.fuzz.ts'

for (const { name, property } of properties) {
  test(name, () => {
    fc.assert(property, { numRuns: 100, seed: 1 })
  })
}
