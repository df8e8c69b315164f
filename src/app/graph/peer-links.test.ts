// The link graph of a store: derived from whatever captures it has, asked through the interface.

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished, test } from 'vitest'
import { TestApi } from '../../api/fixtures/test-api.ts'
import { type LinkJson, linkRoutes } from '../../api/v1/link-routes.ts'
import { encodePageInfo } from '../../formats/warc/page-info.ts'
import { viewUrl } from '../../formats/warc/page-views.ts'
import { LinkGraph } from '../../graph/link-graph.ts'
import { parseUrl } from '../../model/url/url.ts'
import { RealClock } from '../../platform/real/clock.ts'
import { RealDisk } from '../../platform/real/disk/disk.ts'
import { RealKeyValues } from '../../platform/real/key-value/key-value.ts'
import { openStore } from '../../store/fixtures/open-store.ts'
import { pageCapture } from '../../store/fixtures/sample-captures.ts'
import { catchUpOf, ownLinksOf } from './peer-links.ts'

const [first, second, third] = [2020, 2021, 2022].map((year) => Date.UTC(year, 5))
const home = 'http://a.test/'
const contentType = 'application/json'

async function opened() {
  const store = await openStore()
  const folder = await mkdtemp(join(tmpdir(), 'polyhistor-graph-'))
  const graph = new LinkGraph(await new RealKeyValues({ disk: new RealDisk() }).open(folder))
  const platform = { clock: new RealClock(), breathe: async () => {} }
  const catchUp = catchUpOf({ platform, store, graph })
  onTestFinished(async () => {
    await catchUp.close()
    await graph.close()
    await rm(folder, { recursive: true, force: true })
  })
  const api = new TestApi(linkRoutes({ links: ownLinksOf({ platform, store, graph }) }))
  const ask = async (query: string) => {
    const answer = await api.ask(`/api/v1/links?${query}`)
    return { ...JSON.parse(answer.text), status: answer.status } as {
      links: LinkJson[]
      isPartial: boolean
      status: number
    }
  }
  return { store, graph, catchUp, ask }
}

test('links of captures that nobody crawled here are known, as of any time, whatever the order in which they came', async () => {
  const { store, catchUp, ask } = await opened()
  await store.append(pageCapture(home, second!, '<a href="/new">New</a> <a href="http://b.test/">B</a>'))
  await catchUp.pass()
  // An older one comes later, as by an import; then a redirect.
  await store.append(
    pageCapture(
      home,
      first!,
      '<a href="/old" rel="nofollow">Old &amp; good</a> <a href="http://b.test/">B</a>',
    ),
  )
  await store.append(
    pageCapture('http://c.test/', third!, '', { status: 301, headers: ['Location: http://b.test/'] }),
  )
  await catchUp.pass()
  const { links } = await ask('from=http://a.test/')
  assert.deepEqual(
    links.map(({ to, text, nofollow, firstSeen, gone }) => [
      to,
      text,
      nofollow,
      firstSeen.slice(0, 4),
      gone?.slice(0, 4),
    ]),
    [
      ['http://a.test/new', 'New', false, '2021', undefined],
      ['http://a.test/old', 'Old & good', true, '2020', '2021'],
      ['http://b.test/', 'B', false, '2020', undefined],
    ],
  )
  const then = await ask('from=http://a.test/&at=2020')
  assert.deepEqual(
    then.links.map(({ to }) => to),
    ['http://a.test/old', 'http://b.test/'],
  )
  assert.deepEqual((await ask('from=http://a.test/&at=2019')).links, [])
  const to = (await ask('to=b.test&site=true')).links
  assert.deepEqual(
    to.map(({ from, relation }) => [from, relation]),
    [
      ['http://a.test/', 'a href'],
      ['http://c.test/', 'Location header'],
    ],
  )
})

test('what was taken down is not named at once, and forgotten when it is destroyed', async () => {
  const { store, graph, catchUp, ask } = await opened()
  await store.append(pageCapture(home, first!, '<a href="http://b.test/">B</a>'))
  await store.append(pageCapture('http://d.test/', first!, '<a href="http://b.test/">B</a>'))
  await catchUp.pass()
  assert.equal((await ask('to=http://b.test/')).links.length, 2)
  await store.takedown({ kind: 'url', url: home }, 'asked for', { isNow: true })
  assert.deepEqual(
    (await ask('to=http://b.test/')).links.map(({ from }) => from),
    ['http://d.test/'],
  )
  await store.compact()
  await catchUp.pass()
  assert.equal(graph.timesOf(parseUrl(home)), undefined)
})

test('links that scripts wrote are known once what the browser saw has come, and gone when it saw them no more', async () => {
  const { store, catchUp, ask } = await opened()
  const shell = '<div id="root"></div><a href="/sent">Sent</a>'
  const keep = async (atMs: number, hrefs: readonly string[]): Promise<void> => {
    await store.append(pageCapture(home, atMs, shell))
    // The copy of the page is looked at before that of its account has come.
    await catchUp.pass()
    const links = hrefs.map((href) => ({ href, text: 'Made', isNoFollow: false }))
    const block = encodePageInfo({ url: home, title: '', links, parts: [] })
    const url = viewUrl(parseUrl(home), 'pageinfo')!
    await store.append({ url, targetUri: `urn:pageinfo:${home}`, capturedAtMs: atMs, contentType, block })
    await catchUp.pass()
  }
  const told = async () =>
    (await ask('from=http://a.test/')).links.map(({ to, text, gone }) => [to, text, gone?.slice(0, 4)]).sort()
  await keep(first!, ['http://b.test/made', 'http://a.test/sent'])
  assert.deepEqual(await told(), [
    ['http://a.test/sent', 'Sent', undefined],
    ['http://b.test/made', 'Made', undefined],
  ])
  await keep(second!, ['http://c.test/new'])
  assert.deepEqual(await told(), [
    ['http://a.test/sent', 'Sent', undefined],
    ['http://b.test/made', 'Made', '2021'],
    ['http://c.test/new', 'Made', undefined],
  ])
})

test('a page that is gone has no links any more, but had', async () => {
  const { store, catchUp, ask } = await opened()
  await store.append(pageCapture(home, first!, '<a href="http://b.test/">B</a>'))
  await store.append(pageCapture(home, second!, 'gone', { status: 404 }))
  await catchUp.pass()
  const [link] = (await ask('from=http://a.test/')).links
  assert.equal(link?.gone, new Date(second!).toISOString())
  assert.equal(link?.lastSeen, new Date(first!).toISOString())
})

test('a question that is none is refused with what to say', async () => {
  const { ask } = await opened()
  for (const query of [
    '',
    'from=http://a.test/&to=http://b.test/',
    'to=http://a.test/&limit=0',
    'to=http://a.test/&at=x',
  ])
    assert.equal((await ask(query)).status, 400, query)
})
