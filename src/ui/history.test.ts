import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import { parseUrl } from '../model/url/url.ts'
import { ListedArchive } from './fixtures/listed-archive.ts'
import { properties } from './history.fuzz.ts'
import { type History, historyOf } from './history.ts'
import { YearCache } from './year-cache.ts'

const href = 'http://a.example/'
const url = parseUrl(href)
const breathe = async (): Promise<void> => {}
const dayMs = 86_400_000

function daily(from: string, count: number): ListedArchive {
  const startMs = Date.parse(from)
  return new ListedArchive(
    Array.from({ length: count }, (_, day) => ({ url: href, atMs: startMs + day * dayMs })),
  )
}

test('a URL that was never captured has no history', async () => {
  assert.equal(await historyOf({ archive: new ListedArchive([]), breathe }, url), undefined)
})

test('the year asked for is shown, and the last one when it has nothing', async () => {
  const archive = daily('2018-12-30', 400)
  assert.equal((await historyOf({ archive, breathe }, url, { year: 2018 }))?.shownYear, 2018)
  assert.equal((await historyOf({ archive, breathe }, url, { year: 2001 }))?.shownYear, 2020)
  assert.equal((await historyOf({ archive, breathe }, url))?.shownYear, 2020)
})

test('a span leaves out what is before and after it', async () => {
  const fromMs = Date.parse('2019-02-01')
  const toMs = Date.parse('2019-04-01')
  const history = await historyOf({ archive: daily('2018-12-30', 400), breathe }, url, { fromMs, toMs })
  assert.deepEqual(
    history?.years.map(({ year }) => year),
    [2019],
  )
  assert.deepEqual(
    history?.years[0]?.months.map(({ count }) => count),
    [0, 28, 31, 0, 0, 0, 0, 0, 0, 0, 0, 0],
  )
})

test('whatever is unchanged over the turn of a year is not new in January', async () => {
  const history = await historyOf({ archive: daily('2018-12-30', 10), breathe }, url)
  assert.deepEqual(
    history?.years.map(({ months }) => months.reduce((sum, { changed }) => sum + changed, 0)),
    [1, 0],
  )
})

describe('limits', () => {
  test('a year beyond its limit is counted so far, and said to have more', async () => {
    const limits = { perYear: 40, inAll: 1_000, years: 10 }
    const history = await historyOf({ archive: daily('2019-01-01', 365), breathe }, url, {}, limits)
    const months = history!.years[0]!.months
    assert.deepEqual(
      months.map(({ count }) => count),
      [31, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    )
    assert.deepEqual(
      months.map(({ isMore }) => isMore),
      [false, ...Array(11).fill(true)],
    )
  })

  test('years beyond the limit of all are known to be there, and the one shown is counted all the same', async () => {
    const limits = { perYear: 400, inAll: 500, years: 10 }
    const archive = daily('2010-01-01', 10 * 365)
    const history = await historyOf({ archive, breathe }, url, { year: 2011 }, limits)
    const counted = history!.years.map(({ months }) => months.reduce((sum, { count }) => sum + count, 0))
    assert.equal(counted.length, 10)
    assert.equal(counted[1], 365)
    assert.equal(counted[2], 0)
    assert(history!.years[2]!.months.every(({ isMore }) => isMore))
    assert(archive.given < 1_300, `${archive.given} looked at`)
  })

  test('no more years than the limit', async () => {
    const history = await historyOf(
      { archive: daily('2010-01-01', 3_650), breathe },
      url,
      {},
      { perYear: 1, inAll: 1, years: 3 },
    )
    assert.deepEqual(
      history?.years.map(({ year }) => year),
      [2017, 2018, 2019],
    )
  })
})

test('the thread is let go every few thousand captures', async () => {
  let breaths = 0
  const startMs = Date.parse('2020-01-01')
  const archive = new ListedArchive(
    Array.from({ length: 9_000 }, (_, index) => ({ url: href, atMs: startMs + index * 1_000 })),
  )
  await historyOf({ archive, breathe: async () => void breaths++ }, url)
  assert.equal(breaths, 4)
})

describe('counted years', () => {
  const startMs = Date.parse('2019-01-01')
  const told = Array.from({ length: 730 }, (_, day) => ({
    url: href,
    atMs: startMs + day * dayMs,
    content: `${day}`,
  }))
  const totals = (history: History | undefined) =>
    history?.years.map(({ months }) => months.reduce((sum, { count }) => sum + count, 0))

  test('are not counted again, and give the same', async () => {
    const archive = new ListedArchive(told)
    const years = new YearCache(() => 0)
    const first = await historyOf({ archive, breathe, years }, url, { year: 2019 })
    const cost = archive.given
    const again = await historyOf({ archive, breathe, years }, url, { year: 2019 })
    assert.deepEqual(again, first)
    assert(archive.given - cost < 10, `${archive.given - cost} looked at`)
  })

  test('are counted again when a capture has come, and after a while', async () => {
    let nowMs = 0
    const years = new YearCache(() => nowMs)
    await historyOf({ archive: new ListedArchive(told), breathe, years }, url)
    const later = new ListedArchive([...told, { url: href, atMs: startMs + 729.5 * dayMs }])
    assert.deepEqual(totals(await historyOf({ archive: later, breathe, years }, url)), [365, 366])
    const imported = new ListedArchive([...told, { url: href, atMs: startMs + 7.5 * dayMs }])
    assert.deepEqual(totals(await historyOf({ archive: imported, breathe, years }, url)), [365, 365])
    nowMs = 60_001
    assert.deepEqual(totals(await historyOf({ archive: imported, breathe, years }, url)), [366, 365])
  })

  test('a part of a year is not taken for the whole, nor the other way round', async () => {
    const archive = new ListedArchive(told)
    const years = new YearCache(() => 0)
    const half = { fromMs: Date.parse('2019-07-01'), toMs: Date.parse('2020-01-01') }
    assert.deepEqual(totals(await historyOf({ archive, breathe, years }, url, half)), [184])
    assert.deepEqual(totals(await historyOf({ archive, breathe, years }, url)), [365, 365])
    assert.deepEqual(totals(await historyOf({ archive, breathe, years }, url, half)), [184])
  })

  test('no more are kept than the limit', () => {
    const years = new YearCache(() => 0, { entries: 2, ageMs: 1, capturesMin: 1 })
    const counts = { months: [], days: new Map(), counted: 1 }
    for (const year of [2001, 2002]) years.put('a', year, 'c', counts)
    years.get('a', 2001, 'c')
    years.put('a', 2003, 'c', counts)
    assert.deepEqual(
      [2001, 2002, 2003].map((year) => years.get('a', year, 'c') !== undefined),
      [true, false, true],
    )
  })
})

describe('of any captures', () => {
  test.each(properties)('$name', ({ property }) => fc.assert(property, { numRuns: 60, seed: 1 }))
})
