import assert from 'node:assert/strict'
import { open } from 'node:fs/promises'
import { describe, test } from 'vitest'
import { gzip, uncompressed, zstd } from '../../formats/warc/compression/compression.ts'
import type { SideWork } from '../../platform/side-work.ts'
import { openStore } from '../../store/fixtures/open-store.ts'
import { bytesOf, pageText } from '../../store/fixtures/sample-captures.ts'
import type { StoreOptions } from '../../store/store.ts'
import { contentSideWork } from './content-threads.ts'

/** Counts how often the thread was given something. */
function counted(side: SideWork): SideWork & { given: number } {
  const work = {
    given: 0,
    run: (task: Parameters<SideWork['run']>[0]) =>
      side.run({
        here: () => task.here(),
        fill: (memory) => {
          const length = task.fill(memory)
          if (length !== undefined) work.given++
          return length
        },
      }),
  }
  return work
}

async function sharedStore(compression: StoreOptions['compression']) {
  const store = await openStore({ compression, cacheBytes: 0 })
  const side = counted(contentSideWork()!)
  store.readWith(side)
  const texts = Array.from({ length: 60 }, (_, page) => pageText(page, 5_000))
  const keys = await Promise.all(texts.map((text) => store.put(Buffer.from(text))))
  const read = async (place: number) => (await bytesOf(store.get(keys[place]!))).toString()
  const readAll = async () => {
    for (let round = 0; round < 5; round++) {
      assert.deepEqual(await Promise.all(texts.map((_, place) => read(place))), texts)
      await new Promise((done) => setImmediate(done))
    }
  }
  for (let rounds = 0; side.given < 100; rounds++) {
    assert.ok(rounds < 1_000, 'the other thread is given nothing')
    await readAll()
  }
  return { store, side, texts, keys, read, readAll }
}

describe.skipIf(contentSideWork() === undefined)('contents that many read at the same time', () => {
  for (const compression of [gzip, zstd, uncompressed]) {
    test(`come right from both threads (${compression.kind})`, async () => {
      const { readAll } = await sharedStore(compression)
      await readAll()
    })
  }

  test('and that are damaged are found so, and kept from everyone', async () => {
    const { store, texts, read } = await sharedStore(uncompressed)
    const [volume] = (await store.stat()).volumes
    const file = await open(volume!.path, 'r+')
    const whole = await file.readFile()
    await file.write(Buffer.from('#'), 0, 1, whole.indexOf(texts[7]!) + 1_000)
    await file.close()
    const outcomes = await Promise.allSettled(texts.map((_, place) => read(place)))
    for (const [place, outcome] of outcomes.entries()) {
      if (outcome.status === 'fulfilled') assert.equal(outcome.value, texts[place])
      else assert.deepEqual([place, outcome.reason.code], [7, 'store-content-damaged'])
    }
    assert.equal(outcomes[7]!.status, 'rejected')
    await assert.rejects(read(7), { code: 'store-content-damaged' })
    assert.equal((await store.scrub()).damagedCount, 1)
  })

  test('while the store is closed are right, or refused', async () => {
    const { store, texts, read } = await sharedStore(gzip)
    const reading = Promise.allSettled(texts.map((_, place) => read(place)))
    await store.close()
    for (const [place, outcome] of (await reading).entries()) {
      if (outcome.status === 'fulfilled') assert.equal(outcome.value, texts[place])
      else assert.equal(outcome.reason.code, 'store-closed')
    }
  })
})
