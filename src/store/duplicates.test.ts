// Webstore's three modes, and what happens when two contents have one digest.

import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { digestOf } from '../model/digest.ts'
import type { ContentDigest } from './contents/content-digest.ts'
import { parseContentKey, printContentKey } from './contents/content-key.ts'
import { indexFull } from './fixtures/failing-key-values.ts'
import { openStore } from './fixtures/open-store.ts'
import { bytesOf, pageCapture, pageText, textOf } from './fixtures/sample-captures.ts'
import { SimulatedStore } from './fixtures/simulated-store.ts'

const startMs = Date.UTC(2024, 0, 1)

/** Contents that begin alike collide. */
const weakDigest: ContentDigest = {
  of: (bytes) => digestOf('sha256', bytes.subarray(0, 4)),
  start: () => {
    const parts: Uint8Array[] = []
    return { update: (chunk) => parts.push(chunk), finish: () => weakDigest.of(Buffer.concat(parts)) }
  },
}

describe('two contents with one digest', () => {
  test('are told apart by size in regular mode, and by every byte in compare mode', async () => {
    const store = await openStore({ digest: weakDigest })
    const first = await store.put(Buffer.from('same beginning, one end'))
    const longer = await store.put(Buffer.from('same beginning, another, longer end'))
    assert.notDeepEqual(longer, first)

    const twin = Buffer.from('same beginning, two end') // As long as the first.
    assert.deepEqual(await store.put(twin, { mode: 'regular' }), first)
    const compared = await store.put(twin, { mode: 'compare' })
    assert.equal(compared.overflow, 2)
    assert.deepEqual(await store.put(twin, { mode: 'compare' }), compared)

    assert.equal((await bytesOf(store.get(first))).toString(), 'same beginning, one end')
    assert.equal((await bytesOf(store.get(longer))).toString(), 'same beginning, another, longer end')
    assert.equal(
      (await bytesOf(store.get(parseContentKey(printContentKey(compared))))).toString(),
      twin.toString(),
    )
    assert.deepEqual(await store.checkIndex(), [])
  })

  test('are both read back right as captures, also after closing and opening', async () => {
    const options = { digest: weakDigest, deltaChainMax: 0 }
    const store = await openStore(options)
    const texts = ['same text of page 1', 'same text of page 2', 'same text of page 1']
    const captures = []
    for (const [page, text] of texts.entries()) {
      const { capture } = await store.append(pageCapture(`http://example.com/${page}`, startMs, text), {
        mode: 'compare',
      })
      captures.push(capture)
    }
    assert.deepEqual(
      captures.map(({ kind, content }) => [kind, content!.overflow]),
      [
        ['full', 0],
        ['full', 1],
        ['same', 0],
      ],
    )
    await store.close()
    const again = await openStore(options, store.folder)
    for (const [page, capture] of captures.entries()) {
      assert.equal(await textOf((await again.read(capture)).payload()), texts[page])
    }
  })
})

describe('force-new', () => {
  test('keeps the same bytes again, each copy with a key of its own', async () => {
    const store = await openStore()
    const bytes = Buffer.from(pageText(1, 4_000))
    const keys = [
      await store.put(bytes),
      await store.put(bytes, { mode: 'force-new' }),
      await store.put(bytes, { mode: 'force-new' }),
    ]
    assert.deepEqual(
      keys.map(({ overflow }) => overflow),
      [0, 1, 2],
    )
    assert.equal((await store.stat()).distinctPayloads, 3)
    await store.delete(keys[0]!)
    await store.compact({ deadShare: 0 })
    await assert.rejects(bytesOf(store.get(keys[0]!)), { code: 'store-content-missing' })
    for (const key of keys.slice(1)) assert.deepEqual(await bytesOf(store.get(key)), bytes)
    assert.deepEqual(await store.put(bytes), keys[1]) // The gap is no end of the search.
    await store.close()
    const again = await openStore({}, store.folder)
    assert.deepEqual(await again.put(bytes), keys[1])
    assert.deepEqual(await again.checkIndex(), [])
  })

  test('that was taken back leaves the next one as easy to find', async () => {
    const simulated = new SimulatedStore()
    const store = await simulated.open()
    const bytes = Buffer.from(pageText(1, 4_000))
    const first = await simulated.run(store.put(bytes))
    simulated.keyValues.transactionFailure = indexFull
    await assert.rejects(simulated.run(store.put(bytes, { mode: 'force-new' })), { code: 'index-full' })
    simulated.keyValues.transactionFailure = () => undefined
    const second = await simulated.run(store.put(bytes, { mode: 'force-new' }))
    await simulated.run(store.delete(first))
    await simulated.run(store.close())
    const again = await simulated.open()
    assert.deepEqual(await simulated.run(again.put(bytes)), second)
    assert.deepEqual(await simulated.run(again.checkIndex()), [])
  })
})

test('an answer that came in chunks is the same payload as one that did not', async () => {
  const store = await openStore()
  await store.append(pageCapture('http://example.com/plain', startMs, 'hello world'))
  const { capture } = await store.append(
    pageCapture('http://example.com/chunked', startMs, '5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n', {
      headers: ['Transfer-Encoding: chunked'],
    }),
  )
  assert.equal(capture.kind, 'same')
  assert.equal(await textOf((await store.read(capture)).payload()), 'hello world')
})

test('a capture by nobody that ever was: no HTTP head is refused', async () => {
  const store = await openStore()
  const capture = { ...pageCapture('http://example.com/', startMs, ''), block: Buffer.from('not http') }
  await assert.rejects(store.append(capture), { code: 'store-bad-capture' })
})
