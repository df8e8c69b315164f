import { testProperties } from '../../model/fixtures/property-tests.ts'
import { properties } from './merged-lists.fuzz.ts'

testProperties(properties, 300)
