// The rank book on a real index, asked through the interface.

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished, test } from 'vitest'
import { RealDisk } from '../platform/real/disk/disk.ts'
import { RealKeyValues } from '../platform/real/key-value/key-value.ts'
import { pointsMax, RankBook, rankTables } from './rank-book.ts'
import { ranksOf } from './solitary-ranks.ts'

const breathe = async (): Promise<void> => {}
const terms = { damping: 0.85, seeds: [], tolerance: 1e-12 }

async function opened(hidden: ReadonlySet<string> = new Set()) {
  const folder = await mkdtemp(join(tmpdir(), 'polyhistor-rank-'))
  const keyValue = await new RealKeyValues({ disk: new RealDisk() }).open(folder, { tables: rankTables })
  onTestFinished(async () => {
    await keyValue.close()
    await rm(folder, { recursive: true, force: true })
  })
  return new RankBook({ keyValue, isHidden: (href) => hidden.has(href), breathe })
}

function resultOf(links: Readonly<Record<string, readonly string[]>>) {
  const pages = Object.entries(links).map(([href, targets]) => ({ href, targets }))
  return ranksOf({ source: { pages: () => pages }, breathe }, terms)
}

const [home, about, other] = ['http://a.test/', 'http://a.test/about', 'http://www.b.test/']

test('pages and sites are named best first, with scores that sum up to 1, also those that are only linked to', async () => {
  const book = await opened()
  assert.deepEqual(await book.top({ isSites: false, limit: 5 }), {
    ranked: [],
    isPartial: false,
    computedMs: 0,
  })
  await book.keep(await resultOf({ [home]: [about], [about]: [home, other] }), 1_000)
  const { ranked, computedMs } = await book.top({ isSites: false, limit: 5 })
  assert.deepEqual(
    ranked.map(({ url }) => url),
    [about, home, other],
  )
  assert(Math.abs(ranked.reduce((sum, { score }) => sum + score, 0) - 1) < 1e-12)
  assert.equal(computedMs, 1_000)
  const sites = await book.top({ isSites: true, limit: 1 })
  assert.deepEqual([sites.ranked.map(({ url }) => url), sites.isPartial], [['http://a.test/'], true])
  const ofSite = await book.top({ isSites: false, site: 'b.test', limit: 5 })
  assert.deepEqual(ofSite.ranked, [{ url: other, score: book.rankOf(other) }])
  assert.equal(book.scoreOfSite('b.test'), book.rankOf(other))
})

test('a later run takes the place of the one before, but for the curves of sites, which are bounded', async () => {
  const book = await opened()
  const first = await resultOf({ [home]: [about], [about]: [other] })
  for (let run = 1; run <= pointsMax + 50; run++) await book.keep(first, run)
  await book.keep(await resultOf({ [home]: [about], [about]: [home] }), 100_000)
  assert.equal(book.rankOf(other), undefined)
  assert.equal((await book.top({ isSites: false, site: 'b.test', limit: 5 })).ranked.length, 0)
  const curve = await book.curve('a.test')
  assert(curve.length <= pointsMax && curve.length > pointsMax / 2)
  assert.deepEqual(
    curve.map(({ atMs }) => atMs),
    curve.map(({ atMs }) => atMs).toSorted((a, b) => a - b),
  )
  assert.equal(curve.at(-1)?.atMs, 100_000)
  assert((await book.curve('b.test')).length > 0)
})

test('what was taken down is not named', async () => {
  const book = await opened(new Set([about]))
  await book.keep(await resultOf({ [home]: [about], [about]: [home] }), 1)
  for (const site of [undefined, 'a.test'])
    assert.deepEqual(
      (await book.top({ isSites: false, site, limit: 5 })).ranked.map(({ url }) => url),
      [home],
    )
})
