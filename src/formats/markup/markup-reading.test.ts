import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'vitest'
import { properties } from './markup-reading.fuzz.ts'
import { KnownTags, readMarkup } from './markup-reading.ts'

test.each(properties)('$name', ({ property }) => {
  fc.assert(property as fc.IProperty<unknown>, { numRuns: 500, seed: 1 })
})

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
