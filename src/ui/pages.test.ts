// The pages over a real store, judged by their source.

import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { PolyhistorError } from '../errors.ts'
import { parseUrl } from '../model/url/url.ts'
import type { HttpAnswer } from '../platform/network/http-server.ts'
import { openStore } from '../store/fixtures/open-store.ts'
import { pageCapture } from '../store/fixtures/sample-captures.ts'
import { checkedPage } from './fixtures/checked-page.ts'
import { peerStatus } from './fixtures/peer-status.ts'
import { day, dayMs, filledSite, hostile, job, replayOrigin, Site, url } from './fixtures/site.ts'

const hostileHref = parseUrl(hostile).href

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
      days.map(({ attributes }) => attributes.title),
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

  test('what is missing from a page can be fetched by the owner, and by nobody else', async () => {
    const site = await filledSite()
    const forms = async () => {
      const { elements } = await site.page(`/web/20200103030405/${url}`)
      return elements.filter(({ name, attributes }) => name === 'form' && attributes.action === '/save')
        .length
    }
    assert.equal(await forms(), 1)
    site.isOwner = false
    assert.equal(await forms(), 0)
  })

  test('the timeline has the years, and a tooltip with each capture', async () => {
    const { text } = await (await filledSite()).page(`/web/20200103030405/${url}`)
    assert.match(text, /2 Jan 2020, 03:04, changed/)
    assert.match(text, /3 Jan 2020, 03:04, the same as before/)
    assert.match(text, /5 Feb 2021, 03:04, changed, not found or refused \(4xx\)/)
    assert.match(text, /\b2021\b/)
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
    for (let pages = 0; target !== undefined; pages++) {
      assert(pages < 100, 'the list has no last page')
      const { links } = await site.page(target)
      for (const link of links()) if (link.startsWith('/web/*/')) shown.add(link)
      target = links().find((link) => link.includes('?after='))
    }
    assert.equal(shown.size, 132) // And the link to the site's home page.
    assert.match((await site.page('/web/*/https://list.example/p12*')).text, /11 addresses/)
    assert.match(
      (await site.page('/web/2019*/https://list.example/*')).text,
      /Nothing of this kind is archived/,
    )
  })

  test('a cursor that is none is refused', async () => {
    await (await filledSite()).page('/site/a.example?after=nonsense', 400)
  })
})

describe('browsing', () => {
  test('sites are listed by name, with title, count and last visit, a page at a time', async () => {
    const store = await openStore()
    for (let site = 0; site < 60; site++)
      await store.append(pageCapture(`https://s${100 + site}.example/`, day, `<title>Site ${site}</title>`))
    await store.append(pageCapture('https://s100.example/', day + dayMs, '<title>Site 0</title>'))
    const site = new Site(store)
    const first = await site.page('/sites')
    assert.match(first.text, /pages of 60 sites/)
    assert.match(first.text, /s100\.example Site 0 2 3 Jan 2020, 03:04/)
    const next = first.links().find((link) => link.startsWith('/sites?after='))!
    const listed = [...first.links(), ...(await site.page(next)).links()].filter((link) =>
      link.startsWith('/site/'),
    )
    assert.deepEqual(
      listed,
      Array.from({ length: 60 }, (_, index) => `/site/s${100 + index}.example`),
    )
    const found = await site.page('/sites?q=S15')
    assert.equal(found.links().filter((link) => link.startsWith('/site/')).length, 10)
    assert.match((await site.page('/')).text, /All 60 sites/)
  })

  test('a count that was cut says so, and its last visit that it may be later', async () => {
    const site = await filledSite()
    const [capture] = site.store.versions(parseUrl(url))
    site.siteNames = { names: ['large.example'], isMore: false }
    site.scans = { 'large.example': () => Array.from({ length: 501 }, () => capture!) }
    assert.match(
      (await site.page('/sites')).text,
      /large\.example One more than 500 2 Jan 2020, 03:04 or later/,
    )
    assert.match(
      (await site.page('/')).text,
      /more than 500 captures · last visit 2 Jan 2020, 03:04 or later/,
    )
  })

  test('with others, sites of all are listed and suggested, and who was silent is told', async () => {
    const site = await filledSite()
    site.siteNames = {
      names: ['a.example', 'far.example', 'silent.example'],
      isMore: false,
      peers: { asked: 7, answered: 5 },
    }
    site.scans = {
      'silent.example': () => {
        throw new PolyhistorError('reading-unavailable', 'nobody answers')
      },
    }
    const { text } = await site.page('/sites')
    assert.match(text, /2 of 7 other peers did not answer: there may be more sites/)
    assert.match(text, /a\.example .* silent\.example – –/)
    // Of what nobody shows anything of there is nothing to read.
    assert.match(text, /Other peers named 1 more site, of which nothing can be read from here yet/)
    assert.doesNotMatch(text, /far\.example/)
    const home = await site.page('/')
    assert.match(home.text, /silent\.example kept by peers that do not answer now/)
    assert.match(home.text, /This peer keeps .* Kept last by this peer/)
    assert.match((await site.page('/web/*/http://farr.example/', 404)).text, /far\.example/)
  })

  test('a site has its pages, with titles; files, redirects and errors only when asked for', async () => {
    const site = await filledSite()
    await site.store.append(pageCapture('https://a.example/moved', day, '', { status: 301 }))
    await site.store.append(pageCapture('https://a.example/gone', day, 'gone', { status: 404 }))
    const pages = await site.page('/site/a.example')
    assert.match(pages.text, /1 address\. Images, styles and other files, redirects and errors are left out/)
    // The last version is a 404: the last that answered is shown.
    assert.match(pages.text, /Two a\.example\/page\?x=1 4 4 Jan 2020, 03:04/)
    assert(pages.links().includes('/site/a.example?all=1'))
    assert.match((await site.page('/site/a.example?all=1')).text, /3 addresses\..*404/)
  })

  test('home leaves out what did not answer, and offers what makes sense', async () => {
    const { text, elements } = await (await filledSite()).page('/')
    assert.match(text, /Kept last hostile\.example/)
    assert.doesNotMatch(text, /answered 404|5 Feb 2021, 03:04 · all versions/)
    const primary = (of: typeof elements) =>
      of.filter(({ name, attributes }) => name === 'button' && attributes.class === 'primary').length
    assert.equal(primary(elements), 1)
    const empty = new Site(await openStore())
    const owners = await empty.page('/')
    assert.match(owners.text, /This archive is empty so far/)
    for (const beginning of [
      'Bookmarks',
      'polyhistor import',
      'polyhistor network create',
      'polyhistor demo',
    ])
      assert(owners.text.includes(beginning), beginning)
    assert.doesNotMatch(text, /polyhistor demo/)
    assert(
      !owners.elements.some(
        ({ attributes }) => attributes.action === '/go' && attributes.class === 'opening',
      ),
    )
    empty.isOwner = false
    const readers = await empty.page('/')
    assert.match(readers.text, /The first page that is archived will appear here/)
    assert.doesNotMatch(readers.text, /polyhistor demo/)
  })

  test('who asks for what is not there is shown what may have been meant', async () => {
    const site = await filledSite()
    const links = async (target: string) => (await site.page(target, 404)).links()
    assert((await links('/web/*/https://hostlie.example/')).includes('/web/*/http://hostile.example/'))
    assert((await links('/web/*/http://hostile/')).includes('/web/*/http://hostile.example/'))
    assert((await links('/web/*/https://a.example/pag?x=1')).includes(`/web/*/${url}`))
    assert(!(await links('/web/*/https://quite-another.org/')).some((link) => /example/.test(link)))
  })

  test('pages below a long name are not all alike', async () => {
    const store = await openStore()
    const host = 'http://a-name-of-some-length.example'
    for (const path of ['/post.html', '/news/today.html'])
      await store.append(pageCapture(`${host}${path}`, day, 'a page'))
    const site = new Site(store)
    site.siteNames = { names: ['a-name-of-some-length.example'], isMore: false }
    const links = async (path: string) => (await site.page(`/web/*/${host}${path}`, 404)).links()
    assert(!(await links('/no/such.html')).some((link) => /post|today/.test(link)))
    assert((await links('/psot.html')).includes(`/web/*/${host}/post.html`))
  })

  test('lists of a site are offered only where something of it is archived', async () => {
    const site = await filledSite()
    const isOffered = async (target: string, list: string) =>
      (await site.page(target, 404)).links().includes(list)
    assert(await isOffered('/web/*/https://a.example/quite/another', '/site/a.example'))
    assert(!(await isOffered('/web/*/https://quite-another.org/', '/site/quite-another.org')))
    site.siteNames = { names: [], isMore: true }
    assert(await isOffered('/web/*/https://quite-another.org/', '/site/quite-another.org'))
  })

  test('what was typed survives a mistake', async () => {
    const site = await filledSite()
    const typed = async (answer: Promise<HttpAnswer>) => {
      const { elements } = checkedPage(String((await answer).body), replayOrigin)
      return elements.find(({ attributes }) => attributes.id === 'find')?.attributes.value
    }
    assert.equal(await typed(site.ask('/go?url=ftp%3A%2F%2Fx')), 'ftp://x')
    assert.equal(await typed(site.ask('/save', 'url=ftp%3A%2F%2Fx')), 'ftp://x')
  })

  test('no codes for machines stand above a heading', async () => {
    const { text } = await (await filledSite()).page('/web/20209999/https://a.example/', 400)
    assert.match(
      text,
      /This address does not make sense here.*For whoever looks after this archive: \S+, 400/,
    )
  })
})

describe('settings', () => {
  test('the owner sees and changes them; strangers are told nothing', async () => {
    const site = await filledSite()
    assert.match((await site.page('/settings')).text, /store\.deltas yes from config\.toml Saves disk\./)
    assert.deepEqual(locationOf(await site.ask('/settings', 'name=store.deltas&value=no')), [
      303,
      '/settings',
    ])
    assert.equal(site.deltas, 'no')
    const refused = await site.ask('/settings', 'name=store.deltas&value=perhaps')
    const { text, elements } = checkedPage(String(refused.body), replayOrigin)
    assert.equal(refused.status, 400)
    assert.match(text, /Not changed: It must be yes or no/)
    assert(
      elements.some(
        ({ attributes }) => attributes.id === 'set-store-deltas' && attributes.value === 'perhaps',
      ),
    )
    site.isOwner = false
    assert.doesNotMatch((await site.page('/settings')).text, /store\.deltas/)
  })
})

test('a peer that was never with others is told nothing of a network; one that waits for them is not alarmed', async () => {
  const site = await filledSite()
  site.network = { ...site.network, network: { id: '', name: '', kind: 'alone' } }
  assert.doesNotMatch((await site.page('/status')).text, /The network|The ring/)
  site.network = {
    ...site.network,
    network: { id: 'x', name: 'x', kind: 'invited' },
    lacks: ['2 more peers.'],
  }
  const { text, elements } = await site.page('/status')
  assert.match(text, /So far this peer is alone/)
  assert(!elements.some(({ attributes }) => attributes.class === 'trouble'))
})

test('contributors: those that keep and those that fetch, by what they give; who was shut out is not among them', async () => {
  const site = await filledSite()
  assert.match((await site.page('/contributors')).text, /this peer does everything itself/)
  const volunteer = { score: 1, state: 'proven', presentMs: 3 * 3_600_000 } as const
  site.network = {
    ...site.network,
    network: { id: 'x', name: 'x', kind: 'invited' },
    peers: [{ peer: 'a-peer-that-keeps', status: peerStatus({ captures: 777, usedBytes: 5_000_000 }) }],
    volunteers: [
      { ...volunteer, id: 'the-busy', fetched: 1_234, bytes: 9_000_000 },
      { ...volunteer, id: 'the-slow', fetched: 12, bytes: 1_000 },
      { ...volunteer, id: 'the-liar', fetched: 99_999, bytes: 99_000_000, state: 'barred', score: 0 },
    ],
  }
  const { text, links } = await site.page('/contributors')
  assert.deepEqual(text.match(/the-busy|at-keeps|the-slow|the-liar/g), ['the-busy', 'at-keeps', 'the-slow'])
  assert.match(text, /kept by 1 peer and fetched with the help of 2 volunteers/)
  assert.match(text, /9\.0 MB\s*1,234\s*–\s*3 hours/)
  assert.match(text, /5\.0 MB\s*–\s*777\s*2 days/)
  assert(links().includes('/status'))
  assert((await site.page('/status')).links().includes('/contributors'))
})

describe('comparing', () => {
  test('two versions are picked from a list, in whichever order', async () => {
    const site = await filledSite()
    const { elements } = await site.page(`/web/202001*/${url}`)
    const picked = (name: string) =>
      elements.filter(({ attributes }) => attributes.type === 'radio' && attributes.name === name).length
    assert.deepEqual([picked('from'), picked('to')], [3, 3])
    const query = `url=${encodeURIComponent(url)}&from=20200104030405&to=20200102030405`
    assert.deepEqual(locationOf(await site.ask(`/compare?${query}`)), [
      302,
      `/diff/20200102030405/20200104030405/${url}`,
    ])
    await site.page('/compare?url=a.example', 400)
  })

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
    // From the bar of a replayed page: at the time of that page.
    assert.deepEqual(await go(`url=${encodeURIComponent(url)}&at=20200103`), [
      302,
      `/web/20200103030405/${url}`,
    ])
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
    await site.ask('/save', 'url=https://a.example/1.png&url=https://a.example/2.css&scope=page')
    assert.deepEqual(site.started.pop(), ['https://a.example/1.png', 'https://a.example/2.css', 'page'])
    const many = 'url=a.example&'.repeat(201)
    for (const form of ['url=new.example&scope=everything', 'url=ftp://x/', '', many]) {
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

test('the list of crawls tells what failed and was not allowed, so that none looks well that brought nothing', async () => {
  const site = await filledSite()
  assert.match((await site.page('/jobs')).text, /6 fetched · 4 to do · 1 failed · 2 not allowed/)
  site.job = { ...job, state: 'done', ending: 'budget of 6 pages is spent', outcome: 'partly' }
  assert.match((await site.page('/jobs')).text, /6 fetched · 4 left out · 1 failed/)
  assert.match((await site.page('/jobs/abc')).text, /4 ?left out|left out ?4/)
})

test('a crawl that kept nothing does not look done well, nor as if it went on', async () => {
  const site = await filledSite()
  const seeds = ['https://down.example/']
  site.job = { ...job, seeds }
  assert.match((await site.page('/jobs/abc')).text, /down\.example not captured yet/)
  site.job = { ...job, seeds, state: 'done', ending: 'complete', outcome: 'nothing' }
  const { text, elements } = await site.page('/jobs/abc')
  assert.match(text, /down\.example not in the archive/)
  assert.equal(elements.find(({ name }) => name === 'progress')?.attributes.class, 'nothing')
})

test('a crawl says what became of it, what is missing and why, and what can be done', async () => {
  const site = await filledSite()
  const missing = [
    {
      code: 'connect-refused',
      words: 'the server refused the connection',
      count: 3,
      seeds: 1,
      url,
      reason: 'ECONNREFUSED <b>',
    },
  ]
  site.job = {
    ...job,
    state: 'done',
    ending: 'complete',
    outcome: 'nothing',
    missing,
    advice: 'Use --allow-address.',
  }
  const { text, elements } = await site.page('/jobs/abc')
  assert.match(text, /✕ Nothing kept Nothing of what was asked for is in the archive/)
  assert.match(
    text,
    /3 addresses: the server refused the connection such as a\.example\/page\?x=1 \(ECONNREFUSED <b>\)/,
  )
  assert.match(text, /What you can do: Use --allow-address/)
  assert.doesNotMatch(text, /\bcomplete\b/i)
  assert(elements.some(({ attributes }) => attributes.class === 'state done nothing'))
  assert.match((await site.page('/jobs')).text, /nothing kept · the whole host/)
  site.job = { ...site.job, outcome: 'partly' }
  assert.match(
    (await site.page('/jobs/abc')).text,
    /Partly kept 6 addresses were fetched; something is missing/,
  )
  site.job = { ...job, missing }
  assert.match((await site.page('/jobs/abc')).text, /Not kept so far ?3 addresses/)
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
    '/sites',
    '/sites?q="><script>harm=1</script>',
    '/site/hostile.example',
    '/site/hostile.example?all=1',
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

describe('planned visits', () => {
  const visit = {
    url: hostile,
    dueAtMs: day,
    visitedAtMs: day - dayMs,
    failures: 2,
    intervalMs: undefined,
    state: 'planned',
  } as const

  test('are shown with their rules, of everything or of a site', async () => {
    const site = await filledSite()
    site.visits = [visit, { ...visit, url, state: 'stopped' }]
    site.visitRules = [{ target: { kind: 'site', site: 'a.example' }, bounds: undefined }]
    const { text } = await site.page('/visits')
    assert.match(text, /failed 2 times/)
    assert.match(text, /stopped/)
    assert.match(text, /a\.example: not visited again/)
    assert.match((await site.page('/visits?of=a.example')).text, /Visit a\.example every/)
  })

  test('are changed, stopped and resumed by the owner; what cannot be is told', async () => {
    const site = await filledSite()
    const post = (form: string) => site.ask('/visits', form)
    assert.equal((await post('of=www.a.example&action=stop')).status, 303)
    assert.equal((await post('of=a.example/x&action=every&every=1d')).status, 303)
    assert.equal((await post('of=&action=resume')).status, 303)
    assert.deepEqual(
      site.told.map((line) => JSON.parse(line)),
      [
        { target: { kind: 'site', site: 'a.example' }, request: { kind: 'stop' } },
        { target: { kind: 'url', url: 'http://a.example/x' }, request: { kind: 'every', span: '1d' } },
        { target: { kind: 'all' }, request: { kind: 'resume' } },
      ],
    )
    assert.equal((await post('of=&action=every&every=1y')).status, 400)
    assert.equal((await post('of=&action=other')).status, 400)
    site.isOwner = false
    assert.doesNotMatch((await site.page('/visits')).text, /Stop/)
  })
})

describe('rules', () => {
  const rule = {
    target: { kind: 'pattern', pattern: '<script>' },
    access: 'deny',
    hours: { from: 1_320, to: 360 },
    setAtMs: day,
    setBy: '12D3KooWabcdefgh',
    isInForce: false,
  } as const

  test('are listed with who set them and when, and changed by the owner', async () => {
    const site = await filledSite()
    site.rules = [rule]
    const { text } = await site.page('/rules')
    assert.match(text, /<script>/)
    assert.match(text, /not crawled.*hours, UTC 22:00-06:00/s)
    assert.match(text, /…abcdefgh/)
    assert.match(text, /Not in force/)
    const form = 'for=host&name=a.example&delay=5s&depth=&access=deny&action=set'
    assert.equal((await site.ask('/rules', form)).status, 303)
    assert.deepEqual(JSON.parse(site.told.at(-1)!), {
      target: { kind: 'host', host: 'a.example' },
      set: { access: 'deny', delayMs: 5_000 },
      unset: [],
    })
    await site.ask('/rules', 'for=pattern&name=%3Cscript%3E&action=remove')
    assert.deepEqual(JSON.parse(site.told.at(-1)!), { remove: rule.target })
    site.isOwner = false
    assert.doesNotMatch((await site.page('/rules')).text, /Set the rule|Remove/)
  })

  test('that are wrong are not changed, and what was typed stays', async () => {
    const site = await filledSite()
    const answer = await site.ask('/rules', 'for=site&name=a.example&delay=soon&action=set')
    assert.equal(answer.status, 400)
    const text = String(answer.body)
    assert.match(text, /delay is &quot;soon&quot;, but must be a pause/)
    assert.match(text, /value="a\.example"/)
  })
})

describe('crawls by schedule and from lists', () => {
  const schedule = {
    id: 'abc1',
    request: { seeds: [url], scope: 'page', budgets: {} },
    times: { kind: 'cron', cron: '0 3 * * *' },
    isPaused: false,
    createdAtMs: day,
    runs: [
      { atMs: day, jobId: 'abc' },
      { atMs: day - 1, jobId: 'abc', ending: 'complete', fetched: 7 },
    ],
  } as const

  test('are listed with their runs, and paused and removed', async () => {
    const site = await filledSite()
    site.schedules = [schedule]
    const { text } = await site.page('/jobs')
    assert.match(text, /0 3 \* \* \* UTC/)
    assert.match(text, /7 fetched, complete/)
    assert.equal((await site.ask('/schedules/abc1', 'action=pause')).status, 303)
    assert.equal(site.told.at(-1), 'pause abc1')
  })

  test('a list that is sent as a file is crawled, now or at its times', async () => {
    const site = await filledSite()
    const send = async (fields: Record<string, string>, list: string) => {
      const form = new FormData()
      for (const [name, value] of Object.entries(fields)) form.set(name, value)
      form.set('list', new File([list], 'list.txt'))
      const response = new Response(form)
      const type = response.headers.get('content-type')!
      return site.ask('/save', await response.text(), { 'content-type': type })
    }
    const answer = await send({ url: '', scope: 'page' }, 'http://a.example/1\nb.example\n')
    assert.equal(answer.status, 303)
    assert.deepEqual(site.started.at(-1), ['http://a.example/1', 'http://b.example/', 'page'])
    assert.equal((await send({ url: 'c.example', scope: 'page', when: '1d' }, '')).status, 303)
    assert.deepEqual(JSON.parse(site.told.at(-1)!), {
      urls: ['http://c.example/'],
      times: { kind: 'every', everyMs: 86_400_000 },
    })
    assert.equal((await send({ url: '', scope: 'page' }, '<html>')).status, 400)
    assert.equal((await send({ url: 'c.example', scope: 'page', when: 'soon' }, '')).status, 400)
  })

  test('a crawl tells where it is, and gives its results as files', async () => {
    const site = await filledSite()
    site.details = {
      hosts: [{ host: 'a.example', queued: 10, pending: 4 }],
      areHostsAll: true,
      peers: [{ peer: '12D3KooWabcdefgh', fetched: 6, failed: 0, refused: 0, pending: 4, bytes: 5_000 }],
    }
    const { text, links } = await site.page('/jobs/abc')
    assert.match(text, /By host HostDoneTo do a\.example64/)
    assert.match(text, /…abcdefgh/)
    assert(links().includes('/api/v1/jobs/abc/results?format=csv'))
  })
})

describe('archiving from the browser', () => {
  test('the bookmarklet holds the address of this archive, and nothing else', async () => {
    const site = await filledSite()
    const { links } = await site.page('/tools')
    assert.equal(links().filter((link) => link.startsWith('javascript:')).length, 1)
  })

  test('what it opens asks first, whatever the address is made of, and cannot be framed', async () => {
    const site = await filledSite()
    const target = `/archive?url=${encodeURIComponent(hostile)}`
    const { elements } = await site.page(target)
    assert(elements.some(({ attributes }) => attributes.name === 'url' && attributes.value === hostileHref))
    assert.deepEqual(site.started, [])
    const { headers } = await site.ask(target)
    const policy = headers.find(([name]) => name === 'Content-Security-Policy')![1]
    assert.match(policy, /frame-ancestors 'none'/)
    for (const bad of ['', 'javascript:alert(1)', 'chrome://settings'])
      await site.page(`/archive?url=${encodeURIComponent(bad)}`, 400)
  })

  test('strangers are told what to do; a browser that another site led here may be the owner’s', async () => {
    const site = await filledSite()
    site.isOwner = false
    const asked = async (from: string) => {
      const answer = await site.ask(`/archive?url=${url}`, undefined, { 'sec-fetch-site': from })
      return checkedPage(String(answer.body), replayOrigin).elements.some(
        ({ attributes }) => attributes.action === '/save',
      )
    }
    assert.deepEqual([await asked('none'), await asked('cross-site')], [false, true])
  })
})
