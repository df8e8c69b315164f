import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import { ListedArchive } from './fixtures/listed-archive.ts'
import { properties } from './url-list.fuzz.ts'
import { urlListOf } from './url-list.ts'

const breathe = async (): Promise<void> => {}
const site = { kind: 'site', site: 'a.example' } as const

test('first and last are of the span asked for', async () => {
  const archive = new ListedArchive(
    ['2018-05-01', '2020-02-01', '2020-09-01', '2022-01-01'].map((day) => ({
      url: 'http://a.example/',
      atMs: Date.parse(day),
    })),
  )
  const span = { fromMs: Date.parse('2020-01-01'), toMs: Date.parse('2021-01-01') }
  const { entries, next } = await urlListOf({ archive, breathe }, site, span)
  assert.equal(next, undefined)
  assert.deepEqual(
    entries.map(({ count, firstMs, lastMs }) => [count, firstMs, lastMs]),
    [[2, Date.parse('2020-02-01'), Date.parse('2020-09-01')]],
  )
})

test('URLs without captures in the span are passed over, so many at a time', async () => {
  const archive = new ListedArchive(
    Array.from({ length: 50 }, (_, page) => ({
      url: `http://a.example/${page}`,
      atMs: page === 49 ? 2_000 : 1_000,
    })),
  )
  const limits = { urls: 10, capturesPerUrl: 10, visits: 20, captures: 100 }
  const first = await urlListOf({ archive, breathe }, site, { fromMs: 2_000 }, limits)
  assert.deepEqual(first.entries, [])
  const second = await urlListOf({ archive, breathe }, site, { fromMs: 2_000, after: first.next }, limits)
  const third = await urlListOf({ archive, breathe }, site, { fromMs: 2_000, after: second.next }, limits)
  assert.deepEqual(
    [...second.entries, ...third.entries].map(({ url }) => url),
    ['http://a.example/49'],
  )
})

test('redirects and errors are left out where answers are wanted, and the last answer is shown', async () => {
  const archive = new ListedArchive([
    { url: 'http://a.example/gone', atMs: 1, status: 404 },
    { url: 'http://a.example/moved', atMs: 1, status: 301 },
    { url: 'http://a.example/page', atMs: 1, status: 200 },
    { url: 'http://a.example/page', atMs: 2, status: 503 },
  ])
  const titleOf = async () => 'A title'
  const list = await urlListOf({ archive, titleOf, breathe }, site, { kind: 'answers' })
  assert.deepEqual(
    list.entries.map(({ url, count, lastMs, status, title }) => [url, count, lastMs, status, title]),
    [['http://a.example/page', 2, 1, 200, 'A title']],
  )
  assert.equal((await urlListOf({ archive, breathe }, site)).entries.length, 3)
})

test('a URL with very many captures costs its limit and no more', async () => {
  const archive = new ListedArchive([
    ...Array.from({ length: 5_000 }, (_, index) => ({ url: 'http://a.example/a', atMs: index })),
    { url: 'http://a.example/b', atMs: 1 },
  ])
  const { entries } = await urlListOf(
    { archive, breathe },
    site,
    {},
    {
      urls: 9,
      capturesPerUrl: 100,
      visits: 9,
      captures: 900,
    },
  )
  assert.deepEqual(
    entries.map(({ url, count, isMore }) => [url, count, isMore]),
    [
      ['http://a.example/a', 100, true],
      ['http://a.example/b', 1, false],
    ],
  )
  assert(archive.given < 120, `${archive.given} looked at`)
})

describe('of any archive', () => {
  test.each(properties)('$name', ({ property }) => fc.assert(property, { numRuns: 80, seed: 1 }))
})
