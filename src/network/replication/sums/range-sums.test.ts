import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { testProperties } from '../../../model/fixtures/property-tests.ts'
import type { RingKey } from '../../../model/ring-key.ts'
import { withTemporaryFolder } from '../../../platform/fixtures/temporary-folder.ts'
import { JournaledKeyValues } from '../../../platform/journaled/key-value.ts'
import { RealDisk } from '../../../platform/real/disk/disk.ts'
import { RealKeyValues } from '../../../platform/real/key-value/key-value.ts'
import type { KeyValue } from '../../../platform/storage/key-value.ts'
import { entryOf, plainEntry } from '../fixtures/entries.ts'
import { Holdings } from '../fixtures/holdings.ts'
import { withHoldings } from '../fixtures/simulated-holdings.ts'
import { allKeys, isBefore, type KeyRange, rangesOfArc, separator } from './key-range.ts'
import { countMax } from './levels.ts'
import { properties } from './range-sums.fuzz.ts'
import { SumsIncomplete } from './range-sums.ts'
import { SumNodes } from './sum-nodes.ts'
import { Tally } from './tally.ts'

const plainEntries = (count: number) => Array.from({ length: count }, (_, index) => plainEntry(index))

describe('range sums', () => {
  testProperties(properties, 60)

  test('a sum takes few reads, however many entries there are', () =>
    withRealMap(async (map) => {
      const holdings = new Holdings(map)
      await holdings.addUncounted(plainEntries(20_000))
      await holdings.coverAll()
      const before = holdings.sums.reads
      const middle = { from: Uint8Array.of(1, 2, 3), to: Uint8Array.of(220, 1) }
      assert(holdings.sums.sumOf(middle).count > 15_000)
      assert(holdings.sums.reads - before < 1_000, `${holdings.sums.reads - before} reads`)
    }))

  test('entries that were made so that no piece begins do not all end up in one', () =>
    withRealMap(async (map) => {
      const holdings = new Holdings(map)
      await holdings.coverAll()
      const entries = new Map(Array.from({ length: 5_000 }, (_, index) => [index, entryOf(index)]))
      await holdings.add(entries.values())
      const nodes = [...new SumNodes(map.table('sums')).within(1, new Uint8Array(), undefined)]
      assert(nodes.every(({ tally }) => tally.count <= countMax(1)))
      assert(nodes.length < 5_000 / (countMax(1) / 4))
    }))

  test('what is removed leaves nothing behind', () =>
    withRealMap(async (map) => {
      const holdings = new Holdings(map)
      await holdings.coverAll()
      const entries = Array.from({ length: 1_000 }, (_, index) => entryOf(index, [1, 1, 1, 0x40, 0x1000, 0]))
      for (let at = 0; at < 1_000; at += 100) await holdings.add(entries.slice(at, at + 100))
      const passing = entryOf(5_000, [0])
      await holdings.change(() => {
        holdings.keepEntry(passing)
        holdings.forgetEntry(passing)
      })
      // In another order, so that pieces lose their first entry before the others.
      const others = [
        ...entries.filter((_, index) => index % 3 === 0),
        ...entries.filter((_, index) => index % 3 > 0),
      ]
      for (let at = 0; at < 1_000; at += 50) await holdings.remove(others.slice(at, at + 50))
      // What is left tells how far they go, and whether they changed.
      const levels = Array.from(map.table('sums').range(), ([key]) => key[0])
      assert.deepEqual([...new Set(levels)], [0])
    }))

  test('an audit finds any bit that was flipped', () =>
    withRealMap(async (map) => {
      const holdings = new Holdings(map)
      await holdings.coverAll()
      await holdings.add(plainEntries(3_000))
      const table = map.table('sums')
      const nodes = [...table.range({ from: Uint8Array.of(1) })]
      for (let round = 0; round < 15; round++) {
        const [key, value] = nodes[(round * 37) % nodes.length]!
        const broken = value.slice()
        broken[round % broken.length]! ^= 1 << (round % 8)
        await map.transaction(() => table.put(key, broken))
        const faults = [...holdings.sums.audit()]
        assert(
          faults.some(({ level, bound }) => level === key[0] && Buffer.compare(bound, key.subarray(1)) === 0),
        )
        await map.transaction(() => table.put(key, value))
        assert.deepEqual([...holdings.sums.audit()], [])
      }
    }))

  test('a lost node is found, and mended by beginning again', () =>
    withRealMap(async (map) => {
      const holdings = new Holdings(map)
      await holdings.coverAll()
      await holdings.add(plainEntries(3_000))
      const whole = holdings.sums.sumOf(allKeys)
      const table = map.table('sums')
      const [first] = [...table.range({ from: Uint8Array.of(1), limit: 1 })]
      await map.transaction(() => table.remove(first![0]))
      assert([...holdings.sums.audit()].length > 0)
      await holdings.change(() => holdings.sums.restart())
      assert.throws(() => holdings.sums.sumOf(allKeys), SumsIncomplete)
      await holdings.coverAll(70)
      assert.deepEqual([...holdings.sums.audit()], [])
      assert(holdings.sums.sumOf(allKeys).equals(whole))
    }))

  test('covering goes on where it was, in another process too', () =>
    withTemporaryFolder(async (folder) => {
      const maps = new RealKeyValues({ disk: new RealDisk() })
      let holdings = new Holdings(await maps.open(folder))
      await holdings.addUncounted(plainEntries(100))
      assert.equal(await holdings.change(() => holdings.sums.cover(60)), false)
      await holdings.close()
      holdings = new Holdings(await maps.open(folder))
      assert.equal(holdings.sums.isComplete, false)
      const before = holdings.sums.reads
      await holdings.coverAll()
      assert(holdings.sums.reads - before < 60 + 40)
      assert.equal(holdings.sums.sumOf(allKeys).count, 100)
      await holdings.close()
    }))

  test('changes and covering do not share a transaction', () =>
    withHoldings(async (holdings) => {
      const entry = plainEntry(1)
      await assert.rejects(
        holdings!.change(() => {
          holdings!.sums.cover(10)
          holdings!.keepEntry(entry)
        }),
        /of their own/,
      )
      await holdings!.add([entry])
      assert.equal(holdings!.sums.sumOf(allKeys).count, 1)
    }))
})

describe('arcs of the ring', () => {
  const place = (digits: string): RingKey => digits.padEnd(40, digits.at(-1)) as RingKey
  const [zero, last] = [place('0'), place('f')]
  const keyAt = (key: RingKey): Uint8Array => Buffer.concat([Buffer.from(key, 'hex'), Buffer.from('/a')])
  const contains = (ranges: KeyRange[], key: RingKey): boolean =>
    ranges.some(({ from, to }) => !isBefore(keyAt(key), from) && isBefore(keyAt(key), to))

  test.each([
    [place('1'), place('5'), [place('2'), place('5')], [zero, place('1'), place('6'), last]],
    [place('5'), place('1'), [place('6'), last, zero, place('1')], [place('2'), place('5')]],
    [last, place('1'), [zero, place('1')], [place('2'), last]],
    [place('5'), last, [place('6'), last], [zero, place('5')]],
    [zero, last, [place('02'), last], [zero]],
    [last, zero, [zero], [place('02'), last]],
    [place('5'), place('5'), [zero, place('5'), last], []],
  ])('from %s to %s', (from, to, inside, outside) => {
    const ranges = rangesOfArc(from, to)
    for (const key of inside) assert.equal(contains(ranges, key), true, key)
    for (const key of outside) assert.equal(contains(ranges, key), false, key)
  })

  test('a separator is short, and parts its neighbours', () => {
    const bytes = (text: string): Uint8Array => Buffer.from(text)
    assert.equal(Buffer.from(separator(bytes('abcd'), bytes('abxyz'))).toString(), 'abx')
    assert.equal(Buffer.from(separator(bytes('ab'), bytes('abxyz'))).toString(), 'abx')
  })
})

describe('tallies', () => {
  test('add up and are taken apart, over all carries', () => {
    const ones = new Uint8Array(16).fill(255)
    const one = new Uint8Array(16).fill(1, 0, 1)
    const tally = new Tally().addEntry(ones).addEntry(one)
    assert.deepEqual([...tally.toBytes()], [0, 0, 0, 0, 0, 2, ...new Uint8Array(16)])
    assert(Tally.ofBytes(tally.toBytes()).equals(tally))
    assert(tally.removeEntry(ones).equals(new Tally().addEntry(one)))
    assert(tally.removeEntry(one).equals(new Tally()))
    assert.throws(() => new Tally().removeEntry(one).toBytes(), /never put in/)
  })
})

/** As the store's index is kept: some of it in LMDB, some in the journal. */
function withRealMap(body: (map: KeyValue) => Promise<void>): Promise<void> {
  return withTemporaryFolder(async (folder) => {
    const disk = new RealDisk()
    const below = new RealKeyValues({ disk })
    const maps = new JournaledKeyValues({ disk, below }, { heldBytesMax: 50_000 })
    const map = await maps.open(`${folder}/index`, { hasJournal: true })
    await body(map)
    await map.close()
  })
}
