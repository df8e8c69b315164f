// The pages over a real store, judged by their source.

import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { openStore } from '../store/fixtures/open-store.ts'
import { pageCapture } from '../store/fixtures/sample-captures.ts'
import type { HttpAnswer } from '../world/http-server.ts'
import { checkedPage } from './fixtures/checked-page.ts'
import { day, dayMs, filledSite, hostile, job, replayOrigin, Site, url } from './fixtures/site.ts'

function locationOf({ status, headers }: HttpAnswer): unknown[] {
  return [status, headers.find(([name]) => name === 'Location')?.[1]]
}

describe('reading', () => {
  test('calendar: years, months and days, with what changed', async () => {
    const site = await filledSite()
    const { text, elements, links } = await site.page(`/web/*/${url}`)
    assert.match(text, /4 captures between 2 January 2020 and 5 February 2021, 3 different versions/)
    assert(links().includes(`/web/20210205030405/${url}`))
    const old = await site.page(`/web/2020*/${url}`)
    const days = old.elements.filter(
      ({ attributes }) => attributes.class?.startsWith('day ') && attributes.href,
    )
    assert.deepEqual(
      days.map(({ attributes }) => attributes['aria-label']),
      [
        '2 January: 1 capture, content changed',
        '3 January: 1 capture, content unchanged',
        '4 January: 1 capture, content changed',
      ],
    )
    assert(elements.some(({ attributes }) => attributes['aria-current'] === 'true'))
  })

  test('a month is a list, with what to compare', async () => {
    const site = await filledSite()
    const { text, links } = await site.page(`/web/202001*/${url}`)
    assert.match(text, /January 2020/)
    assert(links().includes(`/diff/20200103030405/20200104030405/${url}`))
    assert(links().includes(`/web/20200104030405id_/${url}`))
    assert.match((await site.page(`/web/2019120112*/${url}`)).text, /No captures in this time/)
  })

  test('a range of years leaves out the others', async () => {
    const site = await filledSite()
    assert.match((await site.page(`/web/2021-2022*/${url}`)).text, /1 capture on 5 February 2021/)
    await site.page(`/web/2001-2002*/${url}`, 404)
  })

  test('a time that is not that of a capture leads to the nearest one', async () => {
    const site = await filledSite()
    assert.deepEqual(locationOf(await site.ask(`/web/20200104/${url}`)), [302, `/web/20200104030405/${url}`])
  })

  test('asked for the newest that is not newer, a later one is not given', async () => {
    const site = await filledSite()
    const near = `/web/20210101/${url}`
    assert.deepEqual(locationOf(await site.ask(near)), [302, `/web/20210205030405/${url}`])
    assert.deepEqual(locationOf(await site.ask(`${near}&policy=not-newer`)), [
      302,
      `/web/20200104030405/${url}`,
    ])
    assert.deepEqual(locationOf(await site.ask(`${near}&policy=nearest`)), [
      302,
      `/web/20210205030405/${url}`,
    ])
    await site.page(`/web/2019/${url}&policy=not-newer`, 404)
    await site.page(`${near}&policy=oldest`, 400)
  })

  test('the frame: bar, neighbours, sandbox, policy, Memento', async () => {
    const site = await filledSite()
    const answer = await site.ask(`/web/20200103030405/${url}`)
    const { links, elements } = checkedPage(String(answer.body), replayOrigin)
    const headers = new Map(answer.headers.map(([name, value]) => [name.toLowerCase(), value]))
    assert.match(
      headers.get('content-security-policy')!,
      /default-src 'none'.*frame-src http:\/\/replay\.localhost:7070$/,
    )
    assert.doesNotMatch(headers.get('content-security-policy')!, /unsafe/)
    assert.equal(headers.get('memento-datetime'), 'Thu, 02 Jan 2020 03:04:05 GMT')
    const frames = elements.filter(({ name }) => name === 'iframe')
    assert.deepEqual(
      frames.map(({ attributes }) => attributes.src),
      [`${replayOrigin}/web/20200103030405mp_/${url}`],
    )
    assert(links().includes(`/web/20200102030405/${url}`) && links().includes(`/web/20200104030405/${url}`))
    assert(links().includes(`/web/*/${url}`))
  })

  test('what browsers show in no sandbox can be downloaded', async () => {
    const store = await openStore()
    const block = Buffer.from('HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\n\r\n%PDF')
    await store.append({ ...pageCapture(url, day, ''), block })
    const { links } = await new Site(store).page(`/web/20200102030405/${url}`)
    assert(links().includes(`/web/20200102030405id_/${url}`))
    const page = await (await filledSite()).page(`/web/20200102030405/${url}`)
    assert(!page.links().includes(`/web/20200102030405id_/${url}`))
  })

  test('other pages cannot be framed and frame nothing', async () => {
    const { headers } = await (await filledSite()).ask('/')
    const policy = headers.find(([name]) => name === 'Content-Security-Policy')![1]
    assert.match(policy, /frame-ancestors 'none'/)
    assert.doesNotMatch(policy, /frame-src|unsafe/)
  })

  test('scripts and styles come from where ours lie: archived ones are on this host as well', async () => {
    const { headers } = await (await filledSite()).ask('/')
    const policy = headers.find(([name]) => name === 'Content-Security-Policy')![1].split('; ')
    assert(policy.includes('script-src localhost:7070/assets/'))
    assert(policy.includes('style-src localhost:7070/assets/'))
    assert(policy.includes("default-src 'none'"))
  })

  test('what changed is told against the last version that was different', async () => {
    const site = await filledSite()
    const { links } = await site.page(`/web/20210205030405/${url}`)
    assert(links().includes(`/diff/20200104030405/20210205030405/${url}`))
  })

  test('not archived: an offer; taken down: not even that; nonsense: a sentence', async () => {
    const site = await filledSite()
    const missing = await site.page('/web/2020/https://nothing.example/a', 404)
    assert(missing.elements.some(({ name, attributes }) => name === 'form' && attributes.action === '/save'))
    const gone = await site.page('/web/*/https://gone.example/', 451)
    assert(!gone.elements.some(({ attributes }) => attributes.action === '/save'))
    await site.page('/diff/2020/2021/https://gone.example/', 451)
    const nonsense = await site.page('/web/20209999/https://a.example/', 400)
    assert.match(nonsense.text, /is no timestamp/)
  })
})

describe('lists', () => {
  test('prefix and site list addresses with counts, a page at a time', async () => {
    const store = await openStore()
    for (let page = 0; page < 130; page++)
      await store.append(pageCapture(`https://list.example/p${page}`, day + page, 'x'))
    await store.append(pageCapture('https://sub.list.example/', day, 'x'))
    const site = new Site(store)
    const shown = new Set<string>()
    let target: string | undefined = '/site/list.example'
    while (target !== undefined) {
      const { links } = await site.page(target)
      for (const link of links()) if (link.startsWith('/web/*/')) shown.add(link)
      target = links().find((link) => link.includes('?after='))
    }
    assert.equal(shown.size, 132) // And the link to the site's home page.
    assert.match((await site.page('/web/*/https://list.example/p12*')).text, /11 addresses/)
    assert.match((await site.page('/web/2019*/https://list.example/*')).text, /0 addresses/)
  })

  test('a cursor that is none is refused', async () => {
    await (await filledSite()).page('/site/a.example?after=nonsense', 400)
  })
})

describe('comparing', () => {
  test('times lead to the captures within them', async () => {
    const site = await filledSite()
    assert.deepEqual(locationOf(await site.ask(`/diff/2020/2021/${url}`)), [
      302,
      `/diff/20200104030405/20210205030405/${url}`,
    ])
  })

  test('words and links', async () => {
    const site = await filledSite()
    const { text, elements } = await site.page(`/diff/20200102030405/20200104030405/${url}`)
    assert.match(text, /Within 2 days: 0 passages changed, 1 added, 1 removed; 1 link added, 0 removed/)
    assert.equal(elements.filter(({ name }) => name === 'iframe').length, 2)
  })

  test('the same content is said to be the same, and is not compared', async () => {
    const { text } = await (await filledSite()).page(`/diff/20200102030405/20200103030405/${url}`)
    assert.match(text, /the same to the byte/)
  })

  test('what has no words is only looked at', async () => {
    const store = await openStore()
    const png = (body: string, atMs: number) =>
      store.append({
        ...pageCapture(url, atMs, ''),
        block: Buffer.from(`HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n${body}`),
      })
    await png('1', day)
    await png('2', day + dayMs)
    const { text } = await new Site(store).page(`/diff/20200102030405/20200103030405/${url}`)
    assert.match(text, /image\/png, which has no words to compare/)
  })
})

describe('forms', () => {
  test('read: the newest version, all of them, or all that starts alike', async () => {
    const site = await filledSite()
    const go = (query: string) => site.ask(`/go?${query}`).then(locationOf)
    assert.deepEqual(await go(`url=${encodeURIComponent(url)}`), [302, `/web/20210205030405/${url}`])
    assert.deepEqual(await go(`all=1&url=${encodeURIComponent(url)}`), [302, `/web/*/${url}`])
    assert.deepEqual(await go('url=new.example'), [302, '/web/*/http://new.example/'])
    assert.deepEqual(await go('url=a.example%2F*'), [302, '/web/*/http://a.example/*'])
    // An address of ours, pasted whole; never one that leads elsewhere.
    assert.deepEqual(await go('url=localhost:7070/web/2020/https://a.example/%3Fb'), [
      302,
      '/web/2020/https://a.example/?b',
    ])
    assert.deepEqual(await go('url=localhost:7070//evil.example/'), [
      302,
      '/web/*/http://localhost:7070//evil.example/',
    ])
    await site.page('/go?url=javascript:alert(1)', 400)
    await site.page('/go?url=', 400)
  })

  test('archive now: a job, for those who may write', async () => {
    const site = await filledSite()
    const answer = await site.ask('/save', 'url=new.example%2Fa&scope=prefix')
    assert.deepEqual(locationOf(answer), [303, '/jobs/abc'])
    assert.deepEqual(site.started, [['http://new.example/a', 'prefix']])
    for (const form of ['url=new.example&scope=everything', 'url=ftp://x/', '']) {
      assert.equal((await site.ask('/save', form)).status, 400)
    }
    assert.equal(site.started.length, 1)
  })
})

test('crawls are paused, gone on with and ended by their own page', async () => {
  const site = await filledSite()
  for (const action of ['pause', 'resume', 'cancel']) {
    assert.deepEqual(locationOf(await site.ask('/jobs/abc', `action=${action}`)), [303, '/jobs/abc'])
  }
  assert.deepEqual(site.told, ['pause abc', 'resume abc', 'cancel abc'])
  assert.equal((await site.ask('/jobs/abc', 'action=find')).status, 400)
  assert.equal((await site.ask('/jobs/other', 'action=pause')).status, 404)
  assert.equal(site.told.length, 3)
})

test('a crawl that ended in an earlier run does not claim to have brought nothing', async () => {
  const site = await filledSite()
  assert.match((await site.page('/jobs/abc')).text, /6 ?fetched.*3 ?new|fetched ?6.*new ?3/s)
  site.job = { ...job, state: 'done', counts: { new: 0, changed: 0, same: 0 } }
  const { text } = await site.page('/jobs/abc')
  assert.match(text, /fetched/)
  assert.doesNotMatch(text, /\bnew\b|unchanged/)
})

test('the list of crawls tells what failed and was refused, so that none looks well that brought nothing', async () => {
  const { text } = await (await filledSite()).page('/jobs')
  assert.match(text, /6 fetched · 4 to do · 1 failed · 2 refused/)
})

test('when nothing is crawled any more, every page about crawls says why', async () => {
  const site = await filledSite()
  assert.doesNotMatch((await site.page('/jobs')).text, /Nothing is crawled at present/)
  site.trouble = 'The disk is <full>.'
  for (const target of ['/jobs', '/jobs/abc', '/status']) {
    assert.match((await site.page(target)).text, /Nothing is crawled at present\. The disk is <full>\./)
  }
})

describe('hostile addresses, titles and texts stay what they are: text', () => {
  const stamp = '20200102030405'
  test.each([
    '/',
    '/jobs',
    '/jobs/abc',
    '/status',
    '/site/hostile.example',
    `/web/*/${hostile}`,
    `/web/202001*/${hostile}`,
    `/web/*/https://hostile.example/*`,
    `/web/${stamp}/${hostile}`,
    `/diff/${stamp}/20200102030406/${hostile}`,
  ])('%s', async (target) => {
    const { text } = await (await filledSite()).page(target)
    assert.doesNotMatch(text, /undefined|NaN|\[object/)
  })

  test('also where nothing was found', async () => {
    const site = await filledSite()
    await site.page(`/web/*/https://other.example/${hostile}`, 404)
    await site.page(`/web/2020/http://"><script>harm=1</script>/`, 400)
    await site.page(`/jobs/"><script>harm=1</script>`.replaceAll('/script', '%2Fscript'), 404)
  })
})

test('assets are kept for good, and what is not there is not', async () => {
  const site = await filledSite()
  const { status, headers } = await site.ask('/assets/x.js')
  assert.deepEqual(
    [status, headers.find(([name]) => name === 'Cache-Control')?.[1]],
    [200, 'public, max-age=31536000, immutable'],
  )
  assert.equal((await site.ask('/assets/..%2fpackage.json')).status, 404)
})
