import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { openStore } from './fixtures/open-store.ts'
import { bytesOf, pageCapture, pageText, textOf } from './fixtures/sample-captures.ts'

const startMs = Date.UTC(2024, 0, 1)

describe('closing a store', () => {
  test('settles everything that is under way: done and kept, or refused', async () => {
    for (const waitTurns of [0, 1, 3, 10, 40]) {
      const store = await openStore()
      const key = await store.put(Buffer.from('put before'))
      const texts = Array.from({ length: 40 }, (_, page) => pageText(page % 30, 3_000))
      const deeds = [
        ...texts.map((text, page) =>
          store.append(pageCapture(`http://example.com/${page}`, startMs + page, text), {
            mode: page % 2 === 0 ? 'regular' : 'compare',
          }),
        ),
        store.put(Buffer.from('put now')),
        store.delete(key),
        store.takedown({ kind: 'url', url: 'http://example.com/taken' }),
        bytesOf(store.get(key)),
        store.compact(),
        store.stat(),
      ]
      const settled = Promise.allSettled(deeds as Promise<unknown>[])
      for (let turn = 0; turn < waitTurns; turn++) await new Promise((done) => setImmediate(done))
      await store.close()
      for (const outcome of await settled) {
        if (outcome.status === 'rejected')
          assert.equal(outcome.reason.code, 'store-closed', outcome.reason.stack)
      }
      const again = await openStore({}, store.folder)
      const kept = (await settled)
        .slice(0, texts.length)
        .flatMap((outcome, page) => (outcome.status === 'fulfilled' ? [page] : []))
      assert.deepEqual(
        [...again.scan({ kind: 'all' })]
          .map(({ capturedAtMs }) => capturedAtMs - startMs)
          .sort((a, b) => a - b),
        kept,
      )
      for (const capture of again.scan({ kind: 'all' })) {
        const text = texts[capture.capturedAtMs - startMs]
        assert.equal(await textOf((await again.read(capture)).payload()), text)
      }
      await again.close()
    }
  })

  test('ends reads that are under way: right, or refused', async () => {
    for (const waitTurns of [0, 1, 4]) {
      const store = await openStore({ cacheBytes: 0, volumeBytesMax: 20_000 })
      const texts = Array.from({ length: 30 }, (_, page) => pageText(page, 3_000))
      const keys = await Promise.all(texts.map((text) => store.put(Buffer.from(text))))
      const readers = texts.map(async (text, page) => {
        for (;;) {
          assert.equal((await bytesOf(store.get(keys[page]!))).toString(), text)
          await new Promise((done) => setImmediate(done))
        }
      })
      const settled = Promise.allSettled(readers)
      for (let turn = 0; turn < waitTurns; turn++) await new Promise((done) => setImmediate(done))
      await store.close()
      for (const outcome of await settled)
        assert.equal((outcome as PromiseRejectedResult).reason.code, 'store-closed')
    }
  })

  test('twice does nothing more, and everything after it is refused', async () => {
    const store = await openStore()
    await Promise.all([store.close(), store.close()])
    assert.throws(() => store.append(pageCapture('http://example.com/', startMs, 'late')), {
      code: 'store-closed',
    })
    assert.throws(() => store.stat(), { code: 'store-closed' })
  })
})
