import assert from 'node:assert/strict'
import { afterEach, describe, test } from 'vitest'
import { digestHex, digestOf } from '../../model/digest.ts'
import { ringKeyOf } from '../../model/ring-key.ts'
import { simulatedWorld } from '../../platform/simulated/world.ts'
import type { KeyValue } from '../../platform/storage/key-value.ts'
import { type ContentRow, placeOfDigest } from './content-row.ts'
import { Directory } from './directory.ts'

const world = simulatedWorld({ seed: 1 })
const open: KeyValue[] = []
let machines = 0

afterEach(async () => {
  for (const map of open.splice(0)) await world.complete(map.close())
})

async function newDirectory(): Promise<Directory> {
  const { keyValues, clock } = world.machine(`machine ${machines++}`)
  const keyValue = await world.complete(keyValues.open('/contents'))
  open.push(keyValue)
  return new Directory({ keyValue, clock })
}

const digests = Array.from({ length: 20 }, (_, number) => digestOf('sha256', Buffer.from(String(number))))
const digest = digests[0]!
const [one, other] = [ringKeyOf('one'), ringKeyOf('other')]
const recordId = '01234567-89ab-7cde-8f01-23456789abcd'
const placeAt = (url: string, of = digest) => ({
  digest: of,
  sizeBytes: 5_000,
  capture: { url, capturedAtMs: 1, recordId },
})
const put = (directory: Directory, changes: Parameters<Directory['put']>[0]): Promise<ContentRow[]> =>
  world.complete(directory.put(changes))
const unneeded = (directory: Directory, beforeMs = Number.POSITIVE_INFINITY) =>
  directory.unneededSince(beforeMs, 10).map(digestHex)
const need = (site: typeof one, isNeeded = true) => ({ digest, site, isNeeded })

describe('a directory of contents', () => {
  test('knows where a content is kept, and that it is needed while any site needs it', async () => {
    const directory = await newDirectory()
    assert.equal(directory.place(digest), undefined)
    await put(directory, { places: [placeAt('http://a.test/')], needs: [need(one), need(other)] })
    assert.equal(directory.place(digest)?.capture.url, 'http://a.test/')
    await put(directory, { needs: [need(one, false)] })
    assert.ok(directory.isNeeded(digest))
    assert.deepEqual(unneeded(directory), [])
    await put(directory, { needs: [need(other, false)] })
    assert.ok(!directory.isNeeded(digest))
    assert.deepEqual(unneeded(directory), [digestHex(digest)])
    await put(directory, { needs: [need(one)] })
    assert.deepEqual(unneeded(directory), [])
  })

  test('gives a content up only after it was not needed for a while', async () => {
    const directory = await newDirectory()
    await put(directory, { needs: [need(one)] })
    await put(directory, { needs: [need(one, false)] })
    const { clock } = world.machine('machine 1')
    const endedMs = clock.nowMs()
    assert.deepEqual(unneeded(directory, endedMs - 1_000), [])
    await world.advance(1_000)
    assert.deepEqual(unneeded(directory, clock.nowMs() - 1_000), [digestHex(digest)])
    await world.complete(directory.forgetUnneeded([digest]))
    assert.deepEqual(unneeded(directory), [])
  })

  test('tells nobody of what was known', async () => {
    const directory = await newDirectory()
    const places = [placeAt('http://a.test/')]
    assert.equal((await put(directory, { places, needs: [need(one)] })).length, 2)
    assert.deepEqual(await put(directory, { places, needs: [need(one)] }), [])
  })

  test('merges what others wrote, in any order: the last to write counts', async () => {
    const writer = await newDirectory()
    const rows = [
      ...(await put(writer, { places: [placeAt('http://a.test/')], needs: [need(one)] })),
      ...(await put(writer, { places: [placeAt('http://b.test/')], needs: [need(one, false)] })),
    ]
    for (const order of [rows, rows.toReversed(), [...rows, ...rows]]) {
      const directory = await newDirectory()
      for (const row of order) await world.complete(directory.merge([row]))
      assert.equal(directory.place(digest)?.capture.url, 'http://b.test/')
      assert.ok(!directory.isNeeded(digest))
    }
  })

  test('gives its rows in the order of the ring, a page at a time, and forgets them unless they have changed', async () => {
    const directory = await newDirectory()
    await put(directory, { places: digests.map((of) => placeAt('http://a.test/', of)) })
    const places = digests.map(placeOfDigest).sort()
    const found: string[] = []
    let page = directory.page(Buffer.from([0]), places[14]!, 4)
    for (;;) {
      found.push(...page.rows.map((row) => (row.kind === 'place' ? placeOfDigest(row.place.digest) : '')))
      await put(directory, {
        places: [
          placeAt(
            'http://changed.test/',
            digests.find((of) => placeOfDigest(of) === places[0]),
          ),
        ],
      })
      await world.complete(directory.remove(page.rows))
      if (page.next === undefined) break
      page = directory.page(page.next, places[14]!, 4)
    }
    assert.deepEqual(found, places.slice(0, 15))
    const left = directory.page(Buffer.from([0]), places.at(-1)!, 100).rows
    assert.equal(left.length, 6)
  })
})
