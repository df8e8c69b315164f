import { testProperties } from '../../model/fixtures/property-tests.ts'
import { properties } from './rewriting.fuzz.ts'

testProperties(properties, 1_500)
