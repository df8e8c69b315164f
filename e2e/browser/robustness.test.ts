// `polyhistor crawl --browser` where there is no browser, and where the crawl is killed in the midst of a page.

import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'vitest'
import { openStore } from '../../src/app/store/store-library.ts'
import { exitCodes } from '../../src/cli/exit-codes.ts'
import { parseUrl } from '../../src/model/url/url.ts'
import { until } from '../../src/platform/fixtures/until.ts'
import { browsersOn } from '../../src/platform/real/browser/leftovers.ts'
import { ArchivedRenderings } from '../../src/store/reading/rendered-pages.ts'
import { chromiumExecutable } from '../chromium.ts'
import { polyhistor, temporaryFolder } from '../command.ts'
import { archivedPaths, crawl, crawlLog, here, startCrawl } from '../crawl/crawling.ts'
import { type Handler, startOrigin } from '../crawl/origin.ts'

const timeout = 900_000
const page = '<!doctype html><title>App</title><div id="root"></div><script src="/app.js"></script>'
const script: Handler = (_, response) =>
  void response.writeHead(200, { 'Content-Type': 'text/javascript' }).end(`root.textContent = 'done'`)

test('without a browser pages are kept all the same; only who asks for one in so many words is refused', {
  timeout,
}, async () => {
  const origin = await startOrigin({ '/': page, '/app.js': script })
  const none = ['--set', 'crawl.browserPath=/no/such/browser']
  const home = await temporaryFolder()
  const words = ['crawl', origin.url('/'), ...here, ...none, '--home', home]
  const required = await polyhistor([...words, '--browser', 'always'])
  assert.equal(required.code, exitCodes.unavailable)
  assert.match(
    required.errors,
    /There is no browser at \/no\/such\/browser: see the setting crawl.browserPath/,
  )
  assert.deepEqual(origin.counts(), {})
  const wished = await polyhistor([...words, '--set', 'crawl.browser=always'])
  assert.equal(wished.code, exitCodes.partly, wished.errors)
  assert.deepEqual(await archivedPaths(home), ['/', '/app.js'])
  const line = (await crawlLog(home)).find(({ url }) => url === origin.url('/'))
  assert.deepEqual([line?.outcome, line?.code], ['new', 'no-browser'])
})

test.skipIf(process.platform !== 'linux')(
  'killed in the midst of a page: nothing of the browser is left, and the page is shown again',
  { timeout },
  async () => {
    const asked = Promise.withResolvers<void>()
    const hold: Handler = () => asked.resolve()
    const origin = await startOrigin({ '/': page, '/app.js': hold })
    const home = await temporaryFolder()
    const words = [
      origin.url('/'),
      '--browser',
      'always',
      '--set',
      `crawl.browserPath=${await chromiumExecutable()}`,
    ]
    const killed = startCrawl(home, ...words)
    await asked.promise
    killed.stop('SIGKILL')
    assert.equal(await killed.ended, 'SIGKILL')
    assert.deepEqual(await archivedPaths(home), ['/'])
    assert.deepEqual(await renderedTexts(home, origin.url('/')), [], 'nothing counts as seen')
    origin.pages = { '/': page, '/app.js': script }
    await crawl(home, ...words)
    assert.deepEqual(await archivedPaths(home), ['/', '/', '/app.js'])
    assert.deepEqual(await renderedTexts(home, origin.url('/')), ['done'])
    const profiles = join(home, 'crawl', 'browser', 'profile-')
    await until('no browser to be left', async () => (await browsersOn(profiles)).length === 0, 50)
    assert.deepEqual(await readdir(join(home, 'crawl', 'browser')), [])
  },
)

test.skipIf(process.platform !== 'linux')(
  'a browser killed in the midst of a page: it is started again, and the page is kept whole, with one account of it',
  { timeout },
  async () => {
    const home = await temporaryFolder()
    const profiles = join(home, 'crawl', 'browser', 'profile-')
    let isKilled = false
    const deadly: Handler = (request, response) => {
      if (isKilled) return script(request, response)
      isKilled = true
      void browsersOn(profiles).then((pids) => {
        assert(pids.length > 0)
        for (const pid of pids) end(pid)
        script(request, response)
      })
    }
    const origin = await startOrigin({ '/': page, '/app.js': deadly })
    const path = `crawl.browserPath=${await chromiumExecutable()}`
    await crawl(home, origin.url('/'), '--browser', 'always', '--set', path)
    assert(isKilled)
    assert.deepEqual(await archivedPaths(home), ['/', '/app.js'])
    assert.deepEqual(await renderedTexts(home, origin.url('/')), ['done'])
    const told = (await crawlLog(home)).find(({ url }) => url === origin.url('/'))
    assert.match(told?.reason ?? '', /1 parts kept, 0 refused, 0 failed$/)
  },
)

/** What browsers read of a page, of each of its captures that has it. */
async function renderedTexts(home: string, href: string): Promise<string[]> {
  const store = await openStore(join(home, 'store'))
  try {
    const renderings = new ArchivedRenderings(store)
    const versions = [...store.versions(parseUrl(href))]
    const found = await Promise.all(
      versions.map(({ capturedAtMs }) => renderings.at(parseUrl(href), capturedAtMs)),
    )
    return found.flatMap((rendered) => (rendered === undefined ? [] : [rendered.text]))
  } finally {
    await store.close()
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended with another of them.
  }
}
