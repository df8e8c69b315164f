import { testProperties } from '../../model/fixtures/property-tests.ts'
import { properties } from './search-questions.fuzz.ts'

testProperties(properties, 100)
