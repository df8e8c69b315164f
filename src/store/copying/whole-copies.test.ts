import assert from 'node:assert/strict'
import { gunzipSync } from 'node:zlib'
import { describe, onTestFinished, test } from 'vitest'
import { zstd } from '../../formats/warc/compression/compression.ts'
import { WarcDamage } from '../../formats/warc/damage.ts'
import { RealWorkers } from '../../platform/real/threads/workers.ts'
import { inlineWorkers } from '../../platform/workers.ts'
import type { NewCapture } from '../capture.ts'
import { openStore } from '../fixtures/open-store.ts'
import { bytesOf, pageCapture, pageText } from '../fixtures/sample-captures.ts'
import type { Store } from '../store.ts'
import { type CheckedCopies, type CopiesToCheck, checkCopies } from './copy-check.ts'
import type { ReceiveOutcome } from './copying.ts'
import type { CopyWorkers } from './whole-copies.ts'

const copyThread = new URL('../../app/threads/copy-thread.ts', import.meta.url)

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
  const sender = await openStore(options)
  const { capture: kept } = await sender.append(capture)
  return (await sender.give(kept.cursor)) as Uint8Array
}

async function pagesOf(sender: Store, count: number): Promise<Uint8Array[]> {
  const copies: Uint8Array[] = []
  for (let number = 0; number < count; number++) {
    const page = pageCapture(`http://a.test/${number}`, 1_000 + number, pageText(number, 20_000))
    const { capture } = await sender.append(page)
    copies.push((await sender.give(capture.cursor)) as Uint8Array)
  }
  return copies
}

async function takeAll(
  receiver: Store,
  copies: readonly Uint8Array[],
): Promise<(ReceiveOutcome | 'damaged')[]> {
  return Promise.all(
    copies.map((copy) =>
      receiver.take(copy).catch((error: unknown) => {
        assert(error instanceof WarcDamage, String(error))
        return 'damaged' as const
      }),
    ),
  )
}

async function recordsOf(store: Store, cursor: string): Promise<string> {
  return gunzipSync((await store.give(cursor)) as Uint8Array).toString('latin1')
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
    const [sender, receiver] = [await openStore(), await openStore({ cacheBytes: 0 })]
    const threads = countedThreads()
    if (where === 'in threads') receiver.checkCopiesIn(threads.workers)
    const copies = await pagesOf(sender, 300)
    assert.deepEqual(new Set(await takeAll(receiver, copies)), new Set(['kept']))
    assert.equal(threads.count(), where === 'in threads' ? 300 : 0)
    assert.deepEqual(await contentsOf(receiver), await contentsOf(sender))
    assert.deepEqual(await receiver.checkIndex(), [])
    assert.deepEqual(new Set(await takeAll(receiver, copies)), new Set(['known']))
  })

  test('of which some are wrong: those are refused, and the others kept', async () => {
    const receiver = await openStore()
    receiver.checkCopiesIn(countedThreads().workers)
    const copies = await pagesOf(await openStore(), 60)
    const spoilt = copies.map((copy, number) => {
      if (number % 3 > 0) return copy
      const bytes = Uint8Array.from(copy)
      bytes[bytes.length >> 1]! ^= 255
      return bytes
    })
    const outcomes = await takeAll(receiver, spoilt)
    assert.deepEqual(
      outcomes,
      copies.map((_, number) => (number % 3 > 0 ? 'kept' : 'damaged')),
    )
    assert.equal([...receiver.scan({ kind: 'all' })].length, 40)
    assert.deepEqual(await receiver.checkIndex(), [])
  })

  test('with one payload among them: it is kept once', async () => {
    const receiver = await openStore()
    receiver.checkCopiesIn(countedThreads().workers)
    const text = pageText(7, 40_000)
    const copies = await Promise.all(
      [1, 2, 3, 4].map((number) => copyOf(pageCapture(`http://site-${number}.test/`, 1_000, text))),
    )
    assert.deepEqual(await takeAll(receiver, copies), ['kept', 'kept', 'kept', 'kept'])
    assert.equal((await receiver.stat()).distinctPayloads, 1)
    assert.deepEqual(await receiver.checkIndex(), [])
  })

  test('compressed in another way than volumes are here are kept as volumes are', async () => {
    const receiver = await openStore({ compression: zstd })
    const sender = await openStore()
    receiver.checkCopiesIn(countedThreads().workers)
    assert.deepEqual(new Set(await takeAll(receiver, await pagesOf(sender, 40))), new Set(['kept']))
    assert.deepEqual(await contentsOf(receiver), await contentsOf(sender))
    assert.deepEqual(await receiver.checkIndex(), [])
  })

  test('what was taken down is not among what is kept, also when that happens on the way', async () => {
    const receiver = await openStore()
    const copies = await pagesOf(await openStore(), 40)
    await receiver.takedown({ kind: 'url', url: 'http://a.test/1' })
    const here = inlineWorkers(checkCopies)
    const later: Promise<unknown>[] = []
    receiver.checkCopiesIn({
      ...here,
      run: async (task) => {
        const checked = await here.run(task)
        // When they are judged it is too late for the first look, and in time for the last.
        queueMicrotask(() => later.push(receiver.takedown({ kind: 'url', url: 'http://a.test/2' })))
        return checked
      },
    })
    const outcomes = await takeAll(receiver, copies)
    await Promise.all(later)
    assert.equal(outcomes[1], 'taken-down')
    const urls = [...receiver.scan({ kind: 'all' })].map(({ url }) => url)
    assert(!urls.includes('http://a.test/1') && !urls.includes('http://a.test/2'))
    assert.equal(outcomes[3], 'kept')
    assert.deepEqual(await receiver.checkIndex(), [])
  })

  describe('with revisits among them', () => {
    /** Three sites with one page each, at three times: one payload and eight revisits. */
    async function revisits(sender: Store): Promise<Uint8Array[]> {
      const copies: Uint8Array[] = []
      for (const site of ['a', 'b', 'c']) {
        for (const time of [1_000, 2_000, 3_000]) {
          const page = pageCapture(`http://${site}.test/`, time, pageText(7, 40_000))
          const { capture } = await sender.append(page)
          copies.push((await sender.give(capture.cursor)) as Uint8Array)
        }
      }
      return copies
    }

    test('of a payload that comes with them or is here: they are kept as they came', async () => {
      const [sender, receiver] = [await openStore(), await openStore({ cacheBytes: 0 })]
      receiver.checkCopiesIn(countedThreads().workers)
      const copies = await revisits(sender)
      assert.deepEqual(new Set(await takeAll(receiver, copies.slice(0, 5))), new Set(['kept']))
      assert.deepEqual(new Set(await takeAll(receiver, copies.slice(5))), new Set(['kept']))
      assert.deepEqual(await contentsOf(receiver), await contentsOf(sender))
      const given = await Promise.all(
        Array.from(receiver.scan({ kind: 'all' }), async ({ cursor }) => receiver.give(cursor)),
      )
      const sorted = (some: readonly unknown[]) =>
        some.map((bytes) => Buffer.from(bytes as Uint8Array).toString('hex')).sort()
      assert.deepEqual(sorted(given), sorted(copies))
      assert.equal((await receiver.stat()).distinctPayloads, 1)
      assert.deepEqual(await receiver.checkIndex(), [])
      assert.deepEqual(new Set(await takeAll(receiver, copies)), new Set(['known']))
    })

    test('of a payload that is not here: they are told, and kept when it comes, also behind them', async () => {
      const receiver = await openStore()
      const [page, ...rest] = await revisits(await openStore())
      assert.deepEqual(new Set(await takeAll(receiver, rest)), new Set(['lacking']))
      assert.deepEqual(new Set(await takeAll(receiver, [...rest, page!])), new Set(['kept']))
      assert.deepEqual(await receiver.checkIndex(), [])
    })

    test('of a page that was taken down here: they are kept, and do not name it', async () => {
      const receiver = await openStore()
      const copies = await revisits(await openStore())
      // So that the payload stays here.
      await takeAll(receiver, copies.slice(0, 4))
      await receiver.takedown({ kind: 'site', site: 'a.test' })
      assert.deepEqual(new Set(await takeAll(receiver, copies.slice(4))), new Set(['kept']))
      const found = [...receiver.scan({ kind: 'site', site: 'c.test' })]
      assert.equal(found.length, 3)
      for (const { cursor } of found) assert(!(await recordsOf(receiver, cursor)).includes('a.test'))
      assert.deepEqual(await receiver.checkIndex(), [])
    })

    test('a wrong one is refused', async () => {
      const receiver = await openStore()
      const copies = await revisits(await openStore())
      const spoilt = copies.map((copy, number) => {
        const bytes = Uint8Array.from(copy)
        if (number === 4) bytes[bytes.length >> 1]! ^= 255
        return bytes
      })
      const outcomes = await takeAll(receiver, spoilt)
      assert.deepEqual(
        outcomes,
        copies.map((_, number) => (number === 4 ? 'damaged' : 'kept')),
      )
      assert.deepEqual(await receiver.checkIndex(), [])
    })
  })
})
