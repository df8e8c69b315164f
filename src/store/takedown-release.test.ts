// Takedowns that are taken back, and those that cannot be any more.

import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { parseUrl } from '../model/url/url.ts'
import { localWorld } from '../platform/real/local-world.ts'
import { openStore } from './fixtures/open-store.ts'
import { pageCapture, pageText, sampleOptions, textOf } from './fixtures/sample-captures.ts'
import { rebuildIndex } from './rebuild/rebuild.ts'
import type { Store, StoreNeeds } from './store.ts'
import type { TakedownTarget } from './takedowns/takedowns.ts'

const day = 86_400_000
const start = Date.UTC(2024, 0, 1)
const site: TakedownTarget = { kind: 'site', site: 'bad.example' }
const pages = ['http://bad.example/a', 'http://bad.example/b']
const options = { takedownUndoMs: 30 * day, volumeBytesMax: 20_000 }

/** A store on the real disk, with a clock that can be put forward. */
class Sample {
  store!: Store
  readonly #world = localWorld()
  #laterMs = 0

  static async open(): Promise<Sample> {
    const sample = new Sample()
    sample.store = await openStore(options, undefined, sample.#needs)
    return sample
  }

  get #needs(): StoreNeeds {
    const { clock } = this.#world
    const nowMs = () => clock.nowMs() + this.#laterMs
    return {
      ...this.#world,
      clock: {
        nowMs,
        monotonicMs: () => clock.monotonicMs(),
        after: (ms, task) => clock.after(ms, task),
        sleep: (ms, signal) => clock.sleep(ms, signal),
      },
    }
  }

  async fill(): Promise<void> {
    const { store } = this
    for (const [page, url] of pages.entries()) {
      for (let version = 0; version < 3; version++)
        await store.append(pageCapture(url, start + version, textFor(page, version)))
    }
    // Shares a payload with what is taken down, and is a revisit of it.
    await store.append(pageCapture('http://good.example/', start, textFor(0, 2)))
  }

  async reopen(): Promise<void> {
    await this.store.close()
    this.store = await openStore(options, this.store.folder, this.#needs)
  }

  async rebuild(): Promise<void> {
    await this.store.close()
    const { indexBytesMax, volumeBytesMax } = { ...sampleOptions, ...options }
    await rebuildIndex(this.#world, this.store.folder, { indexBytesMax, volumeBytesMax })
    this.store = await openStore(options, this.store.folder, this.#needs)
  }

  pass(ms: number): void {
    this.#laterMs += ms
  }

  compact() {
    return this.store.compact({ deadShare: 0 })
  }

  async check(isHidden: boolean): Promise<void> {
    const { store } = this
    for (const [page, url] of pages.entries()) {
      const texts: string[] = []
      for (const capture of store.versions(parseUrl(url)))
        texts.push(await textOf((await store.read(capture)).payload()))
      assert.deepEqual(texts, isHidden ? [] : [0, 1, 2].map((version) => textFor(page, version)))
      assert.equal(store.isTakenDown(parseUrl(url)), isHidden)
    }
    const [good] = store.versions(parseUrl('http://good.example/'))
    assert.equal(await textOf((await store.read(good!)).payload()), textFor(0, 2))
    assert.equal([...store.scan({ kind: 'all' })].length, isHidden ? 1 : 7)
    assert.equal((await store.stat()).captures, isHidden ? 1 : 7)
    assert.deepEqual(await store.checkIndex(), [])
  }
}

function textFor(page: number, version: number): string {
  return `${version} ${pageText(page, 6_000)}`
}

describe('a takedown can be taken back', () => {
  test('and everything is there again, whatever compaction did', async () => {
    const sample = await Sample.open()
    await sample.fill()
    assert.equal(await sample.store.takedown(site, 'a mistake'), 6)
    await sample.check(true)
    assert.equal((await sample.store.stat()).hiddenCaptures, 6)
    await sample.compact()
    sample.pass(29 * day)
    await sample.compact()
    await sample.check(true)
    await sample.reopen()
    assert.equal(await sample.store.release(site), 6)
    await sample.check(false)
    await sample.reopen()
    await sample.check(false)
    assert.deepEqual([...sample.store.takedowns()], [])
    await sample.store.append(pageCapture(pages[0]!, start + day, 'newer'))
  })

  test('until its time is over: then the next compaction destroys it', async () => {
    const sample = await Sample.open()
    await sample.fill()
    await sample.store.takedown(site)
    sample.pass(31 * day)
    await sample.check(true)
    await sample.compact()
    await sample.check(true)
    assert.equal((await sample.store.stat()).hiddenCaptures, 0)
    await assert.rejects(sample.store.release(site), { code: 'store-takedown-final' })
    await assert.rejects(sample.store.append(pageCapture(pages[0]!, start, 'x')), {
      code: 'store-taken-down',
    })
  })

  test('for no longer than was said, also when it was said by a clock that was ahead', async () => {
    const sample = await Sample.open()
    await sample.fill()
    sample.pass(5 * 365 * day)
    await sample.store.takedown(site)
    sample.pass(-5 * 365 * day)
    await sample.compact()
    sample.pass(29 * day)
    await sample.compact()
    assert.equal((await sample.store.stat()).hiddenCaptures, 6)
    sample.pass(2 * day)
    await sample.compact()
    assert.equal((await sample.store.stat()).hiddenCaptures, 0)
  })

  test('but not where the owner of this peer said that there is no way back', async () => {
    const sample = await Sample.open()
    await sample.fill()
    await sample.store.takedown(site)
    assert.equal(await sample.store.takedown(site, '', { isNow: true }), 0)
    await assert.rejects(sample.store.release(site), { code: 'store-takedown-final' })
    await sample.compact()
    await sample.check(true)
    // Nothing of it is in the volumes any more.
    await sample.rebuild()
    assert.equal((await sample.store.stat()).hiddenCaptures, 0)
    await sample.check(true)
  })

  test('after a rebuild of the index, which honours takedowns, their times, and releases', async () => {
    const sample = await Sample.open()
    await sample.fill()
    await sample.store.takedown(site)
    const before = [...sample.store.takedowns()][0]!
    sample.pass(10 * day)
    await sample.rebuild()
    const after = [...sample.store.takedowns()][0]!
    assert.deepEqual([after.atMs, after.finalAtMs, after.captures], [before.atMs, before.finalAtMs, 6])
    await sample.check(true)
    await sample.store.release(site)
    await sample.rebuild()
    await sample.check(false)
  })

  test('and what came again meanwhile stayed hidden', async () => {
    const sample = await Sample.open()
    await sample.fill()
    await sample.store.takedown(site)
    await assert.rejects(sample.store.append(pageCapture(pages[0]!, start, textFor(0, 0))), {
      code: 'store-taken-down',
    })
    await sample.check(true)
    await sample.store.release(site)
    await sample.check(false)
    await sample.store.takedown(site)
    await sample.check(true)
  })

  test('and others that hide the same go on hiding it', async () => {
    const sample = await Sample.open()
    await sample.fill()
    const url: TakedownTarget = { kind: 'url', url: pages[0]! }
    await sample.store.takedown(url)
    assert.equal(await sample.store.takedown(site), 3)
    assert.equal(await sample.store.release(site), 3)
    assert.equal([...sample.store.versions(parseUrl(pages[0]!))].length, 0)
    assert.equal([...sample.store.versions(parseUrl(pages[1]!))].length, 3)
    assert.deepEqual(await sample.store.checkIndex(), [])
    assert.equal(await sample.store.release(url), 3)
    await sample.check(false)
  })

  test('only if there is one', async () => {
    const sample = await Sample.open()
    await assert.rejects(sample.store.release(site), { code: 'store-not-found' })
    await assert.rejects(sample.store.release({ kind: 'all' } as unknown as TakedownTarget), {
      code: 'store-bad-target',
    })
  })

  test('and until then its payloads are given to nobody, by digest either', async () => {
    const sample = await Sample.open()
    await sample.fill()
    const { store } = sample
    const [contents, other] = pages.map((url) =>
      [...store.versions(parseUrl(url))].map(({ content }) => content!),
    )
    await store.takedown(site)
    const [alone] = other!
    const shared = contents![2]
    await assert.rejects(textOf(store.get(alone!)), { code: 'store-content-missing' })
    assert.deepEqual(store.has([alone!, shared!].map(({ digest }) => digest)), [false, true])
    const place = parseUrl(pages[0]!).ringKey
    assert.deepEqual(await store.elsewhere.hold([{ digest: alone!.digest, place }]), [false])
    assert.equal(await textOf(store.get(shared!)), textFor(0, 2))
    // Somebody brings the same bytes on another page: kept once, and seen again.
    await store.append(pageCapture('http://other.example/', start, textFor(1, 0)))
    assert.equal(await textOf(store.get(alone!)), textFor(1, 0))
    assert.deepEqual(await store.checkIndex(), [])
    await store.release(site)
    assert.deepEqual(await store.checkIndex(), [])
  })

  test('on peers that took copies of it while it was hidden, too', async () => {
    const [sender, receiver] = [await Sample.open(), await Sample.open()]
    await sender.fill()
    await sender.store.takedown(site)
    await receiver.store.takedown(site)
    for (const { key } of sender.store.roster.entries({})) {
      const cursor = sender.store.roster.cursorOf(key)!
      for (const isWhole of [false, true]) {
        const copy = await sender.store.give(cursor, { isWhole, mayBeHidden: true })
        const outcome = await receiver.store.take(copy!)
        if (outcome !== 'lacking') break
      }
    }
    await receiver.check(true)
    await receiver.compact()
    await receiver.store.release(site)
    await receiver.check(false)
    // Who only reads is given nothing of it.
    const hidden = [...sender.store.roster.entries({})].map(({ key }) => sender.store.roster.cursorOf(key)!)
    const given = await Promise.all(hidden.map((cursor) => sender.store.offer(cursor)))
    assert.equal(given.filter((offer) => offer !== undefined).length, 1)
  })

  test('but nothing is taken of what this peer destroyed', async () => {
    const [sender, receiver] = [await Sample.open(), await Sample.open()]
    await sender.fill()
    await receiver.store.takedown(site, '', { isNow: true })
    const [capture] = sender.store.versions(parseUrl(pages[0]!))
    const copy = await sender.store.give(capture!.cursor)
    assert.equal(await receiver.store.take(copy!), 'taken-down')
  })
})
