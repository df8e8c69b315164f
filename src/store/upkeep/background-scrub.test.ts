import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { silentLog } from '../../platform/log.ts'
import { pageCapture, pageText } from '../fixtures/sample-captures.ts'
import { SimulatedStore } from '../fixtures/simulated-store.ts'
import type { Store } from '../store.ts'
import { BackgroundScrub } from './background-scrub.ts'

const partMs = 360_000
const everyMs = 24 * partMs
const pages = 40
const fast = 20_000_000
/** A pass is planned for half of its time, but small stores are read faster than that: so they are no faster than this. */
const slow = 40

class ScrubbedStore {
  readonly simulated = new SimulatedStore()
  /** When each record was read. */
  readonly readAtMs: number[] = []
  isWriting = false
  store!: Store
  #scrub!: BackgroundScrub

  async fill(): Promise<void> {
    this.store = await this.simulated.open({ cacheBytes: 0 })
    for (let page = 0; page < pages; page++) {
      const capture = pageCapture(`http://a.test/${page}`, 0, pageText(page, 2_000))
      await this.simulated.run(this.store.append(capture))
    }
  }

  start(bytesPerSecondMax: number, options = { everyMs, bytesPerSecondMax }): void {
    const { clock } = this.simulated.machine
    const told = this
    const store = {
      scrub: (options: Parameters<Store['scrub']>[0]) =>
        this.store.scrub({ ...options, progress: () => this.readAtMs.push(clock.nowMs()) }),
      get scrubState() {
        return told.store.scrubState
      },
      get isWriting() {
        return told.isWriting
      },
    }
    this.#scrub = new BackgroundScrub({ store, clock, log: silentLog }, options)
    this.#scrub.start()
  }

  async restart(bytesPerSecondMax: number): Promise<void> {
    await this.simulated.run(this.#scrub.close())
    await this.simulated.run(this.store.close())
    this.store = await this.simulated.open({ cacheBytes: 0 })
    this.start(bytesPerSecondMax)
  }

  async end(): Promise<void> {
    await this.simulated.run(this.#scrub.close())
    await this.simulated.run(this.store.close())
  }

  advance(ms: number): Promise<void> {
    return this.simulated.world.advance(ms)
  }

  get soundness(): Store['soundness'] {
    return this.store.soundness
  }
}

async function scrubbed(body: (scrubbed: ScrubbedStore) => Promise<void>): Promise<void> {
  const one = new ScrubbedStore()
  await one.fill()
  try {
    await body(one)
  } finally {
    await one.end()
  }
}

describe('a store that is open for long', () => {
  test('is read once in its time, and no oftener', () =>
    scrubbed(async (one) => {
      one.start(fast)
      await one.advance(partMs)
      assert.equal(one.readAtMs.length, pages)
      const { passedAtMs } = one.soundness
      assert.ok(passedAtMs !== undefined)
      await one.advance(everyMs - 2 * partMs)
      assert.equal(one.readAtMs.length, pages)
      await one.advance(2 * partMs)
      assert.equal(one.readAtMs.length, 2 * pages)
      assert.ok(one.soundness.passedAtMs! >= passedAtMs + everyMs - partMs)
    }))

  test('is read no faster than it may be, and on where it was stopped', () =>
    scrubbed(async (one) => {
      one.start(slow)
      await one.advance(partMs)
      const first = one.readAtMs.length
      assert.ok(first > 2 && first < pages / 2, `${first} records`)
      assert.equal(one.soundness.passedAtMs, undefined)
      // It is stopped too soon to have noted by itself how far it came.
      for (let times = 0; times < 6; times++) {
        await one.restart(slow)
        await one.advance(115_000)
      }
      assert.ok(one.readAtMs.length < pages)
      await one.advance(10 * partMs)
      assert.equal(one.readAtMs.length, pages)
      assert.ok(one.soundness.passedAtMs !== undefined)
    }))

  test('is not read while it is written to, unless there is no time left', () =>
    scrubbed(async (one) => {
      one.isWriting = true
      one.start(fast)
      await one.advance(partMs)
      assert.equal(one.readAtMs.length, 0)
      one.isWriting = false
      await one.advance(10_000)
      assert.equal(one.readAtMs.length, pages)
      one.isWriting = true
      await one.advance(2 * everyMs - 2 * partMs)
      assert.equal(one.readAtMs.length, pages)
      await one.advance(2 * partMs)
      assert.equal(one.readAtMs.length, 2 * pages)
    }))

  test('tells what is rotten, once however often it is found, and that it is whole again', () =>
    scrubbed(async (one) => {
      const { disk } = one.simulated
      const [volume] = (await one.simulated.run(one.store.stat())).volumes
      const flip = () => disk.rot(volume!.path, volume!.bytes - 300, 3)
      flip()
      one.start(fast)
      await one.advance(3 * everyMs)
      const { found, mended, damaged } = one.soundness
      assert.ok(found > 0)
      assert.deepEqual({ mended, damaged }, { mended: 0, damaged: found })
      assert.ok(one.readAtMs.length >= 3 * pages)
      await one.restart(fast)
      await one.advance(everyMs)
      assert.equal(one.soundness.found, found)
      // Good bytes are to be had.
      const flipped = new Map<string, Uint8Array>()
      for (let page = 0; page < pages; page++)
        flipped.set(`http://a.test/${page}`, Buffer.from(pageText(page, 2_000)))
      one.store.repairFrom({ content: async (_, capture) => capture && flipped.get(capture.url) })
      await one.advance(everyMs)
      assert.equal(one.soundness.mended, 1)
      // The head of that answer is lost with its record, unless the bit turns back.
      assert.equal(one.soundness.damaged, 1)
      flip()
      await one.advance(2 * everyMs)
      assert.deepEqual(
        { ...one.soundness, passStartedAtMs: 0, passedAtMs: 0 },
        { passStartedAtMs: 0, passedAtMs: 0, found, mended: 1, damaged: 0 },
      )
    }))
})

test('nothing is read while it is switched off; switched on meanwhile, it begins within an hour', () =>
  scrubbed(async (one) => {
    const options = { everyMs: 0, bytesPerSecondMax: fast }
    one.start(fast, options)
    await one.advance(everyMs)
    assert.equal(one.readAtMs.length, 0)
    options.everyMs = everyMs
    await one.advance(2 * 3_600_000)
    assert(one.readAtMs.length > 0)
  }))
