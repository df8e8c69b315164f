import fc from 'fast-check'
import { test } from 'vitest'
import { properties } from './search-questions.fuzz.ts'

test.each(properties)('$name', ({ property }) =>
  fc.assert(property as fc.IProperty<unknown>, { numRuns: 100, seed: 1 }),
)
