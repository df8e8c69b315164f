import { testProperties } from '../../model/fixtures/property-tests.ts'
import { properties } from './rank-questions.fuzz.ts'

testProperties(properties, 100)
