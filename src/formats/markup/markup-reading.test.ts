import assert from 'node:assert/strict'
import { test } from 'vitest'
import { testProperties } from '../../model/fixtures/property-tests.ts'
import { properties } from './markup-reading.fuzz.ts'
import { KnownTags, readMarkup } from './markup-reading.ts'

testProperties(properties, 500)

test('a tag that comes again, in this text or the next, has the very same attributes', () => {
  const seen: ReadonlyMap<string, string>[] = []
  const reader = {
    open: (_name: string, attributes: ReadonlyMap<string, string>) => seen.push(attributes),
    text() {},
    close() {},
    isForeign: () => false,
  }
  const known = new KnownTags()
  readMarkup('<p class="a">one<p class="a">', reader, known)
  readMarkup('<p class="a"><p class="b">', reader, known)
  assert.equal(seen[0], seen[1])
  assert.equal(seen[0], seen[2])
  assert.notEqual(seen[0], seen[3])
})
