import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { parseUrl } from '../../model/url/url.ts'
import { simulatedWorld } from '../../platform/simulated/world.ts'
import { sessionFree } from './traps/session-free.ts'
import { trapRulesDefault } from './traps/trap-rules.ts'
import { TrapWatch } from './traps/trap-watch.ts'
import { WriteBuffer } from './write-buffer.ts'

const nowMs = Date.UTC(2026, 5, 1)

async function watch(
  rules = trapRulesDefault,
): Promise<(href: string, depth?: number) => string | undefined> {
  const traps = await trapWatch(rules)
  return (href, depth = 3) => traps.refusal(parseUrl(href), 1, depth, nowMs, () => false)
}

async function trapWatch(rules = trapRulesDefault): Promise<TrapWatch> {
  const world = simulatedWorld({ seed: 1 })
  const { keyValues, clock } = world.machine('a')
  const keyValue = await world.complete(keyValues.open('/traps'))
  return new TrapWatch(new WriteBuffer({ keyValue, clock }, () => {}).table('sites'), rules)
}

/** How many URLs of an endless sequence are taken. */
async function taken(hrefOf: (index: number) => string, max = 100_000): Promise<number> {
  const refusal = await watch()
  for (let index = 0; index < max; index++) if (refusal(hrefOf(index), 3) !== undefined) return index
  return max
}

describe('traps are left', () => {
  test('calendars that go on for ever, forward and back', async () => {
    const month = (index: number): string => `${2026 + Math.floor(index / 12)}/${(index % 12) + 1}`
    assert((await taken((index) => `http://a.test/calendar/${month(index)}/`)) < 40)
    assert(
      (await taken((index) => `http://a.test/?m=${(index % 12) + 1}&y=${2026 + Math.floor(index / 12)}`)) <
        40,
    )
    assert((await taken((index) => `http://a.test/events?year=${2026 + index}&month=1`)) < 5)
    assert(
      (await taken(
        (index) => `http://a.test/calendar?date=${2026 - Math.floor(index / 12)}-0${(index % 9) + 1}-01`,
      )) < 500,
    )
    assert((await taken((index) => `http://a.test/kalender/${index}`)) <= trapRulesDefault.datedPerShapeMax)
    assert(
      (await taken(
        (index) => `http://a.test/${2026 + Math.floor(index / 300)}/${(index % 12) + 1}/${index % 28}`,
      )) <= trapRulesDefault.datedPerShapeMax,
    )
  })

  test('paths that repeat themselves', async () => {
    const refusal = await watch()
    for (const path of [
      'a/a/a',
      'x/a/b/a/b/a/b/y',
      'img/../img/a/b/c/a/b/c/a/b/c',
      '1/1/1/1',
      'a/x/a/y/a/z/a/u/a/v/a',
    ]) {
      assert.match(refusal(`http://a.test/${path}`)!, /path/, path)
    }
    assert.match(
      refusal(`http://a.test/${Array.from({ length: 40 }, (_, index) => `d${index}`).join('/')}`)!,
      /segments/,
    )
  })

  test('queries that grow for ever', async () => {
    const refusal = await watch()
    assert.match(refusal(`http://a.test/?${'sort=up&'.repeat(5)}`)!, /again and again/)
    assert.match(
      refusal(`http://a.test/?${Array.from({ length: 50 }, (_, index) => `p${index}=1`).join('&')}`)!,
      /parameters/,
    )
    assert.match(
      refusal('http://a.test/login?return=%2Flogin%3Freturn%3D%252Flogin%253Freturn%253D%25252Flogin')!,
      /within/,
    )
    assert.match(refusal(`http://a.test/${'x'.repeat(2_500)}`)!, /characters/)
    assert.equal(
      await taken((index) => `http://a.test/search?q=${index}`),
      trapRulesDefault.queriesPerPathMax,
    )
  })

  test('links that lead from one to the next without end', async () => {
    const refusal = await watch()
    assert.match(refusal('http://a.test/next', trapRulesDefault.depthMax + 1)!, /one from the next/)
  })

  test('pages of one shape that all have the same content', async () => {
    const traps = await trapWatch()
    const ask = (index: number): string | undefined =>
      traps.refusal(parseUrl(`http://a.test/item/${index}`), 1, 1, nowMs, () => false)
    for (let index = 0; index < 100; index++) {
      if (index < 50) assert.equal(ask(index), undefined)
      traps.fetched(parseUrl(`http://a.test/item/${index}`), 1, index > 2)
    }
    assert.match(ask(1_000)!, /repeat themselves/)
    assert.equal(
      traps.refusal(parseUrl('http://a.test/other/1'), 1, 1, nowMs, () => false),
      undefined,
    )
  })
})

describe('honest sites are spared', () => {
  test('a newspaper with twenty years of dated archives and numbered articles', async () => {
    const refusal = await watch()
    for (let day = 0; day < 20 * 365; day++) {
      const date = new Date(Date.UTC(2006, 0, 1) + day * 86_400_000)
        .toISOString()
        .slice(0, 10)
        .replaceAll('-', '/')
      assert.equal(refusal(`http://news.test/${date}/`), undefined)
      for (let article = 0; article < 4; article++) {
        assert.equal(refusal(`http://news.test/${date}/${day * 10 + article}.html`), undefined)
        assert.equal(refusal(`http://news.test/${date}/mayor-opens-bridge-${day}-${article}`), undefined)
      }
    }
  })

  test('an archive by year and month from before the web, and numbers that could be years to come', async () => {
    const refusal = await watch()
    for (let year = 1880; year <= 2026; year++)
      assert.equal(refusal(`http://news.test/old?year=${year}&month=${(year % 12) + 1}`), undefined)
    for (const path of ['topic/2099/3', '?start=2100&m=5', 'list?y=2100', '?month=4&id=2050'])
      assert.equal(refusal(`http://news.test/${path}`), undefined, path)
  })

  test('a shop with facets and a pager', async () => {
    const refusal = await watch()
    for (let page = 1; page < 200; page++) {
      for (const colour of ['red', 'blue', 'green']) {
        for (const size of ['s', 'm', 'l', 'xl']) {
          const query = `colour[]=${colour}&colour[]=black&size=${size}&sort=price&page=${page}`
          assert.equal(refusal(`http://shop.test/shoes?${query}`), undefined)
        }
      }
    }
    assert.equal(refusal('http://shop.test/p/12345-red-shoes?utm_source=a&utm_medium=b&ref=c'), undefined)
  })

  test('a site with very many numbered pages', async () => {
    assert.equal(await taken((index) => `http://a.test/article/${180_000 + index}`, 50_000), 50_000)
  })

  test('odd but real URLs', async () => {
    const refusal = await watch()
    for (const path of [
      '2011/11/11/',
      'docs/docs/',
      'archive/1911/05/02/page-3',
      'wiki/Special:Search?search=a&go=Go',
      'a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/',
      'redirect?to=https%3A%2F%2Fb.test%2F%3Fx%3D1',
      'events/2026/summer-fair',
      'download/v1/v1/file',
      'item/9850/12',
    ]) {
      assert.equal(refusal(`http://a.test/${path}`), undefined, path)
    }
  })
})

describe('session ids', () => {
  const id = '0123456789abcdef0123456789abcdef'

  test('are taken out where they stand', () => {
    assert.equal(sessionFree(`http://a.test/x?PHPSESSID=${id}`), 'http://a.test/x')
    assert.equal(sessionFree(`http://a.test/x?a=1&sid=${id}&b=2`), 'http://a.test/x?a=1&b=2')
    assert.equal(sessionFree(`http://a.test/x;jsessionid=${id}?a=1`), 'http://a.test/x?a=1')
    assert.equal(sessionFree('http://a.test/(S(0123456789abcdefghijklmn))/x.aspx'), 'http://a.test/x.aspx')
  })

  test('are not seen where there are none', () => {
    for (const href of [
      'http://a.test/x?s=holidays',
      'http://a.test/x?s=summer-holidays-2024',
      'http://a.test/x?sid=12',
      'http://a.test/session/about',
      'http://a.test/x?class=1',
    ]) {
      assert.equal(sessionFree(href), undefined, href)
    }
  })
})
