import { testProperties } from '../../model/fixtures/property-tests.ts'
import { properties } from './browser-messages.fuzz.ts'

testProperties(properties, 200)
