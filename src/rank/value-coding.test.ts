import { testProperties } from '../model/fixtures/property-tests.ts'
import { properties } from './value-coding.fuzz.ts'

testProperties(properties, 200)
