import fc from 'fast-check'
import { test } from 'vitest'
import { properties } from './errand-messages.fuzz.ts'

test.each(properties)('$name', ({ property }) =>
  fc.assert(property as fc.IProperty<unknown>, { numRuns: 200, seed: 1 }),
)
