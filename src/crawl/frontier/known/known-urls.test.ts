import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { parseUrl } from '../../../model/url/url.ts'
import { simulatedWorld } from '../../../platform/simulated/world.ts'
import { type BufferedTable, WriteBuffer } from '../write-buffer.ts'
import { KnownFilter } from './known-filter.ts'
import { KnownUrls, knownUrlsLimits } from './known-urls.ts'
import { RecentHashes } from './recent-hashes.ts'
import { UrlHash } from './url-hash.ts'

const plain = { number: 1, hashSeed: 1, knownValueBytes: 0 }
const urlOf = (index: number, host = `h${index % 3}.test`): ReturnType<typeof parseUrl> =>
  parseUrl(`http://${host}/page/${index}`)

async function table(): Promise<BufferedTable> {
  const world = simulatedWorld({ seed: 1 })
  const { keyValues, clock } = world.machine('a')
  const keyValue = await world.complete(keyValues.open('/known'))
  return new WriteBuffer({ keyValue, clock }, () => {}).table('sites')
}

describe('known URLs', () => {
  test('are those that were added, and no others', async () => {
    const known = new KnownUrls(await table(), { ...knownUrlsLimits, recentMax: 16 })
    for (let index = 0; index < 6_000; index++) {
      assert.equal(known.has(urlOf(index), plain), false)
      known.add(urlOf(index), plain)
    }
    for (let index = 0; index < 6_000; index++) assert.equal(known.has(urlOf(index), plain), true, `${index}`)
    for (let index = 6_000; index < 12_000; index++) assert.equal(known.has(urlOf(index), plain), false)
    assert.equal(known.has(urlOf(1), { ...plain, number: 2, hashSeed: 2 }), false)
  })

  test('tell once when there are many, found now or before', async () => {
    const sites = await table()
    const limits = { ...knownUrlsLimits, manyMin: 1_000 }
    let told = 0
    const before = new KnownUrls(sites, limits, () => told++)
    for (let index = 0; index < 999; index++) before.add(urlOf(index, 'a.test'), plain)
    assert.equal(told, 0)
    for (let index = 999; index < 3_000; index++) before.add(urlOf(index, 'a.test'), plain)
    assert.equal(told, 1)
    const after = new KnownUrls(sites, limits, () => told++)
    for (let index = 0; index < 100; index++) after.has(urlOf(10_000 + index, 'a.test'), plain)
    assert.equal(told, 2)
  })

  test('are known again after a restart, while the filters are being filled and after', async () => {
    const sites = await table()
    const before = new KnownUrls(sites)
    for (let index = 0; index < 5_000; index++) before.add(urlOf(index, 'a.test'), plain)
    const after = new KnownUrls(sites, { ...knownUrlsLimits, recentMax: 16 })
    for (let index = 0; index < 10_000; index++) {
      const expected = index < 5_000
      assert.equal(after.has(urlOf(index, 'a.test'), plain), expected, `${index}`)
      if (index % 100 === 0) after.add(urlOf(20_000 + index, 'a.test'), plain)
    }
    for (let index = 0; index < 10_000; index += 100)
      assert(after.has(urlOf(20_000 + index, 'a.test'), plain))
  })

  test('stay known when there is no room for their filter', async () => {
    const known = new KnownUrls(await table(), { ...knownUrlsLimits, filterBytesMax: 2_000, recentMax: 16 })
    for (let index = 0; index < 900; index++) known.add(urlOf(index, `h${index % 30}.test`), plain)
    for (let index = 0; index < 900; index++) assert(known.has(urlOf(index, `h${index % 30}.test`), plain))
    for (let index = 900; index < 1_800; index++)
      assert(!known.has(urlOf(index, `h${index % 30}.test`), plain))
  })

  test('keep their values, also new ones', async () => {
    const limited = { number: 3, hashSeed: 3, knownValueBytes: 8 }
    const known = new KnownUrls(await table())
    const value = (index: number): string => String(index).padStart(8, '0')
    for (let index = 0; index < 2_000; index++) known.add(urlOf(index), limited, value(index))
    for (let index = 0; index < 2_000; index += 2) known.add(urlOf(index), limited, value(index + 1))
    for (let index = 0; index < 2_000; index++) {
      const expected = index % 2 === 0 ? index + 1 : index
      assert.equal(known.value(urlOf(index), limited), value(expected))
    }
  })
})

describe('the filter', () => {
  test('denies nothing it has, and few of the rest', () => {
    const filter = new KnownFilter()
    const hash = new UrlHash()
    for (let index = 0; index < 50_000; index++) filter.add(hash.of(`http://a.test/${index}`, 1))
    let wrong = 0
    for (let index = 0; index < 50_000; index++) {
      assert(filter.mayHave(hash.of(`http://a.test/${index}`, 1)))
      if (filter.mayHave(hash.of(`http://b.test/${index}`, 1))) wrong++
    }
    assert(wrong < 1_000, `${wrong} of 50000`)
    assert(filter.bytes < 50_000 * 4, `${filter.bytes} bytes`)
  })
})

test('recent hashes forget, but never invent', () => {
  const recent = new RecentHashes(1_000)
  const hash = new UrlHash()
  for (let index = 0; index < 5_000; index++) {
    assert(!recent.has(hash.of(`${index}`, 1)))
    recent.add(hash)
    assert(recent.has(hash.of(`${index}`, 1)))
  }
})

test('hashes differ for texts that differ a little', () => {
  const seen = new Set<string>()
  const hash = new UrlHash()
  const texts = [
    'a',
    'b',
    'aa',
    'ab',
    'ba',
    ...Array.from({ length: 20_000 }, (_, index) => `http://a.test/${index}`),
  ]
  for (const text of texts) {
    const { a, b, c } = hash.of(text, 0)
    seen.add(`${a} ${b} ${c}`)
    seen.add(`${hash.of(text, 1).a} ${hash.b} ${hash.c}`)
  }
  assert.equal(seen.size, 2 * texts.length)
})
