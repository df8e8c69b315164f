// Pages in a browser that asks for what the test says, in a crawl of a simulated web.

import assert from 'node:assert/strict'
import { test } from 'vitest'
import { type Field, FieldList } from '../../formats/http/field-list.ts'
import {
  BrowserError,
  type PageAnswer,
  type PageToShow,
  type ShownPage,
} from '../../platform/network/browser.ts'
import { type CrawlPlan, crawlOf } from '../fixtures/simulated-crawl.ts'
import { outcomeOf } from '../jobs/job-outcome.ts'
import type { PartErrands } from './crawled-parts.ts'

interface Wish {
  readonly href: string
  readonly method?: string
  readonly headers?: readonly Field[]
  readonly body?: Uint8Array
}

const as = (destination: string): { headers: readonly Field[] } => ({
  headers: [['Sec-Fetch-Dest', destination]],
})

/** The first page asks for all of these at once, and has these links. */
function browserFor(wishes: readonly Wish[], links: ShownPage['links'] = []) {
  const answers = new Map<string, PageAnswer | undefined>()
  const given = new Map<string, number[]>()
  const show = async ({ href, answer }: PageToShow): Promise<ShownPage> => {
    const { signal } = new AbortController()
    const ask = async ({ href, method = 'GET', headers = [], body }: Wish): Promise<void> => {
      answers.set(href, undefined)
      const request = { method, href, headers: new FieldList(headers), body }
      const send = async (sent: PageAnswer): Promise<void> => {
        answers.set(href, sent)
        given.set(href, [...(given.get(href) ?? []), sent.status])
      }
      await answer(request, send, signal)
    }
    const isFirst = answers.size === 0
    await ask({ href, ...as('document') })
    if (!isFirst) return { ending: 'settled', links: [], text: '', title: '' }
    await Promise.all(wishes.map(ask))
    return { ending: 'settled', links, text: '', title: '' }
  }
  return { answers, given, browser: () => ({ show, ready: async () => {}, close: async () => {} }) }
}

const page = 'http://app.test/'

async function showing(wishes: readonly Wish[], plan: CrawlPlan = {}, links: ShownPage['links'] = []) {
  const { answers, given, browser } = browserFor(wishes, links)
  const web = (href: string) =>
    href.endsWith('/robots.txt') ? 'User-agent: *\nDisallow: /private' : `of ${href}`
  const { requests, events, job } = await crawlOf([page], web, { ...plan, browser })
  const outcomes = Object.fromEntries(
    events.map(({ url, outcome, code }) => [url, code === undefined ? outcome : `${outcome}: ${code}`]),
  )
  const statuses = Object.fromEntries([...answers].map(([href, answer]) => [href, answer?.status]))
  const asked = requests.filter(({ href }) => !href.endsWith('/robots.txt'))
  return { answers, given, statuses, outcomes, asked, job }
}

test('the page is asked for once, its parts too; hosts are asked at their pace, each for one thing at a time', async () => {
  const parts = [1, 2, 3].flatMap((part) => [`http://app.test/${part}`, `http://cdn.test/${part}`])
  const { asked, outcomes, answers, job } = await showing(parts.map((href) => ({ href })))
  assert.equal(
    job.counters.bytes,
    [page, ...parts].reduce((sum, href) => sum + `of ${href}`.length, 0),
  )
  assert.deepEqual(asked.map(({ href }) => href).sort(), [page, ...parts].sort())
  for (const href of parts) {
    assert.equal(outcomes[href], 'new')
    assert.equal(Buffer.from(answers.get(href)!.body as Uint8Array).toString(), `of ${href}`)
  }
  for (const host of ['app.test', 'cdn.test']) {
    const atMs = asked.filter(({ href }) => href.includes(host)).map((request) => request.atMs)
    for (const [index, laterMs] of atMs.slice(1).entries())
      assert.ok(laterMs - atMs[index]! >= 1_000, `${host}: ${atMs}`)
  }
})

test('no other page of the host is fetched before the one that is shown has its parts', async () => {
  const parts = [1, 2, 3].map((part) => `http://app.test/${part}`)
  const { browser } = browserFor(parts.map((href) => ({ href })))
  const { requests } = await crawlOf(
    [page, 'http://app.test/other'],
    (href) => (href.endsWith('/robots.txt') ? { status: 404 } : 'page'),
    { browser },
  )
  const hrefs = requests.map(({ href }) => href).filter((href) => !href.endsWith('/robots.txt'))
  const first = hrefs[0]!
  assert.deepEqual(hrefs.slice(1, 4).sort(), parts)
  assert.ok(hrefs.includes(first === page ? 'http://app.test/other' : page))
})

test('what a rule is against is refused, told, and asked of nobody', async () => {
  const { asked, outcomes, statuses } = await showing([
    { href: 'http://app.test/form', method: 'POST', ...as('document') },
    { href: 'http://app.test/beacon', method: 'POST', headers: [['Sec-Fetch-Mode', 'no-cors']] },
    { href: 'http://app.test/item', method: 'DELETE' },
    { href: 'http://app.test/socket', headers: [['Upgrade', 'websocket']] },
    { href: 'http://127.0.0.1/admin' },
    { href: 'http://[::1]:7070/api' },
    { href: 'http://other.test/private', ...as('iframe') },
    { href: 'http://other.test/public', ...as('iframe') },
    { href: 'http://other.test/private.png', ...as('image') },
  ])
  assert.deepEqual(asked.map(({ href }) => href).sort(), [
    page,
    'http://other.test/private.png',
    'http://other.test/public',
  ])
  assert.deepEqual(
    Object.entries(outcomes).filter(([, outcome]) => outcome !== 'new'),
    [
      ['http://app.test/form', 'refused: form'],
      ['http://app.test/beacon', 'refused: beacon'],
      ['http://app.test/item', 'refused: method'],
      ['http://app.test/socket', 'refused: websocket'],
      ['http://127.0.0.1/admin', 'refused: address-forbidden'],
      ['http://[::1]:7070/api', 'refused: address-forbidden'],
      ['http://other.test/private', 'refused: robots'],
    ],
  )
  assert.equal(statuses['http://127.0.0.1/admin'], 403)
})

test('a page that goes elsewhere stays, and where it would go is visited on its own', async () => {
  const next = 'http://app.test/next'
  const { given, asked, outcomes } = await showing([{ href: next, ...as('document') }])
  assert.deepEqual(given.get(next), [204, 200])
  assert.deepEqual([asked.filter(({ href }) => href === next).length, outcomes[next]], [1, 'new'])
})

test('links that scripts made are followed, but for those that the page does not vouch for', async () => {
  const { asked } = await showing([], {}, [
    { href: 'http://app.test/made', text: '', isNoFollow: false },
    { href: 'http://app.test/advert', text: '', isNoFollow: true },
    { href: 'javascript:void(0)', text: '', isNoFollow: false },
  ])
  assert.deepEqual(asked.map(({ href }) => href).sort(), [page, 'http://app.test/made'])
})

test('a page with too many parts, or too many bytes, gets no more', async () => {
  const wishes = [1, 2, 3, 4, 5].map((part) => ({ href: `http://app.test/${part}` }))
  const few = await showing(wishes, { showingLimits: { requestsMax: 4 } })
  assert.equal(few.asked.length, 4)
  assert.match(Object.values(few.outcomes).join(), /refused: page-limit/)
  const small = await showing(wishes, { showingLimits: { bytesMax: 10 } })
  assert.deepEqual(
    small.asked.map(({ href }) => href),
    [page, 'http://app.test/1'],
  )
})

test('part of a body is cut from the whole, which is kept; preflights are answered without the server', async () => {
  const media = 'http://app.test/media'
  const { answers, statuses, asked } = await showing([
    { href: media, headers: [['Range', 'bytes=3-6']] },
    {
      href: 'http://api.test/data',
      method: 'OPTIONS',
      headers: [
        ['Origin', 'http://app.test'],
        ['Access-Control-Request-Method', 'GET'],
        ['Access-Control-Request-Headers', 'x-key'],
      ],
    },
  ])
  const { status, headers, body } = answers.get(media)!
  assert.deepEqual([status, Buffer.from(body as Uint8Array).toString()], [206, 'http'])
  assert.equal(new FieldList([...headers]).get('Content-Range'), `bytes 3-6/${`of ${media}`.length}`)
  assert.equal(statuses['http://api.test/data'], 204)
  assert.deepEqual(asked.map(({ href }) => href).sort(), [page, media])
})

test('a part that fails is told with its cause, and the page is kept', async () => {
  const { browser, answers } = browserFor([{ href: 'http://gone.test/x' }])
  const { events } = await crawlOf(
    [page],
    (href) =>
      href.includes('gone.test') ? 'no address' : href.endsWith('/robots.txt') ? { status: 404 } : 'page',
    { browser },
  )
  assert.equal(answers.get('http://gone.test/x')?.status, 502)
  const of = (url: string) => events.find((event) => event.url === url)
  assert.deepEqual(
    [of('http://gone.test/x')?.outcome, of('http://gone.test/x')?.code],
    ['failed', 'dns-not-found'],
  )
  assert.match(of(page)?.reason ?? '', /^shown in a browser .*: 0 parts kept, 0 refused, 1 failed$/)
})

const noBrowser = {
  show: () => Promise.reject(new BrowserError('browser-missing', 'There is none.')),
  ready: () => Promise.reject(new BrowserError('browser-missing', 'There is none.')),
  close: async () => {},
}

test('without a browser pages are kept, each says what it lacks, and the job is not complete', async () => {
  const { events, job } = await crawlOf([page, 'http://b.test/'], () => 'page', { browser: () => noBrowser })
  const told = events.map(({ outcome, code, reason }) => [outcome, code, reason])
  const lacking = ['new', 'no-browser', 'not shown in a browser: There is none.']
  assert.deepEqual(
    told.filter(([, code]) => code !== undefined),
    [lacking, lacking],
  )
  assert.deepEqual([job.state, outcomeOf(job)], ['done', 'partly'])
  assert.equal(job.missed?.['no-browser']?.count, 2)
})

test('where a browser was asked for in so many words its lack ends the crawl', async () => {
  const plan = { browser: () => noBrowser, isBrowserRequired: true }
  await assert.rejects(
    crawlOf([page], () => 'page', plan),
    { code: 'browser-missing' },
  )
})

test('a page that crashed is shown once more; if it crashes again, the job says so', async () => {
  const crashing = (times: number) => {
    let shown = 0
    const show = async (): Promise<ShownPage> => {
      const ending = ++shown > times ? 'settled' : 'crashed'
      return { ending, links: [], text: '', title: '' }
    }
    return { shown: () => shown, browser: () => ({ show, ready: async () => {}, close: async () => {} }) }
  }
  const once = crashing(1)
  assert.equal(outcomeOf((await crawlOf([page], () => 'page', once)).job), 'complete')
  assert.equal(once.shown(), 2)
  const always = crashing(9)
  const { job } = await crawlOf([page], () => 'page', always)
  assert.deepEqual([outcomeOf(job), job.missed?.['page-crashed']?.count, always.shown()], ['partly', 1, 2])
})

test('what a page sends is carried through, with method, body and type', async () => {
  const search = {
    href: 'http://app.test/search',
    method: 'POST',
    headers: [['Content-Type', 'application/json']] as const,
    body: Buffer.from('{"q":"birds"}'),
  }
  const { asked, outcomes, statuses } = await showing([search])
  const [, sent] = asked
  assert.deepEqual([sent?.method, sent?.href, sent?.body], ['POST', search.href, '{"q":"birds"}'])
  assert.deepEqual([outcomes[search.href], statuses[search.href]], ['new', 200])
})

test('of a stream of events the beginning is kept, once', async () => {
  const events = { href: 'http://app.test/events', headers: [['Accept', 'text/event-stream']] as const }
  const { asked, given } = await showing([events, events])
  assert.equal(asked.filter(({ href }) => href === events.href).length, 1)
  assert.deepEqual(given.get(events.href)?.sort(), [200, 204])
})

test('hosts that share an address are not asked more at once than the address takes', async () => {
  const parts = [1, 2, 3, 4, 5, 6].map((host) => `http://host-${host}.test/`)
  const wishes = parts.map((href) => ({ href, ...as('image') }))
  const { asked } = await showing(wishes, { hasOneAddress: true })
  const atMs = asked.filter(({ href }) => href !== page).map((request) => request.atMs)
  assert.equal(atMs.length, 6)
  for (const [index, first] of atMs.slice(0, -2).entries())
    assert.ok(atMs[index + 2]! - first >= 250, `${atMs}: two at once, and a pause after each`)
})

test('what a page lacks is told by its job: what a rule is against does not make it partial, what failed does', async () => {
  const socket = { href: 'http://app.test/socket', headers: [['Upgrade', 'websocket']] as const }
  const refused = await showing([socket])
  assert.deepEqual([outcomeOf(refused.job), refused.job.missed?.websocket?.count], ['complete', 1])
  const { browser } = browserFor([{ href: 'http://gone.test/x' }])
  const web = (href: string) => (href.includes('gone.test') ? 'no address' : 'page')
  const { job, views } = await crawlOf([page], web, { browser })
  assert.deepEqual([outcomeOf(job), job.missed?.['dns-not-found']?.url], ['partly', 'http://gone.test/x'])
  const info = views.find(({ kind }) => kind === 'pageinfo')!
  const { urls, counts } = JSON.parse(Buffer.from(info.bytes).toString())
  assert.deepEqual(counts, { kept: 0, refused: 0, failed: 1 })
  assert.deepEqual(urls['http://gone.test/x'].error, 'dns-not-found')
})

test('a part of a site that another peer crawls is fetched by that, and never asked of the server from here', async () => {
  const at = (name: string) => `http://cdn.test/${name}`
  const asked: string[] = []
  const errands: PartErrands = {
    run: async ({ url, page: from, kind, sent, sinceMs }) => {
      asked.push(`${sent?.method ?? 'GET'} ${url.href} for ${from.href}: ${kind}, ${sinceMs !== undefined}`)
      if (url.href === at('gone.js')) return { code: 'reset', reason: 'broke off' }
      if (url.href === at('secret')) return { code: 'robots', reason: 'robots.txt: Disallow: /secret' }
      if (url.href === at('later.js')) return { code: 'busy', reason: 'too many parts are being fetched' }
      return { status: 200, headers: new FieldList([]), body: Buffer.from('theirs'), bodyBytes: 6 }
    },
  }
  const scripts = ['app.js', 'gone.js', 'later.js'].map((name) => ({ href: at(name), ...as('script') }))
  const frames = ['frame', 'secret'].map((name) => ({ href: at(name), ...as('iframe') }))
  const form = { href: at('form'), method: 'POST', ...as('iframe') }
  const data = { href: at('api'), method: 'POST', body: Buffer.from('{}'), ...as('empty') }
  const { answers, browser } = browserFor([...scripts, ...frames, form, data])
  const foreign = { sites: ['cdn.test'], errands }
  const { requests, views } = await crawlOf([page], () => 'page', {
    ...{ browser, foreign, isOnNetwork: true },
  })
  assert.deepEqual(asked.sort(), [
    'GET http://cdn.test/app.js for http://app.test/: asset, true',
    'GET http://cdn.test/frame for http://app.test/: frame, false',
    'GET http://cdn.test/gone.js for http://app.test/: asset, true',
    'GET http://cdn.test/later.js for http://app.test/: asset, true',
    'GET http://cdn.test/secret for http://app.test/: frame, false',
    'POST http://cdn.test/api for http://app.test/: data, false',
  ])
  for (const name of ['app.js', 'frame', 'api'])
    assert.equal(Buffer.from(answers.get(at(name))!.body as Uint8Array).toString(), 'theirs')
  assert.deepEqual([answers.get(at('secret'))?.status, answers.get(at('gone.js'))?.status], [204, 502])
  assert.equal(requests.filter(({ href }) => href.includes('cdn.test')).length, 0)
  const info = views.find(({ kind }) => kind === 'pageinfo')!
  const { urls } = JSON.parse(Buffer.from(info.bytes).toString())
  const told = Object.entries<{ outcome: string; error?: string }>(urls)
  assert.deepEqual(
    told.map(([name, { outcome, error = '' }]) => `${name.replace(at(''), '')} ${outcome} ${error}`.trim()),
    [
      ...['POST api kept', 'POST form refused form', 'app.js kept', 'frame kept', 'gone.js failed reset'],
      ...['later.js refused other-peer', 'secret refused robots'],
    ],
  )
})
