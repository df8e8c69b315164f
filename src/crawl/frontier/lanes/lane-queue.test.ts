import fc from 'fast-check'
import { test } from 'vitest'
import { properties } from './lane-queue.fuzz.ts'

for (const { name, property } of properties) {
  test(name, () => fc.assert(property, { seed: 1, numRuns: 60 }))
}
