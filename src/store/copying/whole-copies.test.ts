import assert from 'node:assert/strict'
import { describe, onTestFinished, test } from 'vitest'
import { zstd } from '../../record/warc/compression.ts'
import { WarcDamage } from '../../record/warc/damage.ts'
import { RealWorkers } from '../../world/real/workers.ts'
import { inlineWorkers } from '../../world/workers.ts'
import type { NewCapture } from '../capture.ts'
import { openStore } from '../fixtures/open-store.ts'
import { bytesOf, pageCapture, pageText } from '../fixtures/sample-captures.ts'
import type { Store } from '../store.ts'
import { type CheckedCopies, type CopiesToCheck, checkCopies } from './copy-check.ts'
import type { TakeOutcome } from './copying.ts'
import type { CopyWorkers } from './whole-copies.ts'

const copyThread = new URL('../../peer/copies/copy-thread.ts', import.meta.url)

/** Threads, and how many copies went to them. */
function countedThreads(): { workers: CopyWorkers; count(): number } {
  const workers = new RealWorkers<CopiesToCheck, CheckedCopies>(copyThread, 2, 4)
  onTestFinished(() => workers.close())
  let count = 0
  return {
    workers: {
      run: (task, transfer) => {
        count += task.lengths.length
        return workers.run(task, transfer)
      },
      close: () => workers.close(),
    },
    count: () => count,
  }
}

async function copyOf(
  capture: NewCapture,
  options: Parameters<typeof openStore>[0] = {},
): Promise<Uint8Array> {
  const giver = await openStore(options)
  const { capture: kept } = await giver.append(capture)
  return (await giver.give(kept.cursor)) as Uint8Array
}

async function pagesOf(giver: Store, count: number): Promise<Uint8Array[]> {
  const copies: Uint8Array[] = []
  for (let number = 0; number < count; number++) {
    const page = pageCapture(`http://a.test/${number}`, 1_000 + number, pageText(number, 20_000))
    const { capture } = await giver.append(page)
    copies.push((await giver.give(capture.cursor)) as Uint8Array)
  }
  return copies
}

async function takeAll(taker: Store, copies: readonly Uint8Array[]): Promise<(TakeOutcome | 'damaged')[]> {
  return Promise.all(
    copies.map((copy) =>
      taker.take(copy).catch((error: unknown) => {
        assert(error instanceof WarcDamage, String(error))
        return 'damaged' as const
      }),
    ),
  )
}

async function contentsOf(store: Store): Promise<string[]> {
  const found: string[] = []
  for (const capture of store.scan({ kind: 'all' })) {
    const { head, payload } = await store.read(capture)
    found.push([capture.url, capture.recordId, capture.mime, head, await bytesOf(payload())].join('\n'))
  }
  return found
}

describe('many copies at once', () => {
  test.each(['in threads', 'here'])('read as they did where they came from, checked %s', async (where) => {
    const [giver, taker] = [await openStore(), await openStore({ cacheBytes: 0 })]
    const threads = countedThreads()
    if (where === 'in threads') taker.checkCopiesIn(threads.workers)
    const copies = await pagesOf(giver, 300)
    assert.deepEqual(new Set(await takeAll(taker, copies)), new Set(['kept']))
    assert.equal(threads.count(), where === 'in threads' ? 300 : 0)
    assert.deepEqual(await contentsOf(taker), await contentsOf(giver))
    assert.deepEqual(await taker.checkIndex(), [])
    assert.deepEqual(new Set(await takeAll(taker, copies)), new Set(['known']))
  })

  test('of which some are wrong: those are refused, and the others kept', async () => {
    const taker = await openStore()
    taker.checkCopiesIn(countedThreads().workers)
    const copies = await pagesOf(await openStore(), 60)
    const spoilt = copies.map((copy, number) => {
      if (number % 3 > 0) return copy
      const bytes = Uint8Array.from(copy)
      bytes[bytes.length >> 1]! ^= 255
      return bytes
    })
    const outcomes = await takeAll(taker, spoilt)
    assert.deepEqual(
      outcomes,
      copies.map((_, number) => (number % 3 > 0 ? 'kept' : 'damaged')),
    )
    assert.equal([...taker.scan({ kind: 'all' })].length, 40)
    assert.deepEqual(await taker.checkIndex(), [])
  })

  test('with one payload among them: it is kept once', async () => {
    const taker = await openStore()
    taker.checkCopiesIn(countedThreads().workers)
    const text = pageText(7, 40_000)
    const copies = await Promise.all(
      [1, 2, 3, 4].map((number) => copyOf(pageCapture(`http://site-${number}.test/`, 1_000, text))),
    )
    assert.deepEqual(await takeAll(taker, copies), ['kept', 'kept', 'kept', 'kept'])
    assert.equal((await taker.stat()).distinctPayloads, 1)
    assert.deepEqual(await taker.checkIndex(), [])
  })

  test('compressed in another way than volumes are here are kept as volumes are', async () => {
    const taker = await openStore({ compression: zstd })
    const giver = await openStore()
    taker.checkCopiesIn(countedThreads().workers)
    assert.deepEqual(new Set(await takeAll(taker, await pagesOf(giver, 40))), new Set(['kept']))
    assert.deepEqual(await contentsOf(taker), await contentsOf(giver))
    assert.deepEqual(await taker.checkIndex(), [])
  })

  test('what was taken down is not among what is kept, also when that happens on the way', async () => {
    const taker = await openStore()
    const copies = await pagesOf(await openStore(), 40)
    await taker.takedown({ kind: 'url', url: 'http://a.test/1' })
    const here = inlineWorkers(checkCopies)
    taker.checkCopiesIn({
      ...here,
      run: async (task) => {
        const checked = await here.run(task)
        // When they are judged it is too late for the first look, and in time for the last.
        queueMicrotask(() => void taker.takedown({ kind: 'url', url: 'http://a.test/2' }))
        return checked
      },
    })
    const outcomes = await takeAll(taker, copies)
    assert.equal(outcomes[1], 'taken-down')
    const urls = [...taker.scan({ kind: 'all' })].map(({ url }) => url)
    assert(!urls.includes('http://a.test/1') && !urls.includes('http://a.test/2'))
    assert.equal(outcomes[3], 'kept')
    assert.deepEqual(await taker.checkIndex(), [])
  })
})
