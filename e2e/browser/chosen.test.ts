// Where a browser is used is said by rules for sites and by watches, too: a real peer whose setting says never keeps what a page's script
// fetches when one of them says so, keeps it no more when one says never, and `explain` names the rule.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { onTestFinished, test } from 'vitest'
import { openStore } from '../../src/app/store/store-library.ts'
import { viewOf } from '../../src/formats/warc/page-views.ts'
import { startPeer } from '../api/peer.ts'
import { chromiumExecutable } from '../chromium.ts'
import { polyhistor, temporaryFolder } from '../command.ts'
import { startOrigin, type TestOrigin } from '../crawl/origin.ts'
import { until } from '../network/until.ts'

const timeout = 900_000

/** Its address is put together, so that nobody finds the data who does not run the script. */
const shell = `<!doctype html><title>Shell</title><div id="root"></div><script>
  fetch('/da' + 'ta.json').then((response) => response.json()).then(({ title }) => { document.title = title })</script>`

function site(): Promise<TestOrigin> {
  return startOrigin({
    '/': shell,
    '/data.json': (_, response) =>
      void response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"title":"Birds"}'),
  })
}

/** What was kept, by paths, robots.txt aside; and whether a browser showed a page. */
async function keptIn(home: string): Promise<{ paths: string[]; isShown: boolean }> {
  const store = await openStore(join(home, 'store'))
  try {
    const urls = [...store.scan({ kind: 'all' })].map(({ url }) => url)
    const paths = urls.filter((url) => viewOf(url) === undefined).map((url) => new URL(url).pathname)
    return {
      paths: [...new Set(paths.filter((path) => path !== '/robots.txt'))].sort(),
      isShown: urls.some((url) => viewOf(url)?.kind === 'pageinfo'),
    }
  } finally {
    await store.close()
  }
}

/** The peer's own setting stays `never`. */
async function startedPeer() {
  const home = await temporaryFolder()
  const peer = await startPeer(home, '--set', `crawl.browserPath=${await chromiumExecutable()}`)
  onTestFinished(() => void peer.stop('SIGKILL'))
  const asked = async <T>(...words: string[]): Promise<T> => {
    const { code, output, errors } = await polyhistor([...words, '--home', home, '--json'])
    assert.equal(code, 0, `${words.join(' ')}: ${errors}`)
    return JSON.parse(output) as T
  }
  const explained = async (url: string) => (await asked<{ browser: string }>('explain', url)).browser
  return { home, peer, asked, explained }
}

test('a rule for a site says whether its pages are shown, also against what the crawl asks for', {
  timeout,
}, async () => {
  const origin = await site()
  const page = origin.url('/')
  const { home, peer, asked, explained } = await startedPeer()
  const { hostname } = new URL(page)
  const crawl = (...words: string[]) => asked('crawl', page, '--scope', 'page', ...words)
  assert.equal(await explained(page), 'not used: the setting crawl.browser is never')

  await asked('rules', 'set', '--site', hostname, '--browser', 'never')
  await crawl('--browser', 'always')
  assert.deepEqual(origin.counts(), { '/': 1 })
  assert.equal(await explained(page), `not used: the rule for the site ${hostname} says never`)

  await asked('rules', 'set', '--site', hostname, '--browser', 'always')
  assert.equal(await explained(page), `would be used: the rule for the site ${hostname} says always`)
  await crawl()
  assert.deepEqual(origin.counts(), { '/': 2, '/data.json': 1 })

  // The narrower rule counts.
  await asked('rules', 'set', '--host', hostname, '--browser', 'auto')
  const auto = `would be used: scripts fill its element root (the rule for the host ${hostname} says auto)`
  assert.equal(await explained(page), auto)
  await peer.stop()
  assert.deepEqual(await keptIn(home), { paths: ['/', '/data.json'], isShown: true })
})

test.each([
  ['always', { paths: ['/', '/data.json'], isShown: true }],
  ['never', { paths: ['/'], isShown: false }],
] as const)('a watch that says %s has its page shown so', { timeout }, async (use, right) => {
  const origin = await site()
  const page = origin.url('/')
  const { home, peer, asked, explained } = await startedPeer()
  const { id } = await asked<{ id: string }>('watch', 'add', page, '--browser', use)
  const verdict = use === 'always' ? 'would be used' : 'not used'
  assert.equal(await explained(page), `${verdict}: the rule for ${page} says ${use}`)
  const seen = async () => (await asked<{ history: unknown[] }>('watch', 'show', id)).history.length
  await until('the watched page is archived', async () => (await seen()) > 0)
  if (right.isShown) await until('its script to ask', async () => origin.counts()['/data.json'] === 1)
  await asked('watch', 'remove', id)
  assert.equal(await explained(page), 'not used: the setting crawl.browser is never')
  await peer.stop()
  assert.deepEqual(await keptIn(home), right)
})
