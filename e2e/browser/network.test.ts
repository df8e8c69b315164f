// A page in the browser of one peer, with parts and frames on sites that other peers of its network crawl: these fetch them.

import assert from 'node:assert/strict'
import { onTestFinished, test } from 'vitest'
import { SimulatedRandom } from '../../src/platform/simulated/random.ts'
import { chromiumExecutable } from '../chromium.ts'
import { crawlLog } from '../crawl/crawling.ts'
import { type Handler, startOrigin } from '../crawl/origin.ts'
import { healed } from '../network/health.ts'
import { NetworkOfPeers } from '../network/network-of-peers.ts'
import { runWords } from '../ring/peer-process.ts'

const minutes = 60_000
const parts = [2, 3, 4, 5, 6, 7]
const allowed = { 'Content-Type': 'text/plain', 'Access-Control-Allow-Origin': '*' }
const once = { '/part.js': 1, '/frame': 1, '/inner.js': 1, '/api': 1 }

test(
  'parts of a page that lie on sites of other peers are fetched by these, once, and the page is whole',
  async () => {
    const script: Handler = (request, response) =>
      void response
        .writeHead(200, { 'Content-Type': 'text/javascript' })
        .end(`document.body.append('part of ${request.headers.host} ')`)
    const frame = '<!doctype html><title>Frame</title>in a frame<script src="inner.js"></script>'
    const answer: Handler = (request, response) => {
      request.on('data', (sent: Buffer) => void response.writeHead(200, allowed).end(`answer to ${sent}`))
    }
    const site = {
      ...{ '/part.js': script, '/inner.js': script, '/frame': frame, '/private': frame, '/api': answer },
      '/robots.txt': 'User-agent: *\nDisallow: /private',
    }
    const others = await Promise.all(parts.map((last) => startOrigin(site, { address: `127.0.0.${last}` })))
    const hosts = others.map((origin) => origin.url('/part.js'))
    const page = `<!doctype html><title>Parts</title><div id="root"></div><script>
      for (const host of ${JSON.stringify(hosts.map((href) => href.split('//')[1]))}) {
        const part = document.createElement('script')
        part.src = 'http:' + '//' + host
        document.body.append(part)
        for (const name of ['frame', 'private']) {
          const frame = document.createElement('iframe')
          frame.src = part.src.replace('part.js', name)
          document.body.append(frame)
        }
        fetch(part.src.replace('part.js', 'api'), { method: 'POST', body: 'q=1' })
          .then((response) => response.text()).then((text) => document.body.append(text))
      }</script>`
    const second = `<!doctype html><title>Second</title><div id="root"></div>${hosts.map((href) => `<script src="${href}"></script>`).join('')}`
    const origin = await startOrigin({ '/': `${page}<a href="/second">more</a>`, '/second': second })
    const words = [
      ...['--allow-address', '127.0.0.0/8', '--delay', '0', '--set', 'crawl.browser=always'],
      ...['--set', `crawl.browserPath=${await chromiumExecutable()}`, '--set', 'crawl.behaviours=no'],
    ]
    const network = await NetworkOfPeers.start({ peers: 3, words }, new SimulatedRandom('parts'))
    onTestFinished(() => network.removeFolder())
    await healed(network)
    const [first] = network.peers
    await runWords(['crawl', origin.url('/'), '--json', '--home', first!.home])
    for (const [index, other] of others.entries()) assert.deepEqual(other.counts(), once, hosts[index]!)
    const logs = await Promise.all(network.peers.map(({ home }) => crawlLog(home)))
    const shownOf = (path: string) =>
      logs.flat().findLast(({ url }) => url === origin.url(path))?.reason ?? ''
    assert.match(shownOf('/'), /24 parts kept, 6 refused, 0 failed$/)
    // What this crawl has is not fetched again for another page.
    assert.match(shownOf('/second'), /6 parts kept, 0 refused, 0 failed$/)
    assert.deepEqual(network.faults, [])
  },
  20 * minutes,
)
