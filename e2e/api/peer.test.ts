// A peer as people and tools meet it: one process, its home's commands, its interfaces.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { watched } from '../../src/platform/fixtures/child-processes.ts'
import { until } from '../../src/platform/fixtures/until.ts'
import { polyhistor, root, temporaryFolder } from '../command.ts'
import { type Pages, page, startOrigin } from '../crawl/origin.ts'
import { startPeer } from './peer.ts'

const site: Pages = { '/': page('/a', '/b'), '/a': page('/b'), '/b': '<!doctype html><title>b</title>end' }

async function peerFile(home: string) {
  return JSON.parse(await readFile(join(home, 'peer.json'), 'utf8')) as { url: string; token: string }
}

describe('a running peer', () => {
  test('tells where it is, keeps its token to itself, and leaves nothing but that behind', async () => {
    const home = await temporaryFolder()
    const peer = await startPeer(home)
    assert.match(peer.url, /^http:\/\/localhost:\d+$/)
    for (const name of ['peer.json', 'token', 'browser-secret'])
      assert.equal((await stat(join(home, name))).mode & 0o777, 0o600, name)
    const { token } = await peerFile(home)
    assert.equal((await readFile(join(home, 'token'), 'utf8')).trim(), token)
    const html = await fetch(`${peer.url}/`, { headers: { Accept: 'text/html' } })
    assert.equal(html.status, 200)
    assert.equal(html.headers.get('set-cookie'), null)
    assert.ok(!(await html.text()).includes(token))
    assert.equal(await peer.stop(), 0)
    await assert.rejects(stat(join(home, 'peer.json')))
    // The same token, so that what was told it goes on working.
    await startPeer(home)
    assert.equal((await peerFile(home)).token, token)
  })

  test('crawls what a command hands to it, and answers the commands of its home', async () => {
    const origin = await startOrigin(site)
    const home = await temporaryFolder()
    await startPeer(home)
    const run = (...words: string[]) => polyhistor([...words, '--home', home])
    const crawled = await run('crawl', origin.url('/'), '--json', '-q')
    assert.equal(crawled.code, 0, crawled.errors)
    const { state, ending, fetched, new: news } = JSON.parse(crawled.output)
    assert.deepEqual([state, ending, fetched, news], ['done', 'complete', 3, 3])
    const again = JSON.parse((await run('crawl', origin.url('/'), '--json', '-q')).output)
    assert.deepEqual([again.state, again.new], ['done', 0])
    assert.ok(again.same > 0)

    const versions = await run('versions', origin.url('/b'), '--json', '--limit', '1')
    assert.equal(JSON.parse(versions.output).status, 200)
    const got = await run('get', origin.url('/b'), '--headers')
    assert.match(got.output, /^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\n<!doctype html><title>b<\/title>end$/)
    assert.equal((await run('get', origin.url('/none'))).code, 1)
    assert.equal((await run('get', origin.url('/b'), '--at', '2000', '--not-newer')).code, 1)
    const stats = JSON.parse((await run('store', 'stat', '--json')).output)
    assert.ok(stats.captures >= 4 && stats.volumes[0].path.startsWith(home))
    assert.equal((await run('explain', origin.url('/b'))).code, 0)
    const log = (await run('crawl', 'log', '--url', '/b', '--json')).output.trim().split('\n')
    assert.equal(JSON.parse(log[0]!).outcome, 'new')

    const file = join(home, 'all.wacz')
    const exported = await run('export', file, '--prefix', origin.url('/'), '--json')
    assert.equal(exported.code, 0, exported.errors)
    assert.ok(JSON.parse(exported.output).exported >= 3)
    assert.equal((await readFile(file)).subarray(0, 2).toString(), 'PK')

    assert.equal((await run('takedown', '--url', origin.url('/b'), '--yes')).code, 0)
    assert.match((await run('takedown', '--list')).output, /\/b/)
    assert.equal((await run('versions', origin.url('/b'))).code, 1)
  })

  test('keeps to the types and sitemaps that a handed crawl asks for, and no other job to them', async () => {
    const picture: Pages[string] = (_request, response) =>
      response.writeHead(200, { 'Content-Type': 'image/png' }).end('no real picture')
    const maps: Pages[string] = (request, response) =>
      response
        .writeHead(200, { 'Content-Type': 'application/xml' })
        .end(`<urlset><url><loc>http://${request.headers.host}/hidden</loc></url></urlset>`)
    const origin = await startOrigin({
      '/': '<!doctype html><img src="/picture.png">',
      '/robots.txt': (request, response) =>
        response.writeHead(200).end(`Sitemap: http://${request.headers.host}/map.xml`),
      '/map.xml': maps,
      '/hidden': page(),
      '/picture.png': picture,
    })
    const home = await temporaryFolder()
    await startPeer(home)
    const crawl = (...words: string[]) =>
      polyhistor(['crawl', origin.url('/'), ...words, '--json', '-q', '--home', home])
    const archived = async (path: string) =>
      (await polyhistor(['versions', origin.url(path), '--home', home])).code === 0
    assert.equal((await crawl('--types', 'html', '--sitemaps')).code, 0)
    assert.deepEqual([await archived('/hidden'), await archived('/picture.png')], [true, false])
    assert.equal((await crawl()).code, 0)
    assert.equal(await archived('/picture.png'), true)
    const wrong = await crawl('--types', 'pictures')
    assert.equal(wrong.code, 64)
    assert.match(wrong.errors, /pictures.* is no type/)
  })

  test('pauses a handed crawl on Ctrl-C, and the same command goes on', async () => {
    let isSlow = true
    const pages: Pages = {}
    for (let number = 0; number < 20; number++) {
      const body = number === 19 ? page() : page(`/${number + 1}`)
      pages[`/${number}`] = (_request, response) => {
        const answer = () => response.writeHead(200, { 'Content-Type': 'text/html' }).end(`${body}${number}`)
        if (isSlow) setTimeout(answer, 100)
        else answer()
      }
    }
    const origin = await startOrigin(pages)
    const home = await temporaryFolder()
    const peer = await startPeer(home)
    const words = ['crawl', origin.url('/0'), '--json', '-q', '--home', home]
    const child = watched(
      spawn(join(root, 'bin', 'polyhistor'), words, { stdio: ['ignore', 'pipe', 'ignore'] }),
    )
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text) => (output += text))
    const code = new Promise<number | null>((resolve) => child.once('close', resolve))
    await until('three requests', () => origin.arrivals.length >= 3)
    child.kill('SIGINT')
    assert.equal(await code, 130)
    const paused = JSON.parse(output)
    assert.equal(paused.state, 'paused')
    const [job] = ((await (await fetch(`${peer.url}/api/v1/jobs`)).json()) as { jobs: { state: string }[] })
      .jobs
    assert.equal(job!.state, 'paused')
    isSlow = false
    const { code: ended, output: rest } = await polyhistor(words)
    assert.equal(ended, 0)
    assert.deepEqual(
      [JSON.parse(rest).state, JSON.parse(rest).counters.fetched, JSON.parse(rest).fetched + paused.fetched],
      ['done', 20, 20],
    )
  })

  test('imports what lies on its disk, once', async () => {
    const home = await temporaryFolder()
    const peer = await startPeer(home)
    const file = join(root, 'src/formats/warc/fixtures/wget-gzip.warc.gz')
    const imported = await polyhistor(['import', file, '/nowhere.warc', '--json', '--home', home])
    assert.equal(imported.code, 1)
    assert.match(imported.errors, /nowhere/)
    assert.ok(JSON.parse(imported.output).kept > 0)
    const again = await polyhistor(['import', file, '--json', '--home', home])
    assert.deepEqual([again.code, JSON.parse(again.output).wasDone], [0, true])
    const post = (body: string, headers = {}) =>
      fetch(`${peer.url}/api/v1/imports`, { method: 'POST', body, headers })
    assert.equal((await post(JSON.stringify({ path: file }))).status, 401)
    const headers = {
      Authorization: `Bearer ${(await peerFile(home)).token}`,
      'Content-Type': 'application/json',
    }
    assert.equal((await post(JSON.stringify({ path: 'relative' }), headers)).status, 400)
    // With the token alone no file is read, and nobody learns whether there is one.
    for (const path of ['/nowhere', '/etc/passwd', file])
      assert.equal((await post(JSON.stringify({ path }), headers)).status, 403)
  })

  test('cancels a job for good, begins it anew, and tells of it as it happens', async () => {
    const held: (() => void)[] = []
    let isHeld = true
    const origin = await startOrigin({
      '/': page('/1', '/2', '/3'),
      '/1': (_request, response) => {
        const answer = () => response.writeHead(200, { 'Content-Type': 'text/html' }).end('one')
        if (isHeld) held.push(answer)
        else answer()
      },
      '/2': page(),
      '/3': page(),
    })
    const peer = await startPeer(await temporaryFolder())
    const { token } = await peerFile(peer.home)
    const post = async (path: string, body: object = {}) => {
      const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
      const answer = await fetch(`${peer.url}${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      })
      return {
        status: answer.status,
        job: (await answer.json()) as { id: string; state: string; ending: string },
      }
    }
    const wanted = { url: origin.url('/'), scope: 'host' }
    const { status, job } = await post('/api/v1/jobs', wanted)
    assert.deepEqual([status, job.state], [201, 'running'])
    await until('a request', () => held.length > 0)
    const cancelled = await post(`/api/v1/jobs/${job.id}/cancel`)
    assert.deepEqual([cancelled.job.state, cancelled.job.ending], ['done', 'cancelled'])
    // What is under way ends first.
    assert.equal((await post('/api/v1/jobs', wanted)).status, 409)
    const events = fetch(`${peer.url}/api/v1/jobs/${job.id}/events`).then((answer) => answer.text())
    isHeld = false
    for (const answer of held) answer()
    assert.match(await events, /event: end\n/)
    const anew = await post('/api/v1/jobs', wanted)
    assert.deepEqual([anew.status, anew.job.state, anew.job.id], [201, 'running', job.id])
    const told = await (await fetch(`${peer.url}/api/v1/jobs/${job.id}/events`)).text()
    assert.match(told, /"state":"done"[^\n]*"ending":"complete"|"ending":"complete"[^\n]*"state":"done"/)
    assert.ok(origin.counts()['/3']! >= 1)
  })

  test('that was killed is not taken for a running one, and its jobs go on with the next', async () => {
    const origin = await startOrigin(site)
    const home = await temporaryFolder()
    const peer = await startPeer(home)
    assert.equal(await peer.stop('SIGKILL'), 'SIGKILL')
    await stat(join(home, 'peer.json'))
    const here = ['--allow-address', '127.0.0.0/8', '--delay', '0', '-q', '--json']
    const alone = await polyhistor(['crawl', origin.url('/'), ...here, '--home', home])
    assert.deepEqual([alone.code, JSON.parse(alone.output).fetched], [0, 3])
    // Another program at that address is not taken for it either.
    const other = await startOrigin({ '/api/v1': (_request, response) => response.end('{"instance":"x"}') })
    const file = await peerFile(home)
    await writeFile(join(home, 'peer.json'), JSON.stringify({ ...file, url: other.origin }))
    assert.equal((await polyhistor(['versions', origin.url('/'), '--home', home])).code, 0)
    const next = await startPeer(home)
    assert.equal((await peerFile(home)).url, next.url)
  })

  test('says who holds the home to commands that it cannot answer, and refuses what is not its to choose', async () => {
    const home = await temporaryFolder()
    const { url } = await startPeer(home)
    const rebuild = await polyhistor(['store', 'rebuild', '--home', home])
    assert.equal(rebuild.code, 75)
    assert.match(rebuild.errors, /in use by process \d+ \(main\.ts peer/)
    const picky = await polyhistor(['crawl', 'a.test', '--delay', '0', '--insecure', '--home', home])
    assert.equal(picky.code, 64)
    assert.match(picky.errors, /--delay, --insecure cannot be chosen/)
    const second = await polyhistor(['peer', '--home', home, '--http', 'localhost:0'])
    assert.equal(second.code, 75)
    const taken = await polyhistor(['peer', '--home', await temporaryFolder(), '--http', new URL(url).host])
    assert.equal(taken.code, 75)
    assert.match(taken.errors, /in use by another program/)
  })

  test('is asked by its address from anywhere; writing needs its token', async () => {
    const origin = await startOrigin(site)
    const peer = await startPeer(await temporaryFolder())
    const elsewhere = await temporaryFolder()
    const run = (words: string[], environment = {}) =>
      polyhistor([...words, '--peer', peer.url, '--home', elsewhere], { environment })
    assert.equal((await run(['store', 'stat', '--json'])).code, 0)
    const refused = await run(['crawl', origin.url('/'), '-q'])
    assert.equal(refused.code, 64)
    assert.match(refused.errors, /Writing needs the token/)
    const { token } = await peerFile(peer.home)
    assert.equal((await run(['crawl', origin.url('/'), '-q'], { POLYHISTOR_TOKEN: token })).code, 0)
    assert.equal((await run(['store', 'compact'])).code, 64)
    assert.equal((await polyhistor(['versions', 'x', '--peer', 'ftp://x'])).code, 64)
    const nobody = await polyhistor(['versions', 'a.test', '--peer', 'http://127.0.0.1:9'])
    assert.equal(nobody.code, 75)
    assert.match(nobody.errors, /cannot be reached/)
  })
})

describe('npm start', () => {
  test('with nothing else is a peer; the command alone shows what there is', async () => {
    const home = await temporaryFolder()
    const environment = {
      npm_lifecycle_event: 'start',
      POLYHISTOR_HTTP_ADDRESS: 'localhost:0',
      POLYHISTOR_HOME: home,
    }
    const child = watched(
      spawn(join(root, 'bin', 'polyhistor'), { env: { ...process.env, ...environment } }),
      home,
    )
    let said = ''
    let errors = ''
    child.stderr.setEncoding('utf8').on('data', (text) => (errors += text))
    const closed = new Promise((resolve) => child.once('close', resolve))
    await new Promise<void>((resolve) => {
      child.stdout.setEncoding('utf8').on('data', (text) => {
        said += text
        if (said.split('\n').length > 3) resolve()
      })
      void closed.then(() => resolve())
    })
    child.kill('SIGTERM')
    assert.equal(await closed, 0, `${said}\n${errors}`)
    const lines = said.trimEnd().split('\n')
    assert.equal(lines.length, 3, said)
    assert.match(lines[0]!, /^The archive is at http:\/\/localhost:\d+\/ /)
    assert.match(lines[1]!, /\/owner\//)
    assert.equal(errors, '', 'the rest is told with -v')
    const alone = await polyhistor([], { environment: { npm_lifecycle_event: 'test' } })
    assert.match(alone.output, /^Usage: polyhistor/)
  })
})

describe('the interfaces of a peer', () => {
  test('lead from a URL to its captures in every way that tools know', async () => {
    const origin = await startOrigin({ '/p?q=//x': '<!doctype html><title>p</title>' })
    const home = await temporaryFolder()
    const { url } = await startPeer(home)
    const target = origin.url('/p?q=//x')
    const job = await polyhistor(['crawl', target, '--scope', 'page', '-q', '--home', home])
    assert.equal(job.code, 0, job.errors)
    const get = (path: string, headers: Record<string, string> = {}) =>
      fetch(`${url}${path}`, { headers, redirect: 'manual' })

    const cdx = (await (
      await get(`/cdx/search/cdx?url=${encodeURIComponent(target)}&output=json`)
    ).json()) as string[][]
    const timestamp = cdx[1]![1]!
    const memento = `${url}/web/${timestamp}/${target}`
    for (const gate of [`/timegate/${target}`, `/web/${target}`]) {
      const answer = await get(gate, { 'Accept-Datetime': 'Thu, 01 Jan 2026 00:00:00 GMT' })
      assert.deepEqual([answer.status, answer.headers.get('location')], [302, memento], gate)
      assert.equal(answer.headers.get('vary'), 'accept-datetime')
      assert.equal((await get(gate, { 'Accept-Datetime': 'today' })).status, 400)
    }
    const framed = await fetch(memento, { headers: { Accept: 'text/html' } })
    assert.equal(framed.status, 200)
    assert.match(framed.headers.get('link')!, /rel="timemap"/)
    assert.ok(framed.headers.get('memento-datetime'))
    const raw = await get(`/web/${timestamp}id_/${target}`)
    assert.equal(await raw.text(), '<!doctype html><title>p</title>')
    assert.ok(raw.headers.get('memento-datetime'))
    assert.match(raw.headers.get('content-security-policy')!, /sandbox/)
    assert.match(await (await get(`/timemap/link/${target}`)).text(), /rel="first last memento"/)
    const available = (await (await get(`/wayback/available?url=${encodeURIComponent(target)}`)).json()) as {
      archived_snapshots: { closest: { url: string } }
    }
    assert.equal(available.archived_snapshots.closest.url, memento)
    const document = (await (await get('/api/v1/openapi.json')).json()) as { openapi: string }
    assert.equal(document.openapi, '3.1.0')
    // Another name for this machine is not believed.
    const { port } = new URL(url)
    assert.equal((await fetch(`http://127.0.0.1:${port}/`)).status, 200)
    const { request } = await import('node:http')
    const status = await new Promise((resolve, reject) => {
      const asking = request(
        { host: '127.0.0.1', port, path: '/api/v1', headers: { Host: `evil.test:${port}` } },
        (answer) => {
          answer.resume()
          resolve(answer.statusCode)
        },
      )
      asking.on('error', reject)
      asking.end()
    })
    assert.equal(status, 421)
  })
})
