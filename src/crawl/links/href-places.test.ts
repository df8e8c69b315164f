import assert from 'node:assert/strict'
import { test } from 'vitest'
import { HrefPlaces } from './href-places.ts'

test('each href keeps its place, in small documents and in large ones', () => {
  const places = new HrefPlaces()
  const hrefs = Array.from({ length: 1_000 }, (_, number) => `http://a.test/${number}`)
  for (const [place, href] of hrefs.entries()) {
    assert.equal(places.placeOf(href), place)
    assert.equal(places.placeOf(hrefs[place >> 1]!), place >> 1)
  }
  assert.deepEqual(places.hrefs, hrefs)
})

test('the next document begins anew', () => {
  new HrefPlaces().placeOf('http://a.test/')
  const places = new HrefPlaces()
  assert.equal(places.placeOf('http://b.test/'), 0)
  assert.equal(places.placeOf('http://a.test/'), 1)
})
