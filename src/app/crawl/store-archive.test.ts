import assert from 'node:assert/strict'
import { setImmediate as turn } from 'node:timers/promises'
import { test } from 'vitest'
import type { CrawledCapture, UntilOthers } from '../../crawl/visit/archive.ts'
import { parseUrl } from '../../model/url/url.ts'
import { Batcher } from '../../platform/batcher.ts'
import { simulatedWorld } from '../../platform/simulated/world.ts'
import type { Receipt } from '../../store/capture.ts'
import { openStore } from '../../store/fixtures/open-store.ts'
import { pageCapture } from '../../store/fixtures/sample-captures.ts'
import type { Store } from '../../store/store.ts'
import { StoreArchive } from './store-archive.ts'

/** A disk that takes as long as it is told to. */
class SlowStore {
  readonly writes: PromiseWithResolvers<Receipt>[] = []

  append(): Promise<Receipt> {
    this.writes.push(Promise.withResolvers())
    return this.writes.at(-1)!.promise
  }

  versions(): [] {
    return []
  }

  finish(write: number): void {
    this.writes[write]!.resolve({
      capture: { kind: 'full', url: `http://a.test/${write}`, recordId: '' },
    } as Receipt)
  }
}

const page = { url: parseUrl('http://a.test/') } as CrawledCapture

function keeping(spread?: () => Promise<void>, departures?: Batcher<void, void>) {
  const store = new SlowStore()
  const archive = new StoreArchive(store as unknown as Store, spread, undefined, departures)
  const state = { waiting: 0, kept: 0 }
  const untilOthers: UntilOthers = (others) => {
    state.waiting++
    return others
  }
  const keep = () => archive.keep(page, 'none', untilOthers).then(() => state.kept++)
  return { store, state, keep }
}

test('who is alone waits for the disk himself', async () => {
  const { store, state, keep } = keeping()
  const kept = keep()
  await turn()
  store.finish(0)
  await kept
  assert.deepEqual(state, { waiting: 0, kept: 1 })
})

test('on a network the disk is waited for together with others, and a page is kept when both have it', async () => {
  const others = Promise.withResolvers<void>()
  const { store, state, keep } = keeping(() => others.promise)
  const kept = keep()
  await turn()
  assert.deepEqual(state, { waiting: 1, kept: 0 })
  store.finish(0)
  await turn()
  assert.equal(state.kept, 0)
  others.resolve()
  await kept
  assert.equal(state.kept, 1)
})

test('a disk that does not keep up is waited for', async () => {
  const { store, state, keep } = keeping(async () => {})
  const all = Array.from({ length: 65 }, keep)
  await turn()
  assert.equal(state.waiting, 64)
  store.finish(64)
  await all[64]
  assert.deepEqual(state, { waiting: 65, kept: 1 })
  for (let write = 0; write < 64; write++) store.finish(write)
  await Promise.all(all)
})

test('captures of a moment go to the disk together', async () => {
  const world = simulatedWorld({ seed: 1 })
  const departures = new Batcher<void, void>(
    world.machine('a'),
    { everyMs: 100, enough: 10, itemsMax: 10 },
    async () => [],
  )
  const { store, state, keep } = keeping(async () => {}, departures)
  for (let page = 0; page < 3; page++) {
    void keep()
    await world.advance(10)
  }
  assert.equal(store.writes.length, 1)
  await world.advance(70)
  assert.equal(store.writes.length, 3)
  for (let write = 0; write < 3; write++) store.finish(write)
  await world.advance(0)
  assert.deepEqual(state, { waiting: 3, kept: 3 })
})

test('a page that only shares its key with another is new, not that one changed', async () => {
  const archive = new StoreArchive(await openStore())
  const kept = async (url: string, at: number, text: string) =>
    (await archive.keep(pageCapture(url, at, text) as unknown as CrawledCapture)).as
  assert.equal(await kept('http://a.test/a.html', 1_000, 'small'), 'new')
  assert.equal(await kept('http://a.test/A.html', 2_000, 'capital'), 'new')
  assert.equal(await kept('http://a.test/a.html', 3_000, 'small'), 'same')
  assert.equal(await kept('http://a.test/A.html', 4_000, 'other'), 'changed')
})
