import { testProperties } from '../../model/fixtures/property-tests.ts'
import { properties } from './errand-messages.fuzz.ts'

testProperties(properties, 200)
