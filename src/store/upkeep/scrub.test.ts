import assert from 'node:assert/strict'
import { open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { gzip, uncompressed, zstd } from '../../formats/warc/compression/compression.ts'
import { parseUrl } from '../../model/url/url.ts'
import type { Clock } from '../../platform/clock.ts'
import { localWorld } from '../../platform/real/local-world.ts'
import { printContentKey } from '../contents/content-key.ts'
import { flip, flipBits, volumeBytes, volumePath } from '../fixtures/flipped-bits.ts'
import { openStore } from '../fixtures/open-store.ts'
import { bytesOf, pageCapture, pageText, textOf } from '../fixtures/sample-captures.ts'
import type { Store, StoreOptions } from '../store.ts'

const day = 86_400_000
const start = Date.parse('2024-01-01T00:00:00Z')

describe('a flipped bit', () => {
  // Every byte: scrub.long.test.ts.
  test.each([gzip, zstd, uncompressed])(
    'of a volume ($kind) is found by the scrub, and never served',
    (compression) => flipBits(compression, 101),
  )
})

describe('a record whose head has rotted', () => {
  test('still gives the content that is in it, and the scrub finds it', async () => {
    const store = await openStore({ compression: uncompressed, cacheBytes: 0 })
    const key = await store.put(Buffer.from('what is in it'))
    const path = await volumePath(store)
    const place = (await readAll(path)).lastIndexOf('Content-Length')
    await flip(path, place)
    assert.equal((await bytesOf(store.get(key))).toString(), 'what is in it')
    assert.equal((await store.scrub()).damagedCount, 1)
    await flip(path, place)
    await flip(path, (await volumeBytes(store)) - 10)
    await store.scrub()
    await assert.rejects(bytesOf(store.get(key)), { code: 'store-content-damaged' })
  })
})

describe('a scrub', () => {
  test('finds a sound store sound, and counts it', async () => {
    const store = await openStore({ volumeBytesMax: 20_000 })
    for (let i = 0; i < 20; i++) {
      await store.append(pageCapture(`http://a.test/${i}`, start, pageText(i % 10, 5_000)))
      await store.delete(await store.put(Buffer.from(`gone ${i}`)))
    }
    const seen: number[] = []
    const report = await store.scrub({ progress: ({ doneBytes }) => seen.push(doneBytes) })
    const { volumes } = await store.stat()
    assert.ok(volumes.length > 1)
    assert.equal(report.records, 20)
    assert.deepEqual(
      { ...report, records: 0, bytes: 0 },
      {
        volumes: volumes.length,
        records: 0,
        bytes: 0,
        damaged: [],
        damagedCount: 0,
        repaired: 0,
        unindexed: 0,
        dangling: 0,
      },
    )
    assert.deepEqual(
      seen,
      [...seen].sort((a, b) => a - b),
    )
    assert.equal(seen.length, 20)
  })

  test('goes on where it was stopped', async () => {
    const store = await openStore({ volumeBytesMax: 20_000 })
    for (let i = 0; i < 20; i++)
      await store.append(pageCapture(`http://a.test/${i}`, start, pageText(i, 5_000)))
    const stop = new AbortController()
    let count = 0
    const stopped = store.scrub({
      signal: stop.signal,
      progress: () => {
        if (++count === 8) stop.abort(new Error('enough'))
      },
    })
    await assert.rejects(stopped, /enough/)
    await store.close()
    const again = await openStore({}, store.folder)
    assert.equal((await again.scrub()).records, 12)
    assert.equal((await again.scrub()).records, 20)
  })

  test('goes through everything while the index fits into memory only in parts', async () => {
    const store = await openStore({ volumeBytesMax: 10_000, scrubResidentsMax: 3 })
    for (let i = 0; i < 20; i++)
      await store.append(pageCapture(`http://a.test/${i}`, start, pageText(i, 5_000)))
    const report = await store.scrub()
    assert.equal(report.records, 20)
    assert.deepEqual(report.damaged, [])
  })

  test('quarantines what is damaged, and heals it with the good bytes it is given', async () => {
    const good = new Map<string, Uint8Array>()
    const repair = async (key: Parameters<typeof printContentKey>[0]) => good.get(printContentKey(key))
    const store = await openStore({ cacheBytes: 0, repair })
    const base = pageText(1, 5_000)
    const changed = base.replace('<p', '<p id="x"')
    await store.append(pageCapture('http://a.test/', start, base))
    await store.append(pageCapture('http://a.test/', start + day, changed))
    const [full, delta] = [...store.versions(parseUrl('http://a.test/'))]
    assert.equal(delta!.kind, 'delta')
    const path = await volumePath(store)
    const sizeBytes = await volumeBytes(store)
    // In the middle of the full record, which is most of the volume.
    await flip(path, sizeBytes - delta!.storedBytes - 100)
    const damaged = await store.scrub()
    assert.deepEqual(
      damaged.damaged.map(({ what, isRepaired }) => [what, isRepaired]),
      [
        ['http://a.test/', false],
        [printContentKey(full!.content!), false],
      ],
    )
    assert.ok(damaged.damaged.every((damage) => damage.path === path))
    await assert.rejects(bytesOf(store.get(full!.content!)), { code: 'store-content-damaged' })
    await assert.rejects(bytesOf(store.get(delta!.content!)), { code: 'store-content-damaged' })
    // Wrong bytes heal nothing.
    good.set(printContentKey(full!.content!), Buffer.from(changed))
    assert.equal((await store.scrub()).repaired, 0)
    good.set(printContentKey(full!.content!), Buffer.from(base))
    assert.equal((await store.scrub()).repaired, 1)
    assert.equal((await bytesOf(store.get(full!.content!))).toString(), base)
    assert.equal(await textOf((await store.read(delta!)).payload()), changed)
    assert.deepEqual(await store.checkIndex(), [])
  })

  test('heals a whole capture with its records from elsewhere', async () => {
    let records: Buffer | undefined
    const store = await openStore({ cacheBytes: 0, repairRecords: async () => records })
    await store.append(
      pageCapture('http://a.test/', start, pageText(1, 5_000), {
        request: Buffer.from('GET / HTTP/1.1\r\n\r\n'),
      }),
    )
    const [capture] = store.versions(parseUrl('http://a.test/'))
    const path = await volumePath(store)
    const sizeBytes = await volumeBytes(store)
    const whole = await readAll(path)
    await flip(path, sizeBytes - 400)
    const [damage] = (await store.scrub()).damaged
    await assert.rejects(store.read(capture!), { code: 'store-content-damaged' })
    records = whole.subarray(damage!.offset, sizeBytes)
    const report = await store.scrub()
    assert.equal(report.repaired, 1)
    const answer = await store.read(capture!)
    assert.equal(await textOf(answer.payload()), pageText(1, 5_000))
    assert.deepEqual((await store.scrub()).damaged, [])
    assert.deepEqual(await store.checkIndex(), [])
  })

  test('counts as mended all that it found of a record, though good bytes came only at the second try', async () => {
    const { store, sound } = await damagedCapture(async () => undefined)
    await store.scrub()
    const { found, mended } = store.soundness
    assert.deepEqual([found, mended], [2, 0])
    store.repairFrom({ records: async () => sound })
    await store.scrub()
    await store.scrub()
    assert.deepEqual(counts(store), { found: 2, mended: 2, damaged: 0 })
  })

  test('counts damage once that a reader finds and mends at the same time', async () => {
    const { store, sound, cursor } = await damagedCapture(async () => undefined)
    let reader: Promise<unknown> | undefined
    store.repairFrom({
      records: async () => {
        if (reader !== undefined) return sound
        // While the scrub asks for good bytes, the reader gets them and is done with it.
        reader = store.scrubCapture(cursor)
        await reader
        return sound
      },
    })
    const { damagedCount } = await store.scrub()
    assert.equal(damagedCount, 0)
    await store.scrub()
    assert.deepEqual(counts(store), { found: 1, mended: 1, damaged: 0 })
  })

  test('is not needed to quarantine what a reader finds damaged', async () => {
    const store = await openStore({ cacheBytes: 0 })
    const key = await store.put(Buffer.from(pageText(1, 5_000)))
    await flip(await volumePath(store), (await volumeBytes(store)) - 100)
    await assert.rejects(bytesOf(store.get(key)), { code: 'store-content-damaged' })
    // Put again, it is not taken for known, but heals what is damaged.
    assert.deepEqual(await store.put(Buffer.from(pageText(1, 5_000))), key)
    assert.equal((await bytesOf(store.get(key))).toString(), pageText(1, 5_000))
    assert.deepEqual((await store.scrub()).damaged, [])
    assert.deepEqual(await store.checkIndex(), [])
  })

  for (const [mode, isKnown] of [
    ['regular', true],
    ['regular', false],
    ['compare', true],
    ['compare', false],
  ] as const) {
    const when = `${mode}, ${isKnown ? 'known to be damaged' : 'not known'}`
    test(`is not needed when a page comes again whose payload is damaged (${when})`, async () => {
      const store = await openStore({ cacheBytes: 0 })
      const base = pageText(1, 5_000)
      const changed = base.replace('<p', '<p id="x"')
      await store.append(pageCapture('http://a.test/', start, base))
      await store.append(pageCapture('http://a.test/', start + day, changed))
      const [full, delta] = [...store.versions(parseUrl('http://a.test/'))]
      await flip(await volumePath(store), (await volumeBytes(store)) - delta!.storedBytes - 100)
      if (isKnown)
        await assert.rejects(bytesOf(store.get(delta!.content!)), { code: 'store-content-damaged' })
      await store.append(pageCapture('http://b.test/', start, base), { mode })
      const [again] = store.versions(parseUrl('http://b.test/'))
      assert.equal(await textOf((await store.read(again!)).payload()), base)
      // Digests are not believed when comparing, so there it becomes another content.
      assert.equal(again!.kind, mode === 'regular' ? 'same' : 'full')
      assert.equal(again!.content!.overflow, mode === 'regular' ? 0 : 1)
      if (mode === 'regular') assert.equal((await bytesOf(store.get(delta!.content!))).toString(), changed)
      // The first answer's head is lost with its record.
      await assert.rejects(store.read(full!), { code: 'store-content-damaged' })
      assert.deepEqual(await store.checkIndex(), [])
    })
  }

  test('takes nothing for rotten whose disk is not mounted', async () => {
    const repaired: unknown[] = []
    const repairRecords = async (capture: unknown) => void repaired.push(capture)
    const store = await openStore({ cacheBytes: 0, repairRecords })
    await store.append(pageCapture('http://a.test/', start, pageText(1, 5_000)))
    const folder = join(store.folder, 'volumes')
    await rename(folder, `${folder}-away`)
    const { damaged } = await store.scrub()
    await rename(`${folder}-away`, folder)
    assert.deepEqual(
      damaged.map(({ what, reason }) => [what, /mounted/.test(reason)]),
      [['volume', true]],
    )
    assert.deepEqual(repaired, [])
    const [capture] = store.versions(parseUrl('http://a.test/'))
    assert.equal(await textOf((await store.read(capture!)).payload()), pageText(1, 5_000))
    assert.equal((await store.scrub()).damagedCount, 0)
    assert.equal(store.soundness.damaged, 0)
  })

  test('forgets damage that it does not find again, though it begins in the millisecond in which that was found', async () => {
    const world = localWorld()
    const { clock } = world
    const stopped: Clock = {
      nowMs: () => start,
      monotonicMs: () => clock.monotonicMs(),
      after: (delayMs, task) => clock.after(delayMs, task),
      sleep: (delayMs, signal) => clock.sleep(delayMs, signal),
    }
    const store = await openStore({ cacheBytes: 0 }, undefined, { ...world, clock: stopped })
    await store.put(Buffer.from(pageText(1, 5_000)))
    const [path, offset] = [await volumePath(store), (await volumeBytes(store)) - 300]
    await flip(path, offset)
    await store.scrub()
    await store.scrub()
    assert.equal(store.soundness.damaged, 1)
    await flip(path, offset)
    await store.scrub()
    assert.equal(store.soundness.damaged, 0)
  })

  test('mends what lay in a volume that is gone, while its folder is there', async () => {
    const bytes = Buffer.from(pageText(1, 5_000))
    const store = await openStore({ cacheBytes: 0, repair: async () => bytes })
    await store.put(bytes)
    const sealed = await volumePath(store)
    await store.volumes.seal()
    await rm(sealed)
    assert.equal((await store.scrub()).repaired, 1)
  })

  test('tells of index entries under another key than theirs', async () => {
    const store = await openStore()
    for (let i = 0; i < 5; i++)
      await store.append(pageCapture(`http://a.test/page-${i}`, start, pageText(i, 900)))
    await store.close()
    const path = join(store.folder, 'index', 'data.mdb')
    const sound = await readFile(path)
    const end = Buffer.from('test,a)/page-2\0')
    const scrubbed = async (place: number, bit: number) => {
      const rotten = Buffer.from(sound)
      for (let at = rotten.indexOf(end); at >= 0; at = rotten.indexOf(end, at + 1))
        rotten[at + place]! ^= 1 << bit
      await writeFile(path, rotten)
      const again = await openStore({}, store.folder)
      try {
        return await again.scrub()
      } finally {
        await again.close()
      }
    }
    const late = await scrubbed(end.length + 6, 0)
    assert.deepEqual(
      late.damaged.map(({ what, reason }) => [what, reason]),
      [['http://a.test/page-2', 'the index has it under another URL or time']],
    )
    // Now page-r, before page-3: by its key it is not found.
    assert.ok((await scrubbed(end.length - 2, 6)).dangling > 0)
  })

  test('tells of a volume that has lost its end', async () => {
    const store = await openStore({ cacheBytes: 0 })
    await store.put(Buffer.from(pageText(1, 5_000)))
    const path = await volumePath(store)
    const file = await open(path, 'r+')
    await file.truncate((await volumeBytes(store)) - 10)
    await file.close()
    assert.equal((await store.scrub()).damagedCount, 1)
  })
})

async function readAll(path: string): Promise<Buffer> {
  const file = await open(path, 'r')
  try {
    return await file.readFile()
  } finally {
    await file.close()
  }
}

/** A store with one capture, a bit of whose record is flipped, and that record as it was. */
async function damagedCapture(repairRecords: NonNullable<StoreOptions['repairRecords']>) {
  const store = await openStore({ cacheBytes: 0, repairRecords })
  await store.append(pageCapture('http://a.test/', start, pageText(1, 5_000)))
  const [capture] = store.versions(parseUrl('http://a.test/'))
  const path = await volumePath(store)
  const sizeBytes = await volumeBytes(store)
  const sound = (await readAll(path)).subarray(sizeBytes - capture!.storedBytes)
  await flip(path, sizeBytes - 400)
  return { store, sound, cursor: capture!.cursor }
}

function counts({ soundness: { found, mended, damaged } }: Store) {
  return { found, mended, damaged }
}
