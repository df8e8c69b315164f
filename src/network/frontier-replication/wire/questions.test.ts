import { testProperties } from '../../../model/fixtures/property-tests.ts'
import { properties } from './questions.fuzz.ts'

testProperties(properties, 200)
