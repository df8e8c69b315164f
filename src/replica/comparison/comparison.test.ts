import fc from 'fast-check'
import { describe, test } from 'vitest'
import { properties } from './comparison.fuzz.ts'

describe('a comparison', () => {
  test.each(properties)('$name', ({ property }) =>
    fc.assert(property as fc.IAsyncProperty<unknown>, { numRuns: 60, seed: 1 }),
  )
})
