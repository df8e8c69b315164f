// Pages that need a browser, on a network of which one peer has one: it shows them for the others, also when it is killed in the middle.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { onTestFinished, test } from 'vitest'
import { openStore } from '../../src/app/store/store-library.ts'
import { parseUrl } from '../../src/model/url/url.ts'
import { SimulatedRandom } from '../../src/platform/simulated/random.ts'
import { ArchivedRenderings } from '../../src/store/reading/rendered-pages.ts'
import { chromiumExecutable } from '../chromium.ts'
import { type Handler, startOrigin, type TestOrigin } from '../crawl/origin.ts'
import type { ArchivePeer } from '../network/archive-peer.ts'
import { healed } from '../network/health.ts'
import { NetworkOfPeers } from '../network/network-of-peers.ts'
import { runWords } from '../ring/peer-process.ts'

const minutes = 60_000
/** Of peer-2 alone. */
const lender = 'peer-2'
/** Which peer leads a site is chance: half of them would be the lender's, at the most. */
const sitesMax = 40
const shell = '<!doctype html><title>App</title><div id="root"></div><script src="/app.js"></script>'
const app: Handler = (_, response) =>
  void response.writeHead(200, { 'Content-Type': 'text/javascript' }).end(`
    const get = fetch('/data.json').then((answer) => answer.text())
    const post = fetch('/search', { method: 'POST', body: 'q=1' }).then((answer) => answer.text())
    Promise.all([get, post]).then((texts) => {
      root.innerHTML = texts.join(' ') + ' <a href="/made">made</a>'
    })`)
const data: Handler = (_, response) =>
  void response.writeHead(200, { 'Content-Type': 'application/json' }).end('"kept"')
const search: Handler = (_, response) =>
  void response.writeHead(200, { 'Content-Type': 'application/json' }).end('"sent"')
const made = '<!doctype html><title>Made</title><p>A page that only a script links to.</p>'
const pages = { '/': shell, '/app.js': app, '/data.json': data, '/search': search, '/made': made }

async function crawled(peer: ArchivePeer, origin: TestOrigin): Promise<string> {
  await runWords(['crawl', origin.url('/'), '--json', '--home', peer.home]).catch(() => '')
  const [first] = origin.arrivals.filter(({ path }) => path === '/')
  return String(first?.headers['user-agent'])
}

/** Until the leader of one is another than the lender. */
async function lentSite(peer: ArchivePeer, start: (address: string) => Promise<TestOrigin>, from: number) {
  for (let last = from; last < from + sitesMax; last++) {
    const origin = await start(`127.0.0.${last}`)
    const leader = await crawled(peer, origin)
    if (leader !== lender) return { origin, leader }
  }
  throw new Error('the lender leads all sites')
}

test(
  'a page of a peer without a browser is shown by one that has one, its leader alone asks its servers, and a kill in mid-page costs nothing',
  async () => {
    const browserPath = `crawl.browserPath=${await chromiumExecutable()}`
    const network = await NetworkOfPeers.start(
      {
        peers: 3,
        words: ['--allow-address', '127.0.0.0/8', '--delay', '0', '--set', 'crawl.behaviours=no'],
        wordsOf: (number) =>
          number === 2
            ? ['--set', 'crawl.browser=auto', '--set', browserPath]
            : ['--set', 'crawl.browser=never'],
      },
      new SimulatedRandom('lent'),
    )
    onTestFinished(() => network.removeFolder())
    await healed(network)
    const [asker, , last] = network.peers
    const calm = await lentSite(asker!, (address) => startOrigin(pages, { address }), 2)
    assert.deepEqual(calm.origin.counts(), {
      ...{ '/': 1, '/app.js': 1, '/data.json': 1, '/search': 1, '/made': 1 },
    })

    const killed = Promise.withResolvers<void>()
    let isKilled = false
    const deadly: Handler = (request, response) => {
      if (request.headers['user-agent'] === lender || isKilled) return data(request, response)
      isKilled = true
      void last!.kill().then(async () => {
        data(request, response)
        await last!.start()
        killed.resolve()
      })
    }
    const wild = await lentSite(
      asker!,
      (address) => startOrigin({ ...pages, '/data.json': deadly }, { address }),
      50,
    )
    await killed.promise
    for (const { origin, leader } of [calm, wild]) {
      for (const { path, headers } of origin.arrivals)
        assert.equal(headers['user-agent'], leader, `${path} was asked for by its leader`)
    }
    await network.end()
    for (const { origin, leader } of [calm, wild]) {
      const { home } = network.peers.find(({ name }) => name === leader)!
      const store = await openStore(join(home, 'store'))
      try {
        const renderings = new ArchivedRenderings(store)
        const url = parseUrl(origin.url('/'))
        const rendered = await renderings.before(url, Date.UTC(9999, 0))
        assert.equal(rendered?.text, '"kept" "sent" made')
        const info = await renderings.infoAt(url, rendered.capturedAtMs)
        assert.ok(info?.shownBy, 'who showed it is told')
        assert.deepEqual(
          info.parts.map(({ name, fate }) => [name.replace(origin.origin, ''), fate]),
          [
            ['POST /search', 'kept'],
            ['/app.js', 'kept'],
            ['/data.json', 'kept'],
          ],
        )
      } finally {
        await store.close()
      }
    }
    assert.deepEqual(network.faults, [])
  },
  20 * minutes,
)
