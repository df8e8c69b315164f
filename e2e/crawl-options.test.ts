// The options of `polyhistor crawl` one by one, good and bad, as a person gives them.

import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, test } from 'vitest'
import { exitCodes } from '../src/cli/exit-codes.ts'
import { until } from '../src/platform/fixtures/until.ts'
import { polyhistor, temporaryFolder } from './command.ts'
import { archivedPaths, crawl, crawlLog, here, startCrawl } from './crawl/crawling.ts'
import { type Handler, page, startOrigin } from './crawl/origin.ts'

function typed(type: string, body: string | Buffer): Handler {
  return (_request, response) => response.writeHead(200, { 'Content-Type': type }).end(body)
}

describe('how far', () => {
  test('--scope site takes in the other ports of a host, and no other host', async () => {
    const outside = await startOrigin({ '/': page() }, { address: '127.0.0.2' })
    const other = await startOrigin({ '/other': page('/beyond'), '/beyond': page() })
    const origin = await startOrigin({ '/': page(other.url('/other'), outside.url('/')) })
    await crawl(await temporaryFolder(), origin.url('/'), '--scope', 'site')
    assert.deepEqual(other.counts(), { '/other': 1, '/beyond': 1 })
    assert.deepEqual(outside.counts(), {})
  })

  test('--bytes ends it when so much has come, and says so', async () => {
    const paths = Array.from({ length: 30 }, (_, number) => `/${number}`)
    const origin = await startOrigin({
      '/': page(...paths),
      ...Object.fromEntries(paths.map((path) => [path, `${page()}${path.repeat(5_000)}`])),
    })
    const home = await temporaryFolder()
    const words = ['crawl', origin.url('/'), '--bytes', '30kB', '--concurrency', '1', ...here]
    const { code, output } = await polyhistor([...words, '--home', home])
    assert.equal(code, 0)
    const { state, ending, bytes, fetched } = JSON.parse(output)
    assert.deepEqual([state, ending], ['done', 'budget of 30000 bytes is spent'])
    // What is under way when the budget is spent still counts.
    assert.ok(bytes >= 30_000 && bytes < 60_000, `${bytes}`)
    assert.equal(origin.arrivals.filter(({ path }) => path !== '/robots.txt').length, fetched)
  })

  test('--time ends it, however much is left', async () => {
    const origin = await startOrigin({ '/': page('/a'), '/a': page() })
    // The next page may not be asked for within the time.
    const words = ['crawl', origin.url('/'), '--time', '300ms', '--delay', '60000', '-q', '--json']
    const { code, output } = await polyhistor([
      ...words,
      ...['--allow-address', '127.0.0.0/8', '--ignore-robots', '--home', await temporaryFolder()],
    ])
    assert.equal(code, 0)
    assert.match(JSON.parse(output).ending, /300 ms is spent/)
    assert.deepEqual(origin.counts(), { '/': 1 })
  })

  test('--types keeps what it names; pages are read all the same', async () => {
    const origin = await startOrigin({
      '/': `${page('/below', '/paper.pdf')}<img src="/a.png"><link rel=stylesheet href="/a.css">`,
      '/below': `${page()}<img src="/b.png">`,
      '/a.png': typed('image/png', 'picture a'),
      '/b.png': typed('image/png', 'picture b'),
      '/a.css': typed('text/css', 'body {}'),
      '/paper.pdf': typed('application/pdf', '%PDF'),
    })
    const images = await temporaryFolder()
    await crawl(images, origin.url('/'), '--types', 'image')
    assert.deepEqual(await archivedPaths(images), ['/a.png', '/b.png'])
    const both = await temporaryFolder()
    await crawl(both, origin.url('/'), '--types', 'html,image')
    assert.deepEqual(await archivedPaths(both), ['/', '/a.png', '/b.png', '/below'])
    assert.equal(origin.counts()['/a.css'], undefined)
  })

  test('--sitemaps follows an index to maps, also gzipped ones', async () => {
    const origin = await startOrigin({ '/': page(), '/one': page(), '/two': page() })
    const map = (path: string) => `<urlset><url><loc>${origin.url(path)}</loc></url></urlset>`
    const index = ['/a.xml', '/b.xml.gz'].map((path) => `<sitemap><loc>${origin.url(path)}</loc></sitemap>`)
    origin.pages['/robots.txt'] = typed('text/plain', `Sitemap: ${origin.url('/index.xml')}\n`)
    origin.pages['/index.xml'] = typed('text/xml', `<sitemapindex>${index.join('')}</sitemapindex>`)
    origin.pages['/a.xml'] = typed('application/xml', map('/one'))
    origin.pages['/b.xml.gz'] = typed('application/gzip', gzipSync(map('/two')))
    await crawl(await temporaryFolder(), origin.url('/'), '--sitemaps')
    const asked = Object.keys(origin.counts()).sort()
    assert.deepEqual(asked, ['/', '/a.xml', '/b.xml.gz', '/index.xml', '/one', '/two'])
  })
})

describe('where from', () => {
  test('--seeds reads a file, or standard input; comments and empty lines aside', async () => {
    const origin = await startOrigin({ '/a': page(), '/b': page() })
    const seeds = `# to be crawled\n\n${origin.url('/a')}\n  ${origin.url('/b')}  \n`
    const common = ['crawl', '--scope', 'page', ...here, '--home']
    const home = await temporaryFolder()
    const piped = await polyhistor([...common, home, '--seeds', '-'], { input: seeds })
    assert.equal(piped.code, 0, piped.errors)
    assert.deepEqual(await archivedPaths(home), ['/a', '/b'])
    const file = join(home, 'seeds.txt')
    await writeFile(file, seeds.replaceAll('\n', '\r\n'))
    const fromFile = await polyhistor([...common, home, '--seeds', file])
    assert.equal(JSON.parse(fromFile.output).same, 2)
  })

  test('the same command resumes also when its seeds come from standard input', async () => {
    const paths = Array.from({ length: 40 }, (_, number) => `/${number}`)
    const slow: Handler = (_request, response) => {
      setTimeout(() => response.writeHead(200, { 'Content-Type': 'text/html' }).end(page()), 20)
    }
    const origin = await startOrigin({
      '/': page(...paths),
      ...Object.fromEntries(paths.map((path) => [path, slow])),
    })
    const home = await temporaryFolder()
    const running = startCrawl(home, origin.url('/'), '--concurrency', '2')
    await until('more than ten requests', () => origin.arrivals.length > 10)
    running.stop('SIGTERM')
    assert.equal(await running.ended, 130)
    const words = ['crawl', '--concurrency', '2', ...here, '--home', home, '--seeds', '-']
    const resumed = await polyhistor(words, { input: `${origin.url('/')}\n` })
    assert.equal(resumed.code, 0, resumed.errors)
    assert.deepEqual(new Set(Object.values(origin.counts())), new Set([1]))
    assert.equal(Object.keys(origin.counts()).length, 41)
  })
})

test('a page that first told us to come later is new, not changed, when it answers', async () => {
  let asked = 0
  const later: Handler = (_request, response) => {
    if (++asked > 1) response.writeHead(200, { 'Content-Type': 'text/html' }).end(page())
    else response.writeHead(429, { 'Retry-After': '1' }).end('later')
  }
  const origin = await startOrigin({ '/': later })
  const home = await temporaryFolder()
  const { fetched, new: fresh, changed } = await crawl(home, origin.url('/'))
  assert.deepEqual([fetched, fresh, changed], [1, 1, 0])
  const outcomes = (await crawlLog(home)).map(({ outcome, status }) => [outcome, status])
  assert.deepEqual(outcomes, [
    ['retry', 429],
    ['new', 200],
  ])
})

test('the log says why a link was left: a trap once, a redirect that leads out of scope or nowhere', async () => {
  const outside = await startOrigin({ '/': page() }, { address: '127.0.0.2' })
  const trap = '/a/b/a/b/a/b/a/b/'
  const origin = await startOrigin({
    '/': page(trap, '/away', '/nowhere', '/other'),
    '/other': page(trap),
    '/away': (_request, response) => response.writeHead(302, { Location: outside.url('/') }).end(),
    '/nowhere': (_request, response) => response.writeHead(302, { Location: 'file:///etc/hosts' }).end(),
  })
  const home = await temporaryFolder()
  assert.equal((await crawl(home, origin.url('/'))).refused, 1)
  const log = await crawlLog(home)
  const refused = log.filter(({ outcome }) => outcome === 'refused')
  assert.deepEqual(
    refused.map(({ url }) => url),
    [origin.url(trap)],
  )
  assert.equal(refused[0]?.code, 'trap')
  assert.match(refused[0]?.reason ?? '', /^path repeats/)
  const away = log.find(({ url }) => url === origin.url('/away'))
  assert.match(away?.reason ?? '', /^redirects to http:\/\/127\.0\.0\.2.*not in scope host/)
  const nowhere = log.find(({ url }) => url === origin.url('/nowhere'))
  assert.match(nowhere?.reason ?? '', /^redirects nowhere: .*file:/)
  assert.deepEqual(outside.arrivals, [])
})

describe('explain', () => {
  test('answers offline from a file, with the line that decides', async () => {
    const file = join(await temporaryFolder(), 'robots.txt')
    await writeFile(file, 'User-agent: Foo\nDisallow: /a\nAllow: /a/b$\n\nUser-agent: *\nDisallow: /\n')
    const cases: [string, string, number, RegExp][] = [
      ['/a', 'foo', 1, /^disallowed\b.*line 2: Disallow: \/a\b/],
      ['/a/b', 'Foo/2.1 (+http://foo.test)', 0, /^allowed\b.*line 3: Allow: \/a\/b\$/],
      ['/c', 'foo', 0, /^allowed\b/],
      ['/c', 'bar', 1, /^disallowed\b.*line 6: Disallow: \//],
      ['/robots.txt', 'bar', 0, /^allowed\b/],
    ]
    for (const [path, agent, code, sentence] of cases) {
      const words = ['explain', `http://nowhere.invalid${path}`, '--robots-file', file, '--agent', agent]
      const outcome = await polyhistor(words)
      assert.equal(outcome.code, code, `${path} ${agent}`)
      assert.match(outcome.output, sentence)
    }
  })

  test('says what robots.txt, the address guard, the schedule and the scope of crawls say', async () => {
    const origin = await startOrigin({
      '/robots.txt': 'User-agent: *\nDisallow: /private\n',
      '/docs/': page('/docs/a', '/private'),
      '/docs/a': page(),
    })
    const home = await temporaryFolder()
    await crawl(home, origin.url('/docs/'), '--scope', 'prefix')
    const explain = async (path: string, ...words: string[]) => {
      const { code, output } = await polyhistor([
        'explain',
        origin.url(path),
        '--json',
        '--home',
        home,
        ...words,
      ])
      return { code, ...JSON.parse(output) }
    }
    const known = await explain('/docs/a', '--allow-address', '127.0.0.0/8')
    assert.deepEqual([known.code, known.verdict, known.crawls[0].isKnown], [0, 'allowed', true])
    assert.ok(known.nextVisitAtMs > Date.now())
    const closed = await explain('/private', '--allow-address', '127.0.0.0/8')
    assert.deepEqual([closed.code, closed.robots], [1, 'line 2: Disallow: /private'])
    assert.equal(closed.crawls[0].outside, 'not in scope prefix')
    // Whoever only wants to know asks for robots.txt too, and the host is left alone after that as after any request.
    const other = await startOrigin({ '/robots.txt': 'User-agent: *\nCrawl-delay: 200\n', '/': page() })
    const words = ['explain', other.url('/'), '--json', '--home', home, '--allow-address', '127.0.0.0/8']
    const asked = JSON.parse((await polyhistor(words)).output)
    assert.ok(asked.allowedAtMs > Date.now() + 60_000, asked.allowedAtMs)
    const guarded = await explain('/docs/a')
    assert.equal(guarded.code, 1)
    assert.match(guarded.address, /loopback/)
  })
})

describe('mistakes are named before anything is asked', () => {
  test.each([
    [['--depth', '-1'], /whole number/],
    [['--depth', '1.5'], /whole number/],
    [['--scope', 'planet'], /page, prefix, host, site, any/],
    [['--include', '('], /cannot be used: missing closing/],
    [['--exclude', '(a{900}){900}'], /repeats too much/],
    [['--pages', 'ten'], /whole number/],
    [['--bytes', 'much'], /--bytes is "much"/],
    [['--time', '5'], /--time is "5"/],
    [['--types', 'html,pictures'], /"pictures" is no type/],
    [['--delay', 'x'], /whole number/],
    [['--concurrency', '0'], /--concurrency/],
    [['--allow-address', '300.0.0.0/8'], /300\.0\.0\.0/],
    [['--allow-address', '10.0.0.0/33'], /10\.0\.0\.0\/33/],
    [['--user-agent', 'a\r\nX-Evil: 1'], /--user-agent/],
    [['--seeds', '/nowhere/seeds.txt'], /\/nowhere\/seeds\.txt/],
    [['--nonsense'], /--nonsense/],
  ])('%j', async (words, sentence) => {
    const origin = await startOrigin({ '/': page() })
    const { code, errors, output } = await polyhistor([
      'crawl',
      origin.url('/'),
      ...words,
      ...['--allow-address', '127.0.0.0/8', '--delay', '0', '-q'],
      ...['--home', await temporaryFolder()],
    ])
    assert.notEqual(code, 0, output)
    assert.match(errors, sentence)
    assert.doesNotMatch(errors, /\n\s+at /, 'no stack trace')
    assert.deepEqual(origin.arrivals, [])
  })

  test.each([[[]], [['--ignore-robots']]])(
    'where nobody listens, which is told at once, %j',
    async (words) => {
      // No program serves that port.
      const address = ['http://127.0.0.1:1/', '--allow-address', '127.0.0.0/8', '--delay', '0', '--json']
      const given = ['crawl', ...address, ...words, '--home', await temporaryFolder()]
      const { code, output, errors } = await polyhistor(given)
      assert.equal(code, exitCodes.no)
      assert.match(
        errors,
        /^Nothing was kept\. http:\/\/127\.0\.0\.1:1\/: the server refused the connection/m,
      )
      const { outcome, missing, failed, refused } = JSON.parse(output)
      assert.deepEqual([outcome, failed, refused], ['nothing', 1, 0])
      assert.equal(missing[0].code, 'connect-refused')
    },
  )

  test('a budget of nothing, an outcome that does not exist, seeds that are a folder', async () => {
    const home = await temporaryFolder()
    for (const budget of [
      ['--pages', '0'],
      ['--bytes', '0'],
      ['--time', '0s'],
    ]) {
      const { code, errors } = await polyhistor(['crawl', 'http://a.test/', ...budget, '--home', home])
      assert.equal(code, 64, budget.join(' '))
      assert.match(errors, new RegExp(budget[0]!))
    }
    const log = await polyhistor(['crawl', 'log', '--outcome', 'fine', '--home', home])
    assert.equal(log.code, 64)
    assert.match(log.errors, /not-kept/)
    const seeds = await polyhistor(['crawl', '--seeds', home, '--home', home])
    assert.equal(seeds.code, 66)
    assert.match(seeds.errors, /is a folder/)
  })

  test('nothing to crawl, or no URL', async () => {
    const home = await temporaryFolder()
    const nothing = await polyhistor(['crawl', '--home', home])
    assert.match(nothing.errors, /Say what to crawl/)
    const bad = await polyhistor(['crawl', 'mailto:somebody@example.com', '--home', home])
    assert.notEqual(bad.code, 0)
    assert.match(bad.errors, /mailto/)
    const line = await polyhistor(['crawl', '--seeds', '-', '--home', home], { input: 'http://a b/\n' })
    assert.notEqual(line.code, 0)
    assert.match(line.errors, /a b/)
  })
})
