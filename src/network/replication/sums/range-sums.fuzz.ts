// Sums are those of the entries, whatever was added and removed in whatever transactions.

import assert from 'node:assert/strict'
import fc from 'fast-check'
import { arbitraryEntry, arbitraryRange, crowdedEntry } from '../fixtures/entries.ts'
import type { Holdings } from '../fixtures/holdings.ts'
import { withHoldings } from '../fixtures/simulated-holdings.ts'
import { allKeys, areSameBounds, isBefore, isEmptyRange, type KeyRange } from './key-range.ts'
import type { RosterEntry } from './roster.ts'
import { Tally } from './tally.ts'

interface Step {
  entries: RosterEntry[]
  /** What is there of these is removed. */
  removed: RosterEntry[]
  fails: boolean
}

const stepOf = (entry: fc.Arbitrary<RosterEntry>, maxLength: number): fc.Arbitrary<Step> =>
  fc.record({
    entries: fc.array(entry, { maxLength, size: 'max' }),
    removed: fc.array(entry, { maxLength, size: 'max' }),
    fails: fc.integer({ min: 0, max: 9 }).map((drawn) => drawn === 0),
  })

/** By the text of their keys. */
type Model = Map<string, RosterEntry>
const textOf = (key: Uint8Array): string => Buffer.from(key).toString('latin1')

async function take(holdings: Holdings, model: Model, { entries, removed, fails }: Step): Promise<void> {
  const after: Model = new Map(model)
  const gone = removed.filter(({ key }) => after.delete(textOf(key)))
  const come = entries.filter((entry) => {
    const isNew = !after.has(textOf(entry.key))
    after.set(textOf(entry.key), entry)
    return isNew
  })
  const change = (): void => {
    for (const entry of gone) holdings.forgetEntry(entry)
    for (const entry of come) holdings.keepEntry(entry)
  }
  await holdings
    .change(change, () => {
      if (fails) throw new RangeError('as told')
    })
    .catch((error) => assert(fails, error))
  if (fails) return
  model.clear()
  for (const [key, entry] of after) model.set(key, entry)
}

function expected(model: Model, range: KeyRange): Tally {
  const tally = new Tally()
  for (const { key, id } of model.values()) {
    if (!isBefore(key, range.from) && isBefore(key, range.to)) tally.addEntry(id)
  }
  return tally
}

function check(holdings: Holdings, model: Model, ranges: KeyRange[]): void {
  assert.deepEqual([...holdings.sums.audit()], [])
  checkNeighbours(holdings, model, ranges)
  for (const range of [allKeys, ...ranges]) {
    const sum = holdings.sums.sumOf(range)
    assert(sum.equals(expected(model, range)), 'another sum')
    if (!isEmptyRange(range) && sum.count > 1) checkParts(holdings, model, range)
  }
}

/** Of ranges that follow one another. */
function checkNeighbours(holdings: Holdings, model: Model, ranges: KeyRange[]): void {
  const bounds = ranges.map(({ from }) => from).sort(Buffer.compare)
  const neighbours = bounds.map((from, index): KeyRange => ({ from, to: bounds[index + 1] }))
  for (const [index, sum] of holdings.sums.sumsOf(neighbours).entries()) {
    assert(sum.equals(expected(model, neighbours[index]!)), 'another sum between neighbours')
  }
}

function checkParts(holdings: Holdings, model: Model, range: KeyRange): void {
  const parts = holdings.sums.parts(range, 8)
  assert(parts.length >= 2 && parts.length <= 8, `${parts.length} parts`)
  assert(areSameBounds(parts[0]!.range.from, range.from) && areSameBounds(parts.at(-1)!.range.to, range.to))
  for (const [index, part] of parts.entries()) {
    assert(!part.tally.isEmpty && part.tally.equals(expected(model, part.range)))
    if (index > 0) assert(areSameBounds(parts[index - 1]!.range.to, part.range.from))
  }
}

const ranges = fc.array(arbitraryRange, { maxLength: 6 })

export const properties = [
  {
    name: 'sums of any range are those of its entries, and parts make up the whole',
    property: fc.asyncProperty(
      fc.array(stepOf(arbitraryEntry, 60), { maxLength: 8 }),
      ranges,
      (steps, asked) =>
        withHoldings(async (holdings) => {
          const model: Model = new Map()
          for (const step of steps) {
            await take(holdings!, model, step)
            check(holdings!, model, asked)
          }
        }),
    ),
  },
  {
    name: 'so they are where no piece begins by itself',
    property: fc.asyncProperty(
      fc.array(stepOf(crowdedEntry, 1_500), { maxLength: 2 }),
      ranges,
      (steps, asked) =>
        withHoldings(async (holdings) => {
          const model: Model = new Map()
          for (const step of steps) await take(holdings!, model, step)
          check(holdings!, model, asked)
        }),
    ),
  },
  {
    name: 'sums made over entries that were there are the same, whatever changes meanwhile',
    property: fc.asyncProperty(
      fc.array(arbitraryEntry, { maxLength: 80 }),
      fc.array(stepOf(arbitraryEntry, 20), { maxLength: 6 }),
      fc.integer({ min: 1, max: 30 }),
      ranges,
      (before, steps, entriesAtOnce, asked) =>
        withHoldings(
          async (holdings) => {
            const model: Model = new Map(before.map((entry) => [textOf(entry.key), entry]))
            await holdings!.addUncounted(model.values())
            for (const step of steps) {
              await holdings!.change(() => holdings!.sums.cover(entriesAtOnce))
              await take(holdings!, model, step)
              assert.deepEqual([...holdings!.sums.audit()], [])
            }
            await holdings!.coverAll(entriesAtOnce)
            check(holdings!, model, asked)
            // And again from nothing.
            await holdings!.change(() => holdings!.sums.restart())
            await holdings!.coverAll(entriesAtOnce)
            check(holdings!, model, asked)
          },
          { isCovered: false },
        ),
    ),
  },
]
