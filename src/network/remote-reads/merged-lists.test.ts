import fc from 'fast-check'
import { test } from 'vitest'
import { properties } from './merged-lists.fuzz.ts'

test.each(properties)('$name', ({ property }) =>
  fc.assert(property as fc.IProperty<unknown>, { numRuns: 300, seed: 1 }),
)
