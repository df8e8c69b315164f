import { describe } from 'vitest'
import { testProperties } from '../../model/fixtures/property-tests.ts'
import { properties } from './markup.fuzz.ts'

describe('properties of attributes', () => {
  testProperties(properties, 500)
})
