import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { testProperties } from '../../../model/fixtures/property-tests.ts'
import { placeAt } from '../fixtures/contacts.ts'
import { properties } from './place.fuzz.ts'
import { isOwned, placeOf } from './place.ts'

describe('places', () => {
  testProperties(properties, 500)

  test('whoever precedes itself owns everything', () => {
    assert.equal(isOwned(placeAt(1), placeAt(0x80), placeAt(1)), true)
  })

  test('a place depends on network, identity and index, and on nothing that runs together', () => {
    const places = [
      placeOf('n', 'a', 0),
      placeOf('n', 'a', 1),
      placeOf('n', 'b', 0),
      placeOf('m', 'a', 0),
      placeOf('n', 'a1', 0),
    ]
    assert.equal(new Set(places).size, places.length)
    // Never to change: all peers of a network must agree.
    assert.equal(placeOf('network', 'identity', 3), '3a80ece932265d1d66b078023cb238fdb9c5b031')
  })
})
