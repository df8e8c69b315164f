// Takedowns, compaction and moving off a folder, with the power cut, or each other begun, at one moment after the other.

import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { uncompressed } from '../formats/warc/compression/compression.ts'
import { parseUrl } from '../model/url/url.ts'
import { type SimulatedWorld, simulatedWorld } from '../platform/simulated/world.ts'
import { bytesIn, openSimulated, simulatedFolder } from './fixtures/power-cut.ts'
import { pageCapture, pageText, textOf } from './fixtures/sample-captures.ts'
import type { Store } from './store.ts'

const start = Date.parse('2024-01-01T00:00:00Z')
const options = { compression: uncompressed, volumeBytesMax: 8_000, cacheBytes: 0 }
const secret = 'the-secret-marker'
const pages = 8

interface Try {
  world: SimulatedWorld
  /** Runs the work, cuts the power after so long, and opens the store again. Tells whether the work was done. */
  cut(work: (store: Store) => Promise<unknown>): Promise<{ store: Store; isDone: boolean }>
}

/** One try for every moment until the work gets done before the power goes. */
async function atEveryMoment(check: (attempt: Try) => Promise<boolean>): Promise<number> {
  for (let moment = 0; ; moment++) {
    const world = simulatedWorld({ seed: moment })
    const machine = world.machine('a')
    const cut: Try['cut'] = async (work) => {
      const store = await world.complete(openSimulated(machine, options))
      await world.complete(fill(store))
      let isDone = false
      void work(store).then(() => {
        isDone = true
      })
      await world.advance(moment * 1.5)
      machine.crash()
      machine.restart()
      return { store: await world.complete(openSimulated(machine, options)), isDone }
    }
    try {
      if (await check({ world, cut })) return moment
    } catch (error) {
      throw new Error(`after ${moment * 1.5} ms`, { cause: error })
    }
  }
}

async function fill(store: Store): Promise<void> {
  for (let i = 0; i < pages; i++) {
    await store.append(pageCapture(`http://bad.test/${i}`, start, `${secret}-${i} ${pageText(i, 2_000)}`))
    await store.append(pageCapture(`http://good.test/${i}`, start, pageText(100 + i, 2_000)))
    await store.append(pageCapture(`http://good.test/same/${i}`, start, pageText(100 + i, 2_000)))
  }
}

async function checkGood(world: SimulatedWorld, store: Store): Promise<void> {
  assert.deepEqual(await world.complete(store.checkIndex()), [])
  for (let i = 0; i < pages; i++) {
    for (const url of [`http://good.test/${i}`, `http://good.test/same/${i}`]) {
      const [capture] = store.versions(parseUrl(url))
      const answer = await world.complete(store.read(capture!))
      assert.equal(await world.complete(textOf(answer.payload())), pageText(100 + i, 2_000))
    }
  }
}

describe('whenever the power is cut', () => {
  test('a takedown is whole or not at all, and its bytes go', async () => {
    const moments = await atEveryMoment(async ({ world, cut }) => {
      const { store, isDone } = await cut((store) => store.takedown({ kind: 'site', site: 'bad.test' }))
      const left = [...store.scan({ kind: 'site', site: 'bad.test' })].length
      const isHidden = [...store.takedowns()].length === 1
      assert.equal(left, isHidden ? 0 : pages)
      if (isDone) assert.ok(isHidden)
      await checkGood(world, store)
      await world.complete(store.compact())
      await checkGood(world, store)
      const bytes = await world.complete(bytesIn(world.machine('a'), `${simulatedFolder}/volumes`))
      assert.equal(bytes.includes(secret), !isHidden)
      return isDone
    })
    assert.ok(moments > 3)
  })

  test('compaction loses nothing, and the next one finishes', async () => {
    const moments = await atEveryMoment(async ({ world, cut }) => {
      const { store, isDone } = await cut(async (store) => {
        await store.takedown({ kind: 'site', site: 'bad.test' })
        await store.compact({ deadShare: 0.1 })
      })
      await checkGood(world, store)
      const isHidden = [...store.takedowns()].length === 1
      await world.complete(store.compact({ deadShare: 0.1 }))
      await checkGood(world, store)
      assert.deepEqual((await world.complete(store.scrub())).damaged, [])
      const bytes = await world.complete(bytesIn(world.machine('a'), `${simulatedFolder}/volumes`))
      assert.equal(bytes.includes(secret), !isHidden)
      const volumes = (
        await world.complete(world.machine('a').disk.list(`${simulatedFolder}/volumes`))
      ).filter((name) => name.includes('.warc'))
      assert.equal(volumes.length, (await world.complete(store.stat())).volumes.length)
      return isDone
    })
    assert.ok(moments > 10)
  })

  test('moving off a folder loses nothing, and the next try finishes', async () => {
    const first = `${simulatedFolder}/volumes`
    const moments = await atEveryMoment(async ({ world, cut }) => {
      const { store, isDone } = await cut(async (store) => {
        await store.volumes.setFolder('/other', 'writable')
        await store.moveOff(first)
      })
      await checkGood(world, store)
      const folders = () => [...store.volumes.folders().values()].map(({ path }) => path)
      if (isDone) assert.deepEqual(folders(), ['/other'])
      if (folders().length === 1 && !isDone)
        await world.complete(store.volumes.setFolder('/other', 'writable'))
      if (folders().includes(first)) await world.complete(store.moveOff(first))
      assert.deepEqual(folders(), ['/other'])
      await checkGood(world, store)
      const names = await world.complete(world.machine('a').disk.list(first))
      assert.deepEqual(
        names.filter((name) => name.includes('.warc')),
        [],
      )
      return isDone
    })
    assert.ok(moments > 10)
  })
})

describe('whenever it comes while volumes are compacted', () => {
  test('a takedown is not undone, and its bytes go', async () => {
    for (let moment = 0; moment < 40; moment++) {
      const world = simulatedWorld({ seed: moment })
      const store = await world.complete(openSimulated(world.machine('a'), options))
      await world.complete(fill(store))
      // Makes every volume worth compacting.
      await world.complete(store.takedown({ kind: 'prefix', url: 'http://good.test/same/' }))
      const compaction = store.compact({ deadShare: 0.01 })
      await world.advance(moment * 1.5)
      const takedown = store.takedown({ kind: 'site', site: 'bad.test' })
      await world.complete(Promise.all([compaction, takedown]))
      assert.deepEqual([...store.scan({ kind: 'site', site: 'bad.test' })], [])
      assert.deepEqual(await world.complete(store.checkIndex()), [], `after ${moment * 1.5} ms`)
      await world.complete(store.compact())
      assert.deepEqual(await world.complete(store.checkIndex()), [], `after ${moment * 1.5} ms`)
      const bytes = await world.complete(bytesIn(world.machine('a'), `${simulatedFolder}/volumes`))
      assert.ok(!bytes.includes(secret), `after ${moment * 1.5} ms`)
    }
  })
})
