import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { RangeSums } from '../../network/replication/sums/range-sums.ts'
import type { SimulatedMachine } from '../../platform/simulated/machine.ts'
import { type SimulatedWorld, simulatedWorld } from '../../platform/simulated/world.ts'
import type { Capture } from '../capture.ts'
import { bytesOf, pageCapture, pageText, sampleOptions } from '../fixtures/sample-captures.ts'
import { Store } from '../store.ts'
import type { RosterEntry } from './capture-roster.ts'

const openOn = (machine: SimulatedMachine): Promise<Store> => Store.open(machine, '/store', sampleOptions)

function withStore(body: (store: Store, world: SimulatedWorld) => Promise<void>): Promise<void> {
  const world = simulatedWorld({ seed: 1 })
  const run = async (): Promise<void> => {
    const store = await openOn(world.machine('a'))
    await body(store, world)
    await store.close()
  }
  return world.complete(run())
}

async function keep(store: Store, url: string, atMs: number, body: string): Promise<Capture> {
  return (await store.append(pageCapture(url, atMs, body))).capture
}

/** Some of one moment, some of one URL, some of other sites. */
async function keepSome(store: Store): Promise<Capture[]> {
  const kept: Capture[] = []
  for (let number = 0; number < 8; number++) {
    kept.push(await keep(store, 'http://a.test/page', 1_000, `same moment ${number}`))
    kept.push(await keep(store, 'http://a.test/page', 1_000 + number, `page ${number}`))
    kept.push(await keep(store, `http://site-${number}.test/`, 1_000, 'page'))
  }
  return kept
}

const sumUp = (store: Store): Promise<RangeSums> =>
  store.sumUp((table, roster) => new RangeSums(table, roster))

async function coveredSums(store: Store): Promise<RangeSums> {
  const sums = await sumUp(store)
  await store.coverSums(sums)
  return sums
}

const countOf = (sums: RangeSums): number => sums.sumOf({ from: new Uint8Array(), to: undefined }).count

describe('the roster', () => {
  test('has every capture once, in the order of keys, forwards and backwards', () =>
    withStore(async (store) => {
      const kept = await keepSome(store)
      const entries = [...store.roster.entries({})]
      const ids = entries.map(({ id }) => Buffer.from(id).toString('hex')).sort()
      assert.deepEqual(ids, kept.map(({ recordId }) => recordId.replaceAll('-', '')).sort())
      const sorted = entries.toSorted((one, other) => Buffer.compare(one.key, other.key))
      assert.deepEqual(entries, sorted)
      assert.deepEqual([...store.roster.entries({ reverse: true })], sorted.toReversed())
    }))

  test('gives any range of them, whatever the bounds', () =>
    withStore(async (store) => {
      await keepSome(store)
      const entries = [...store.roster.entries({})]
      const bounds = entries.flatMap(({ key }) => [
        key,
        key.slice(0, -1),
        key.slice(0, -16),
        key.slice(0, 25),
      ])
      for (const from of bounds) {
        for (const to of bounds) {
          const expected = entries.filter(
            ({ key }) => Buffer.compare(key, from) >= 0 && Buffer.compare(key, to) < 0,
          )
          if (Buffer.compare(from, to) >= 0) continue
          assert.deepEqual([...store.roster.entries({ from, to })], expected)
          const last = expected.toReversed().slice(0, 2)
          assert.deepEqual([...store.roster.entries({ from, to, reverse: true, limit: 2 })], last)
        }
      }
    }))

  test('tells which capture an entry is', () =>
    withStore(async (store) => {
      const kept = await keepSome(store)
      const cursors = Array.from(store.roster.entries({}), ({ key }) => store.roster.cursorOf(key))
      assert.deepEqual(cursors.toSorted(), kept.map(({ cursor }) => cursor).sort())
      const { key } = [...store.roster.entries({})][0] as RosterEntry
      const unknown = Uint8Array.from(key)
      unknown[unknown.length - 1]! ^= 1
      for (const none of [unknown, key.slice(0, 30), key.slice(0, 3)]) {
        assert.equal(store.roster.cursorOf(none), undefined)
      }
    }))
})

describe('sums over captures', () => {
  test('cover what was there, and follow what comes and goes', () =>
    withStore(async (store) => {
      const kept = await keepSome(store)
      const sums = await coveredSums(store)
      assert.equal(countOf(sums), kept.length)
      await keep(store, 'http://a.test/new', 5, 'new')
      await store.drop([kept[0]!.cursor])
      await store.takedown({ kind: 'url', url: 'http://site-1.test/' })
      assert.equal(countOf(sums), kept.length - 1)
      assert.deepEqual([...sums.audit()], [])
    }))

  test('are there at the next start, without covering anew', async () => {
    const world = simulatedWorld({ seed: 1 })
    const machine = world.machine('a')
    const store = await world.complete(openOn(machine))
    await world.complete(keepSome(store).then(() => coveredSums(store)))
    await world.complete(store.close())
    const again = await world.complete(openOn(machine))
    const sums = await world.complete(sumUp(again))
    assert(sums.isComplete)
    assert.deepEqual([...sums.audit()], [])
  })

  test('are made anew when something came or went without them', async () => {
    const world = simulatedWorld({ seed: 1 })
    const machine = world.machine('a')
    const once = async (body: (store: Store) => Promise<unknown>): Promise<void> => {
      const store = await openOn(machine)
      await body(store)
      await store.close()
    }
    await world.complete(once((store) => keepSome(store).then(() => coveredSums(store))))
    await world.complete(once((store) => keep(store, 'http://a.test/unsummed', 1, 'unsummed')))
    await world.complete(
      once(async (store) => {
        const sums = await sumUp(store)
        assert(!sums.isComplete)
        await store.coverSums(sums)
        assert.equal(countOf(sums), 25)
        assert.deepEqual([...sums.audit()], [])
      }),
    )
  })

  test('are true after a power cut at any moment', async () => {
    for (let seed = 1; seed <= 20; seed++) {
      const world = simulatedWorld({ seed })
      const machine = world.machine('a')
      const store = await world.complete(openOn(machine))
      void coveredSums(store).then(() => keepSome(store))
      await world.advance(world.random.between(0, 400))
      machine.crash()
      machine.restart()
      const again = await world.complete(openOn(machine))
      const sums = await world.complete(coveredSums(again))
      assert.deepEqual([...sums.audit()], [])
      assert.equal(countOf(sums), [...again.scan({ kind: 'all' })].length)
    }
  })
})

describe('a capture that is dropped', () => {
  test('is gone, and those that rest on its content still read', () =>
    withStore(async (store) => {
      const body = pageText(1, 20_000)
      const first = await keep(store, 'http://a.test/', 1_000, body)
      const rest = [
        await keep(store, 'http://a.test/', 2_000, body),
        await keep(store, 'http://a.test/', 3_000, body.replace('Page', 'Sheet')),
      ]
      assert.equal(await store.drop([first.cursor]), 1)
      assert.equal(await store.drop([first.cursor]), 0)
      assert.deepEqual(
        Array.from(store.scan({ kind: 'all' }), ({ cursor }) => cursor),
        rest.map(({ cursor }) => cursor),
      )
      await store.compact()
      const { payload } = await store.read(rest[0]!)
      assert.equal((await bytesOf(payload())).toString(), body)
      assert.deepEqual(await store.checkIndex(), [])
    }))

  test('may come again', () =>
    withStore(async (store) => {
      const capture = await keep(store, 'http://a.test/', 1_000, 'page')
      const copy = await store.give(capture.cursor)
      await store.drop([capture.cursor])
      assert.equal(await store.take(copy!), 'kept')
      assert.deepEqual(await store.checkIndex(), [])
    }))
})
