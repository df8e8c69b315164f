import fc from 'fast-check'
import { describe, test } from 'vitest'
import { properties } from './markup.fuzz.ts'

describe('properties of attributes', () => {
  test.each(properties)('$name', ({ property }) => {
    fc.assert(property as fc.IProperty<unknown>, { numRuns: 500, seed: 1 })
  })
})
