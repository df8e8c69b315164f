import { testProperties } from '../../model/fixtures/property-tests.ts'
import { properties } from './page-info.fuzz.ts'

testProperties(properties, 200)
