import fc from 'fast-check'
import { test } from 'vitest'
import { properties } from './rank-questions.fuzz.ts'

test.each(properties)('$name', ({ property }) =>
  fc.assert(property as fc.IAsyncProperty<unknown>, { numRuns: 100, seed: 1 }),
)
