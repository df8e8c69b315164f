import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { recordIdOf } from '../../formats/warc/record.ts'
import { recordFixture, sourceOf } from '../fixtures/archive-source.ts'
import { itemsFrom, partOf } from './archive-part.ts'

async function placesFrom(name: string, offset: number): Promise<[offset: number, id: string | undefined][]> {
  const part = await partOf(sourceOf(await recordFixture(name)), 'warc')
  const places: [number, string | undefined][] = []
  for await (const item of itemsFrom(part, offset)) {
    assert(item.kind === 'record', `damage at ${item.kind === 'damage' ? item.error.message : ''}`)
    places.push([item.offset, recordIdOf(item.record)])
  }
  return places
}

describe('reading from the middle gives the same records at the same places', () => {
  for (const name of [
    'wget-gzip.warc.gz',
    'wget-plain.warc',
    'zstd-no-dictionary.warc.zst',
    'zstd-dictionary.warc.zst',
    'zstd-compressed-dictionary.warc.zst',
  ]) {
    test(name, async () => {
      const all = await placesFrom(name, 0)
      assert.ok(all.length > 10)
      for (const place of [1, 5, all.length - 1]) {
        assert.deepEqual(await placesFrom(name, all[place]![0]), all.slice(place))
      }
    })
  }
})
