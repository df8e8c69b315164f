// The history of any captures is what counting them one by one gives.

import assert from 'node:assert/strict'
import fc from 'fast-check'
import { parseUrl } from '../model/url/url.ts'
import { ListedArchive, type Told } from './fixtures/listed-archive.ts'
import { historyOf } from './history.ts'

const url = 'http://a.example/'
const startMs = Date.parse('2001-06-01')
const lengthMs = 8 * 365 * 86_400_000

const told = fc.array(
  fc.record({
    url: fc.constant(url),
    atMs: fc.nat(lengthMs).map((ms) => startMs + ms),
    content: fc.constantFrom('a', 'b'),
    status: fc.constantFrom(200, 404),
  }),
  { minLength: 1, maxLength: 60 },
)

function naive(all: readonly Told[]): Map<string, { count: number; changed: number }> {
  const months = new Map<string, { count: number; changed: number }>()
  let before: Told | undefined
  for (const one of [...all].sort((left, right) => left.atMs - right.atMs)) {
    const key = new Date(one.atMs).toISOString().slice(0, 7)
    const month = months.get(key) ?? { count: 0, changed: 0 }
    month.count++
    if (before === undefined || before.content !== one.content || before.status !== one.status)
      month.changed++
    months.set(key, month)
    before = one
  }
  return months
}

export const properties = [
  {
    name: 'months are counted right, and days add up to their months',
    property: fc.asyncProperty(
      fc.uniqueArray(
        told.map((all) => all[0]!),
        { selector: (one) => one.atMs, minLength: 1, maxLength: 60 },
      ),
      async (all) => {
        const history = await historyOf(
          { archive: new ListedArchive(all), breathe: async () => {} },
          parseUrl(url),
        )
        const counted = new Map<string, { count: number; changed: number }>()
        for (const { year, months } of history!.years) {
          for (const [index, { count, changed, isMore }] of months.entries()) {
            assert(!isMore)
            if (count > 0) counted.set(`${year}-${String(index + 1).padStart(2, '0')}`, { count, changed })
          }
        }
        assert.deepEqual([...counted].sort(), [...naive(all)].sort())
        const shown = history!.years.find(({ year }) => year === history!.shownYear)!
        for (const [index, { count }] of shown.months.entries()) {
          const days = [...history!.days].filter(([day]) => Math.floor(day / 100) === index + 1)
          assert.equal(
            days.reduce((sum, [, day]) => sum + day.count, 0),
            count,
          )
        }
      },
    ),
  },
]
