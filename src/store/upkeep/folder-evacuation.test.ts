import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { openStore } from '../fixtures/open-store.ts'
import { bytesOf, pageCapture, pageText, textOf } from '../fixtures/sample-captures.ts'
import type { Store } from '../store.ts'

const start = Date.parse('2024-01-01T00:00:00Z')

async function filled(): Promise<{ store: Store; first: string; second: string }> {
  const store = await openStore({ volumeBytesMax: 30_000 })
  const first = join(store.folder, 'volumes')
  for (let i = 0; i < 40; i++) {
    await store.append(pageCapture(`http://example.com/${i}`, start, pageText(i, 10_000)))
    await store.append(pageCapture(`http://example.org/${i}`, start, pageText(i, 10_000)))
  }
  await store.put(Buffer.from('put'))
  return { store, first, second: join(store.folder, 'other-disk') }
}

async function checkAll(store: Store): Promise<void> {
  assert.deepEqual(await store.checkIndex(), [])
  for (let i = 0; i < 40; i++) {
    for (const host of ['example.com', 'example.org']) {
      const [capture] = store.scan({ kind: 'url', url: `http://${host}/${i}` })
      assert.equal(await textOf((await store.read(capture!)).payload()), pageText(i, 10_000))
    }
  }
}

async function warcFiles(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.includes('.warc'))
}

describe('moving off a volume folder', () => {
  test('moves everything to the others and forgets it', async () => {
    const { store, first, second } = await filled()
    await store.volumes.setFolder(second, 'writable')
    const seen: number[] = []
    const refused: Promise<void>[] = []
    await store.moveOff(first, {
      progress: ({ doneBytes, totalBytes }) => {
        seen.push(doneBytes / totalBytes)
        const late = store.append(pageCapture('http://example.net/late', start, 'x'), { folder: first })
        refused.push(assert.rejects(late, { code: 'store-no-room' }))
      },
    })
    await Promise.all(refused)
    assert.ok(refused.length > 0)
    assert.deepEqual([...store.volumes.folders().values()], [{ path: second, mode: 'writable' }])
    assert.deepEqual(await warcFiles(first), [])
    assert.ok((await warcFiles(second)).length > 0)
    assert.ok(seen.at(-1)! > 0.9)
    await checkAll(store)
    await store.close()
    await checkAll(await openStore({}, store.folder))
  })

  test('goes on where it was stopped', async () => {
    const { store, first, second } = await filled()
    await store.volumes.setFolder(second, 'writable')
    const stop = new AbortController()
    const stopped = store.moveOff(first, {
      signal: stop.signal,
      progress: () => stop.abort(new Error('enough')),
    })
    await assert.rejects(stopped, /enough/)
    await checkAll(store)
    await store.append(pageCapture('http://example.net/', start, 'written meanwhile'))
    await store.close()
    const again = await openStore({}, store.folder)
    await again.moveOff(first)
    assert.deepEqual(await warcFiles(first), [])
    await checkAll(again)
  })

  test('is refused when nothing else takes writes, and changes nothing', async () => {
    const { store, first } = await filled()
    await assert.rejects(store.moveOff(first), { code: 'store-no-room', message: /Add another first/ })
    await assert.rejects(store.moveOff('/nowhere'), { code: 'store-unknown-folder' })
    const key = await store.put(Buffer.from('still writable'))
    assert.equal((await bytesOf(store.get(key))).toString(), 'still writable')
  })
})
