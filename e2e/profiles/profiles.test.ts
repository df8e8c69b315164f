// Logged-in capture, as its owner does it: log in in a remote window, crawl, read, export, remove; and nothing of it anywhere else.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { onTestFinished, test } from 'vitest'
import { killed, watched } from '../../src/platform/fixtures/child-processes.ts'
import { startPeer } from '../api/peer.ts'
import { chromiumExecutable } from '../chromium.ts'
import { polyhistor, root, temporaryFolder } from '../command.ts'
import { crawl } from '../crawl/crawling.ts'
import { ArchivePeer } from '../network/archive-peer.ts'
import { healthProblemOf } from '../network/health.ts'
import { until as untilIn } from '../network/until.ts'
import { Reader, until } from '../pages/reader.ts'
import { runWords } from '../ring/peer-process.ts'
import { mark, sessionValue, startMemberSite } from './member-site.ts'
import { filesWith } from './raw-files.ts'

const timeout = 1_200_000

/** As a person at another machine would: opens the link, types into the picture, presses the button. */
async function logIn(home: string, url: string): Promise<void> {
  const browser = ['--set', `crawl.browserPath=${await chromiumExecutable()}`]
  const words = ['profile', 'create', 'ada', url, '--remote', '--json', '--allow-address', '127.0.0.0/8']
  const child = watched(spawn(join(root, 'bin', 'polyhistor'), [...words, ...browser, '--home', home]))
  onTestFinished(() => killed(child))
  let [output, errors] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text) => (output += text))
  child.stderr.setEncoding('utf8').on('data', (text) => (errors += text))
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  await until(async () => {
    assert.equal(child.exitCode, null, errors)
    return output.includes('\n')
  })
  const { link } = JSON.parse(output.split('\n', 1)[0]!) as { link: string }
  const { origin } = new URL(link)
  for (const path of ['/', '/window/frames']) assert.equal((await fetch(origin + path)).status, 401, path)
  const stranger = await fetch(`${origin}/window/input`, { method: 'POST', body: '[]' })
  assert.equal(stranger.status, 401)
  const reader = await Reader.start()
  onTestFinished(() => reader.close())
  await reader.visit(async ({ page, complaints }) => {
    await page.goto(link)
    const screen = page.locator('#window-screen')
    const shown = () => page.getByLabel('Address').inputValue()
    await until(async () => (await shown()) === url)
    await screen.click()
    await page.keyboard.type('ada')
    await page.keyboard.press('Enter')
    await until(async () => (await shown()).endsWith('/inside'))
    await page.getByRole('button', { name: 'Keep it' }).click()
    await page.getByText('Kept. You can close this.').waitFor()
    assert.deepEqual(complaints, [])
  })
  assert.equal(await ended, 0, errors)
  assert.match(output, /"cookies":1/)
}

async function crawlInside(home: string, url: string): Promise<void> {
  await crawl(home, '--profile', 'ada', url, ...(await browserWords()))
}

const browserWords = async () => ['--set', `crawl.browserPath=${await chromiumExecutable()}`]

const statusOf = async (url: string, headers: Record<string, string> = {}) =>
  (await fetch(url, { headers, redirect: 'manual' })).status

test(
  'what only a member sees is kept in the archive of the profile, and nowhere else',
  async () => {
    const site = await startMemberSite()
    const home = await temporaryFolder()
    const run = (...words: string[]) => polyhistor([...words, '--home', home])
    await logIn(home, site.url('/'))
    const folder = join(home, 'private', 'ada')
    for (const name of ['', 'profile.json', 'session.json'])
      assert.equal((await stat(join(folder, name))).mode & 0o077, 0, name)
    assert.match((await run('profile', 'list')).output, /ada/)
    const loggedIn = site.arrivals.length
    await crawlInside(home, site.url('/inside'))
    const asked = new Set(site.arrivals.slice(loggedIn).map(({ path }) => path))
    assert.deepEqual([...asked].sort(), ['/data.json', '/inside', '/robots.txt'])
    const get = async (path: string) => (await run('get', '--profile', 'ada', site.url(path))).output
    assert.match(await get('/inside'), new RegExp(`${mark} in the page`))
    assert.match(await get('/data.json'), new RegExp(`${mark} by script`))
    // Nothing is done in the member's name, and no link is followed unless asked for.
    const before = site.arrivals.length
    await crawl(home, '--profile', 'ada', site.url('/inside'), '--scope', 'host', ...(await browserWords()))
    const paths = new Set(site.arrivals.slice(before).map(({ path }) => path))
    assert.ok(paths.has('/more') && !paths.has('/Log-Out') && !paths.has('/like'), [...paths].join())
    // Its owner crawls as anybody, too: nothing of one archive is known to the other.
    await crawl(home, site.url('/public'), '--scope', 'page')
    assert.equal((await run('get', site.url('/inside'))).code, 1)
    assert.equal((await run('get', '--profile', 'ada', site.url('/public'))).code, 1)
    assert.deepEqual(await filesWith(home, mark, 'private'), [])
    assert.deepEqual(await filesWith(home, '/inside', 'private'), [])
    // Who reads the archive does not become the member.
    assert.deepEqual(await filesWith(join(folder, 'store'), sessionValue), [])
    const file = join(await temporaryFolder(), 'x.warc.gz')
    assert.equal((await run('export', file, '--profile', 'ada')).code, 64)
    assert.equal((await run('export', file, '--profile', 'ada', '--private')).code, 0)
    const exported = gunzipSync(await readFile(file))
    assert.ok(exported.includes(mark) && !exported.includes(sessionValue))
    const takedown = ['takedown', '--profile', 'ada', '--url', site.url('/data.json'), '--now', '--yes']
    assert.equal((await run(...takedown)).code, 0)
    assert.equal((await run('get', '--profile', 'ada', site.url('/data.json'))).code, 1)
    assert.equal((await run('profile', 'remove', 'ada')).code, 1)
    assert.equal((await run('profile', 'remove', 'ada', '--yes')).code, 0)
    assert.deepEqual(await filesWith(home, mark), [])
    assert.equal((await run('get', '--profile', 'ada', site.url('/inside'))).code, 66)
  },
  timeout,
)

test(
  'its peer answers to its owner only, is of no network, and shows pages under a name that nobody knows',
  async () => {
    const site = await startMemberSite()
    const home = await temporaryFolder()
    await logIn(home, site.url('/'))
    await crawlInside(home, site.url('/inside'))
    const folder = join(home, 'private', 'ada')
    // Also when it is named as a home like any other.
    const peer = await startPeer(folder)
    const inside = site.url('/inside')
    const paths = ['/', '/jobs', '/api/v1', '/api/v1/stats', '/openapi.json', '/events', '/nothing']
    const readings = [
      `/web/2/${inside}`,
      `/web/2id_/${inside}`,
      `/web/*/${inside}`,
      `/timemap/link/${inside}`,
    ]
    const lists = [
      `/cdx/search/cdx?url=${inside}`,
      '/api/v1/export?format=warc',
      `/api/v1/versions?url=${inside}`,
    ]
    for (const path of [...paths, ...readings, ...lists]) {
      const status = await statusOf(peer.url + path)
      assert.ok(status === 401 || status === 404, `${path}: ${status}`)
      assert.ok(!(await (await fetch(peer.url + path)).text()).includes('inside</'), path)
    }
    const { port } = new URL(peer.url)
    // The usual name of archived pages is none here.
    assert.equal(
      await statusOf(`http://127.0.0.1:${port}/web/2/${inside}`, { Host: `replay.localhost:${port}` }),
      401,
    )
    const link = (await polyhistor(['link', '--home', home, '--profile', 'ada'])).output.trim()
    const reader = await Reader.start()
    onTestFinished(() => reader.close())
    await reader.visit(async ({ page }) => {
      await page.goto(`${peer.url}/web/2/${inside}`)
      await page.getByText('This archive is private').waitFor()
      await page.goto(link)
      await page.waitForURL((url) => url.pathname === '/')
      await page.goto(`${peer.url}/web/2/${inside}`)
      const frame = page.frameLocator('#replay')
      await frame.getByText(`${mark} in the page`).waitFor()
      await frame.getByText(`${mark} by script`).waitFor()
      const source = await page.locator('#replay').getAttribute('src')
      assert.match(source!, /^http:\/\/replay-[0-9a-f]{32}\.localhost:/)
      // Another server of this machine gets the cookie with what its pages embed, and nothing of the archive.
      const elsewhere = await page.context().newPage()
      await elsewhere.goto(`http://localhost:${new URL(site.origin).port}/public`)
      const embedded = await elsewhere.evaluate<boolean>(
        `new Promise((resolve) => { const frame = document.createElement('script'); frame.onload = () => resolve(true); frame.onerror = () => resolve(false); frame.src = ${JSON.stringify(`${peer.url}/web/2id_/${site.url('/data.json')}`)}; document.body.append(frame) })`,
      )
      assert.equal(embedded, false)
    })
    await peer.stop()
    for (const words of [
      ['network', 'create', 'x'],
      ['peer', '--listen', '0', '--http', 'localhost:0'],
    ]) {
      const { code, errors } = await polyhistor([...words, '--home', folder])
      assert.deepEqual([code, /can be part of no network/.test(errors)], [64, true], errors)
    }
    const open = await polyhistor(['peer', '--home', folder, '--http', '0.0.0.0:0'])
    assert.deepEqual([open.code, /on this machine only/.test(open.errors)], [64, true], open.errors)
  },
  timeout,
)

test(
  'on a network, nothing of a private capture comes to the other peers',
  async () => {
    const site = await startMemberSite()
    const base = await temporaryFolder()
    const peers = await startTwo(base)
    const [own, other] = peers
    await untilIn('two peers that know each other', () => isWell(peers))
    await logIn(own.home, site.url('/'))
    await crawlInside(own.home, site.url('/inside'))
    await runWords(['crawl', site.url('/public'), '--scope', 'page', '-q', '--home', own.home])
    await untilIn('two copies of what is public', () => isWell(peers))
    const read = (peer: ArchivePeer, path: string) =>
      peer.read({ url: site.url(path), timestamp: '2' }).then(String, String)
    await untilIn('the public page at the other peer', async () =>
      (await read(other, '/public')).includes('For everybody'),
    )
    for (const peer of peers) assert.match(await read(peer, '/inside'), /404/)
    await Promise.all(peers.map((peer) => peer.stop()))
    assert.deepEqual(await filesWith(other.home, mark), [])
    assert.deepEqual(await filesWith(other.home, '/inside'), [])
    assert.deepEqual(await filesWith(own.home, mark, 'private'), [])
    assert.notDeepEqual(await filesWith(join(own.home, 'private'), mark), [])
    // What is shared is found by the same search.
    assert.notDeepEqual(await filesWith(other.home, 'For everybody.'), [])
  },
  timeout,
)

async function startTwo(folder: string): Promise<[ArchivePeer, ArchivePeer]> {
  const created = await runWords(['network', 'create', 'test', '--json', '--home', join(folder, 'peer-0')])
  const { invitation } = JSON.parse(created) as { invitation: string }
  const started = async (name: string, words: string[]): Promise<ArchivePeer> => {
    const local = [
      '--listen',
      '127.0.0.1:0',
      '--allow-address',
      '127.0.0.0/8',
      '--delay',
      '0',
      '--copies',
      '2',
    ]
    const plan = { name, home: join(folder, name), logFile: join(folder, `${name}.log`) }
    const peer = new ArchivePeer({ ...plan, words: [...local, ...words] })
    onTestFinished(() => peer.kill())
    await peer.start()
    return peer
  }
  const first = await started('peer-0', [])
  const { addresses } = await first.view()
  return [first, await started('peer-1', ['--invite', invitation, '--join', addresses[0]!])]
}

async function isWell(peers: readonly ArchivePeer[]): Promise<true | string> {
  return (await healthProblemOf({ answering: [...peers] })) ?? true
}
