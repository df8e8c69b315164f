import assert from 'node:assert/strict'
import { test } from 'vitest'
import { parseUrl } from '../model/url/url.ts'
import { parseReading } from './address.ts'
import { ListedArchive } from './fixtures/listed-archive.ts'
import { calendarPath } from './markup/links.ts'
import { listedVersionsMax, versionListOf } from './version-list.ts'

const href = 'http://a.example/'
const url = parseUrl(href)
const startMs = Date.parse('2020-03-01')

test('pages lead to one another until everything was shown once', async () => {
  const all = Array.from({ length: 2.5 * listedVersionsMax }, (_, index) => ({
    url: href,
    atMs: startMs + index * 60_000,
  }))
  const archive = new ListedArchive(all)
  const shown: number[] = []
  let written: string | undefined = '202003'
  for (let page = 0; written !== undefined && page < 9; page++) {
    const reading = parseReading(calendarPath(href, written))
    assert(reading.kind === 'calendar')
    const list = await versionListOf(archive, url, reading.span)
    shown.push(...list.versions.map(({ version }) => version.capturedAtMs))
    written = list.next
  }
  assert.deepEqual(
    shown,
    all.map(({ atMs }) => atMs),
  )
})

test('a second with more captures than a page has room for does not hold the list up', async () => {
  const all = Array.from({ length: 300 }, (_, index) => ({ url: href, atMs: startMs + index }))
  const list = await versionListOf(new ListedArchive(all), url, { fromMs: startMs, toMs: startMs + 10_000 })
  assert.equal(list.next, '20200301000001-20200301000009')
})

test('the first of a page knows what was before it', async () => {
  const archive = new ListedArchive([
    { url: href, atMs: startMs - 1, content: 'a' },
    { url: href, atMs: startMs, content: 'a' },
    { url: href, atMs: startMs + 1, content: 'b' },
  ])
  const { versions } = await versionListOf(archive, url, { fromMs: startMs, toMs: undefined })
  assert.deepEqual(
    versions.map(({ isChanged }) => isChanged),
    [false, true],
  )
})
