import fc from 'fast-check'
import { test } from 'vitest'
import { properties } from './rewriting.fuzz.ts'

test.each(properties)('$name', ({ property }) => {
  fc.assert(property as fc.IProperty<unknown>, { numRuns: 1_500, seed: 1 })
})
