// Pages in a browser that asks for what the test says, in a crawl of a simulated web.

import assert from 'node:assert/strict'
import { test } from 'vitest'
import { type Field, FieldList } from '../../formats/http/field-list.ts'
import type { PageAnswer, PageToShow, ShownPage } from '../../platform/browser.ts'
import { type CrawlPlan, crawlOf } from '../fixtures/simulated-crawl.ts'

interface Wish {
  readonly href: string
  readonly method?: string
  readonly headers?: readonly Field[]
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
    const ask = async ({ href, method = 'GET', headers = [] }: Wish): Promise<void> => {
      answers.set(href, undefined)
      const request = { method, href, headers: new FieldList(headers) }
      const send = async (sent: PageAnswer): Promise<void> => {
        answers.set(href, sent)
        given.set(href, [...(given.get(href) ?? []), sent.status])
      }
      await answer(request, send, signal)
    }
    const isFirst = answers.size === 0
    await ask({ href, ...as('document') })
    if (!isFirst) return { ending: 'settled', links: [], text: '' }
    await Promise.all(wishes.map(ask))
    return { ending: 'settled', links, text: '' }
  }
  return { answers, given, browser: () => ({ show, close: async () => {} }) }
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
    { href: 'http://app.test/form', method: 'POST' },
    { href: 'http://127.0.0.1/admin' },
    { href: 'http://[::1]:7070/api' },
    { href: 'http://app.test/events', headers: [['Accept', 'text/event-stream']] },
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
      ['http://app.test/form', 'refused: method'],
      ['http://app.test/events', 'refused: stream'],
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
    { href: 'http://app.test/made', isNoFollow: false },
    { href: 'http://app.test/advert', isNoFollow: true },
    { href: 'javascript:void(0)', isNoFollow: false },
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
