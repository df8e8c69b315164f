import { testProperties } from '../../../../model/fixtures/property-tests.ts'
import { properties } from './wire.fuzz.ts'

testProperties(properties, 200)
