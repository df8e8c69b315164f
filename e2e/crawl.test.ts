// The crawler as a whole: real processes, real sockets, and the origin's log as the witness.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, onTestFinished, test } from 'vitest'
import { PoliteWeb } from '../bench/crawl/polite-web.ts'
import { politenessDefault, politenessOff } from '../src/app/crawl/crawler.ts'
import { fetchLimits } from '../src/crawl/fetch/limits.ts'
import { until } from '../src/platform/fixtures/until.ts'
import { behaviours } from '../src/platform/real/fixtures/hostile-behaviours.ts'
import { HostileOrigin } from '../src/platform/real/fixtures/hostile-origin.ts'
import { polyhistor, root, temporaryFolder } from './command.ts'
import { crawlHere } from './crawl/crawler.ts'
import { archivedPaths, captures, crawl, crawlLog, here, startCrawl } from './crawl/crawling.ts'
import { type Handler, type Pages, page, startOrigin } from './crawl/origin.ts'

/** A site of so many pages, each with links to some others. */
function siteOf(count: number): Pages {
  const path = (number: number) => (number === 0 ? '/' : `/page-${number}`)
  const links = (number: number) => [2 * number + 1, 2 * number + 2, number * 7].map((to) => path(to % count))
  return Object.fromEntries(
    Array.from({ length: count }, (_, number) => [path(number), `${page(...links(number))}${number}`]),
  )
}

/** Every answer waits, so that a crawl can be caught in the middle. */
function slowly(pages: Pages, ms: number): Pages {
  const slow = (body: string): Handler => {
    return (_request, response) => {
      const answer = () => response.writeHead(200, { 'Content-Type': 'text/html' }).end(body)
      setTimeout(answer, ms)
    }
  }
  return Object.fromEntries(Object.entries(pages).map(([path, body]) => [path, slow(body as string)]))
}

const once = (paths: string[]) => Object.fromEntries(paths.map((path) => [path, 1]))

describe('a crawl is complete', () => {
  test('everything that can be reached is fetched once and archived', async () => {
    const pages = siteOf(120)
    const origin = await startOrigin(pages)
    const home = await temporaryFolder()
    const summary = await crawl(home, origin.url('/'))
    assert.equal(summary.new, 120)
    assert.deepEqual(origin.counts(), once(Object.keys(pages)))
    assert.deepEqual(await archivedPaths(home), Object.keys(pages).sort())
    assert.equal((await crawlLog(home, '--outcome', 'new')).length, 120)
  })

  test('killed in the middle, the same command goes on; only what was under way is fetched twice', async () => {
    const pages = siteOf(150)
    const concurrency = 8
    const origin = await startOrigin(slowly(pages, 10))
    const home = await temporaryFolder()
    const words = [origin.url('/'), '--concurrency', String(concurrency)]
    for (const atArrivals of [40, 90]) {
      const running = startCrawl(home, ...words)
      await until(`${atArrivals} requests`, () => origin.arrivals.length >= atArrivals)
      running.stop('SIGKILL')
      assert.equal(await running.ended, 'SIGKILL')
    }
    await crawl(home, ...words)
    const counts = origin.counts()
    assert.deepEqual(Object.keys(counts).sort(), Object.keys(pages).sort())
    assert.deepEqual([...new Set(await archivedPaths(home))], Object.keys(pages).sort())
    const again = Object.values(counts).reduce((sum, count) => sum + count - 1, 0)
    assert.ok(again <= 2 * concurrency, `${again} were fetched again`)
  })

  test('Ctrl-C pauses: nothing is fetched twice', async () => {
    const pages = siteOf(100)
    const origin = await startOrigin(slowly(pages, 10))
    const home = await temporaryFolder()
    const words = [origin.url('/'), '--concurrency', '4']
    const running = startCrawl(home, ...words)
    await until('40 requests', () => origin.arrivals.length >= 40)
    running.stop('SIGINT')
    assert.equal(await running.ended, 130)
    assert.ok(origin.arrivals.length < 100)
    await crawl(home, ...words)
    assert.deepEqual(origin.counts(), once(Object.keys(pages)))
    assert.deepEqual(await archivedPaths(home), Object.keys(pages).sort())
  })
})

describe('a page that is visited again', () => {
  test('is a revisit when it has not changed, a version when it has, and its links are followed either way', async () => {
    const withTag = (tag: string, body: string): Handler => {
      return (request, response) => {
        const isKnown = request.headers['if-none-match'] === tag
        response.writeHead(isKnown ? 304 : 200, { 'Content-Type': 'text/html', ETag: tag })
        response.end(isKnown ? undefined : body)
      }
    }
    const long = Array.from({ length: 400 }, (_, number) => `sentence ${number} of the page`).join('. ')
    const origin = await startOrigin({
      '/': withTag('"1"', page('/tagged', '/plain', '/changing')),
      '/tagged': withTag('"2"', page('/below-tagged')),
      '/plain': page('/below-plain'),
      '/changing': `${page()}${long} one`,
      '/below-tagged': page(),
      '/below-plain': `${page()} other`,
    })
    const home = await temporaryFolder()
    assert.equal((await crawl(home, origin.url('/'))).new, 6)
    origin.pages['/changing'] = `${page('/new')}${long} two`
    origin.pages['/new'] = `${page()} new`
    origin.arrivals.length = 0
    const again = await crawl(home, origin.url('/'))
    assert.deepEqual([again.new, again.changed, again.same, again.failed], [1, 1, 5, 0])
    assert.deepEqual(origin.counts(), once(Object.keys(origin.pages)))
    const kinds = new Map<string, string[]>()
    for (const { url, kind } of await captures(home)) {
      const { pathname } = new URL(url)
      kinds.set(pathname, [...(kinds.get(pathname) ?? []), kind])
    }
    assert.deepEqual(kinds.get('/'), ['full', 'not-modified'])
    assert.deepEqual(kinds.get('/tagged'), ['full', 'not-modified'])
    assert.deepEqual(kinds.get('/plain'), ['full', 'same'])
    assert.deepEqual(kinds.get('/changing'), ['full', 'delta'])
    const got = await polyhistor(['get', origin.url('/changing'), '--home', home])
    assert.equal(got.output, origin.pages['/changing'])
  })

  test('is fetched whole when it broke off the last time', async () => {
    let asked = 0
    const breaking: Handler = (request, response) => {
      if (request.headers['if-none-match'] !== undefined) return response.writeHead(304).end()
      response.writeHead(200, { 'Content-Type': 'text/html', ETag: '"1"' })
      if (asked++ > 0) response.end('all of it')
      else response.write('all of', () => response.destroy())
    }
    const origin = await startOrigin({ '/': breaking })
    const home = await temporaryFolder()
    await crawl(home, origin.url('/'))
    assert.equal((await crawl(home, origin.url('/'))).changed, 1)
    const got = await polyhistor(['get', origin.url('/'), '--home', home])
    assert.equal(got.output, 'all of it')
  })

  test('is asked for conditionally every time, and its links are found, however little a 304 says', async () => {
    const conditions: unknown[] = []
    const bare: Handler = (request, response) => {
      const condition = request.headers['if-none-match']
      conditions.push(condition)
      if (condition !== undefined) return response.writeHead(304).end()
      const headers = { 'Content-Type': 'text/html', 'Content-Encoding': 'gzip', ETag: '"1"' }
      response.writeHead(200, headers).end(gzipSync(page('/below')))
    }
    const origin = await startOrigin({ '/': bare, '/below': page() })
    const home = await temporaryFolder()
    for (let visit = 0; visit < 4; visit++) {
      origin.arrivals.length = 0
      await crawl(home, origin.url('/'))
      assert.deepEqual(origin.counts(), once(['/', '/below']), `visit ${visit}`)
    }
    assert.deepEqual(conditions, [undefined, '"1"', '"1"', '"1"'])
    const kinds = (await captures(home)).filter(({ url }) => url === origin.url('/')).map(({ kind }) => kind)
    assert.deepEqual(kinds, ['full', 'not-modified', 'not-modified', 'not-modified'])
  })
})

describe('how far a crawl goes', () => {
  const site = () => ({
    '/': page('/a/1', '/b/1', 'http://127.0.0.2:1/'),
    '/a/': page('/a/1', '/b/1'),
    '/a/1': `${page('/a/2', '/b/1')}<img src="/picture.png"><link rel=stylesheet href="/style.css">`,
    '/a/2': page('/a/3'),
    '/a/3': page(),
    '/b/1': page('/b/2'),
    '/b/2': page(),
    '/picture.png': ((_request, response) =>
      response.writeHead(200, { 'Content-Type': 'image/png' }).end('not much')) as Handler,
    '/style.css': ((_request, response) =>
      response
        .writeHead(200, { 'Content-Type': 'text/css' })
        .end('body { background: url(/back.png) }')) as Handler,
    '/back.png': ((_request, response) =>
      response.writeHead(200, { 'Content-Type': 'image/png' }).end('a background')) as Handler,
  })
  const requisites = ['/back.png', '/picture.png', '/style.css']

  test.each([
    ['--scope page', '/a/1', ['/a/1', ...requisites]],
    ['--scope prefix', '/a/', ['/a/', '/a/1', '/a/2', '/a/3', ...requisites]],
    ['--scope host', '/', ['/', '/a/1', '/a/2', '/a/3', '/b/1', '/b/2', ...requisites]],
    ['--depth 1', '/', ['/', '/a/1', '/b/1', ...requisites]],
    ['--include /a/', '/a/1', ['/a/1', '/a/2', '/a/3', ...requisites]],
    ['--exclude /b/', '/', ['/', '/a/1', '/a/2', '/a/3', ...requisites]],
    ['--types html', '/', ['/', '/a/1', '/a/2', '/a/3', '/b/1', '/b/2']],
  ])('%s', async (words, start, expected) => {
    const origin = await startOrigin(site())
    const home = await temporaryFolder()
    await crawl(home, origin.url(start), ...words.split(' '))
    assert.deepEqual(Object.keys(origin.counts()).sort(), expected.toSorted())
    assert.deepEqual(await archivedPaths(home), expected.toSorted())
  })

  test('--pages ends it at so many pages', async () => {
    const origin = await startOrigin(siteOf(60))
    const home = await temporaryFolder()
    const summary = await crawl(home, origin.url('/'), '--pages', '10')
    assert.equal(summary.fetched, 10)
    assert.equal(Object.keys(origin.counts()).length, 10)
  })

  test('--sitemaps finds pages that nothing links to', async () => {
    const origin = await startOrigin({ '/': page(), '/hidden': page() })
    const { origin: base } = origin
    origin.pages['/robots.txt'] = (_request, response) =>
      response.writeHead(200, { 'Content-Type': 'text/plain' }).end(`Sitemap: ${base}/map.xml\n`)
    origin.pages['/map.xml'] = (_request, response) =>
      response
        .writeHead(200, { 'Content-Type': 'application/xml' })
        .end(
          `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>${base}/hidden</loc></url></urlset>`,
        )
    const home = await temporaryFolder()
    await crawl(home, origin.url('/'))
    assert.deepEqual(origin.counts(), { '/': 1 })
    await crawl(await temporaryFolder(), origin.url('/'), '--sitemaps')
    assert.deepEqual(origin.counts(), { '/': 2, '/map.xml': 1, '/hidden': 1 })
  })
})

describe('what a site asks for', () => {
  test('noarchive is not kept, nofollow is not followed, disallowed is not asked for', async () => {
    const origin = await startOrigin({
      '/robots.txt': 'User-agent: *\nDisallow: /private\nAllow: /private/open\n',
      '/': page('/secret', '/dead-end', '/private/1', '/private/open'),
      '/secret': `<meta name=robots content=noarchive>${page('/from-secret')}`,
      '/dead-end': `<meta name=robots content=nofollow>${page('/never')}`,
      '/from-secret': page(),
      '/private/open': page(),
    })
    const home = await temporaryFolder()
    await crawl(home, origin.url('/'))
    assert.deepEqual(origin.counts(), once(['/', '/secret', '/dead-end', '/private/open', '/from-secret']))
    assert.deepEqual(await archivedPaths(home), ['/', '/dead-end', '/from-secret', '/private/open'])
    const log = await crawlLog(home)
    const said = (path: string) => log.find(({ url }) => url === origin.url(path))
    assert.equal(said('/secret')?.outcome, 'not-kept')
    assert.equal(said('/private/1')?.outcome, 'refused')
    assert.match(said('/private/1')?.reason ?? '', /robots\.txt: line 2: Disallow: \/private/)
    await crawl(home, origin.url('/'), '--ignore-robots')
    assert.equal(origin.counts()['/never'], 1)
    assert.equal(origin.counts()['/private/1'], 1)
  })
})

describe('addresses and certificates', () => {
  test('loopback is refused unless it is allowed, and the log says so', async () => {
    const origin = await startOrigin({ '/': page() })
    const home = await temporaryFolder()
    const words = ['crawl', origin.url('/'), '--delay', '0', '-q', '--home', home, '--json']
    const refused = await polyhistor(words)
    assert.equal(JSON.parse(refused.output).refused, 1)
    assert.equal(refused.code, 1)
    assert.match(
      refused.errors,
      /Nothing was kept\. .*: the address is not allowed .*loopback.*--allow-address/,
    )
    assert.equal(origin.arrivals.length, 0)
    const [line] = await crawlLog(home)
    assert.equal(line?.outcome, 'refused')
    assert.match(line?.reason ?? '', /loopback/)
  })

  test('a redirect to an address that is not allowed is refused as well', async () => {
    const other = await startOrigin({ '/': page() }, { address: '127.0.0.9' })
    const origin = await startOrigin({
      '/': (_request, response) => response.writeHead(302, { Location: other.url('/') }).end(),
    })
    const home = await temporaryFolder()
    const words = ['crawl', origin.url('/'), '--scope', 'any', '--delay', '0', '-q', '--json', '--home', home]
    await polyhistor([...words, '--allow-address', '127.0.0.1/32'])
    assert.equal(other.arrivals.length, 0)
    assert.deepEqual(
      (await crawlLog(home)).map(({ url, outcome }) => [url, outcome]),
      [
        [origin.url('/'), 'new'],
        [other.url('/'), 'refused'],
      ],
    )
  })

  test('a certificate that nobody vouches for is taken only with --insecure, and noted', async () => {
    const certificates = join(root, 'src/platform/real/fixtures/certificates')
    const read = (name: string) => readFileSync(join(certificates, name))
    const tls = { cert: read('self-signed.pem'), key: read('self-signed.key.pem') }
    const origin = await startOrigin({ '/': page() }, { tls })
    const words = ['crawl', origin.url('/'), ...here, '--ignore-robots', '--home']
    const home = await temporaryFolder()
    assert.equal(JSON.parse((await polyhistor([...words, home])).output).failed, 1)
    assert.equal((await crawlLog(home))[0]?.code, 'tls-failed')
    assert.deepEqual(await archivedPaths(home), [])
    const otherHome = await temporaryFolder()
    assert.equal(JSON.parse((await polyhistor([...words, otherHome, '--insecure'])).output).new, 1)
    assert.deepEqual(await archivedPaths(otherHome), ['/'])
  })
})

describe('politeness', () => {
  test('robots.txt, crawl-delay, Retry-After and slow hosts: no breach in the log of the hosts', async () => {
    const rules = {
      ...politenessDefault,
      delayMsMin: 20,
      delayMsMax: 600,
      addressDelayMs: 15,
      backOffMsFirst: 100,
    }
    const web = await PoliteWeb.start(10, 45, rules)
    onTestFinished(() => web.stop())
    const events = await crawlHere(await temporaryFolder(), web.starts, { politeness: rules })
    assert.deepEqual(web.breaches(), [])
    const fetched = new Set(events.filter(({ status }) => status === 200).map(({ url }) => url))
    assert.deepEqual(
      web.allowed.filter((url) => !fetched.has(url)),
      [],
    )
  })
})

describe('hostile servers', () => {
  test('every URL ends in an outcome that says why, and the good pages are all archived', async () => {
    const hostile = await new HostileOrigin(undefined).listen()
    onTestFinished(() => hostile.close())
    const bombs = ['gzip', 'br', 'zstd'].map((coding) => hostile.url(`bomb?coding=${coding}`))
    const paths = [...Object.keys(behaviours).map((name) => hostile.url(name)), ...bombs]
    const to = (path: string): Handler => {
      return (_request, response) => response.writeHead(302, { Location: path }).end()
    }
    const chain = Array.from({ length: 60 }, (_, number) => [`/chain-${number}`, to(`/chain-${number + 1}`)])
    const loops = { '/self': to('/self'), '/there': to('/back'), '/back': to('/there') }
    const good = Array.from({ length: 20 }, (_, number) => `/good-${number}`)
    const binary: Handler = (_request, response) =>
      response
        .writeHead(200, { 'Content-Type': 'text/html' })
        .end(Buffer.alloc(100_000, '<\0a\xff>', 'latin1'))
    const origin = await startOrigin({
      '/': page(...paths, ...good, '/binary', '/one-line', '/self', '/there', '/chain-0'),
      ...loops,
      ...Object.fromEntries(chain),
      ...Object.fromEntries(good.map((path) => [path, `${page('/good-after')}${path}`])),
      '/good-after': page(),
      '/binary': binary,
      '/one-line': 'a '.repeat(2_000_000),
    })
    const home = await temporaryFolder()
    const events = await crawlHere(home, [origin.url('/')], {
      obeysRobots: false,
      // Long enough for good pages also on a machine that has other things to do.
      limits: { ...fetchLimits, stallMsMax: 2_000, totalMsMax: 6_000, bodyBytesMax: 1_000_000 },
      politeness: {
        ...politenessOff,
        backOffMsFirst: 1,
        backOffMsMax: 1,
        failuresMax: 1_000_000,
        attemptsMax: 2,
      },
    })
    const last = new Map(events.map((event) => [event.url, event]))
    for (const path of paths) {
      const { outcome, status, code, reason } = last.get(path) ?? {}
      if (outcome === 'failed') assert.ok(code && reason, path)
      else assert.ok(outcome === 'new' || outcome === 'same' || outcome === 'changed', `${path}: ${outcome}`)
      if (outcome !== 'failed') assert.ok(status !== undefined, path)
    }
    // Each is asked for once, however it is come by; a chain without end is left at some point.
    for (const path of Object.keys(loops)) assert.equal(origin.counts()[path], 1, path)
    const followed = Object.keys(origin.counts()).filter((path) => path.startsWith('/chain-')).length
    assert.ok(followed > 5 && followed < 60, `${followed} redirects of the chain were followed`)
    const archived = new Set((await captures(home)).map(({ url }) => url))
    for (const path of [...good, '/good-after', '/binary', '/one-line'])
      assert.ok(archived.has(origin.url(path)), path)
  })
})
