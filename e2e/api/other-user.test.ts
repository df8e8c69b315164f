// Another Unix user on the same machine, without the token: may read the archive as anybody may, and do nothing else.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished, test } from 'vitest'
import { localCrawling } from '../../src/app/fixtures/crawler-options.ts'
import { openPeer } from '../../src/app/peer.ts'
import { realPlatform } from '../../src/app/real-platform.ts'
import { forgettingRoute } from '../../src/app/ring/forgetting.ts'
import { Leaving } from '../../src/app/ring/leaving.ts'
import { openStore } from '../../src/app/store/store-library.ts'
import { parseUrl } from '../../src/model/url/url.ts'
import { silentLog } from '../../src/platform/log.ts'
import { temporaryFolder } from '../command.ts'

interface Attempt {
  readonly method: string
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: string | undefined
}

const isRoot = process.getuid?.() === 0
const knowsUsers = isRoot && process.platform === 'linux'
/** Nobody's, where we may become nobody; else ours, for requests are judged by what they show and not by who sends them. */
const otherUser = isRoot ? { uid: 65_534, gid: 65_534 } : {}

/** What the other user runs: sends the requests over one socket after the other and tells the statuses, and tries to read the files. */
const attacker = `
const { request } = require('node:http')
const { readFileSync, readdirSync } = require('node:fs')
let input = ''
process.stdin.on('data', (text) => (input += text)).on('end', async () => {
  const { port, attempts, files } = JSON.parse(input)
  const statuses = []
  for (const { method, path, headers, body } of attempts) {
    statuses.push(await new Promise((resolve) => {
      const asking = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, (answer) => {
        resolve([answer.statusCode, answer.headers['set-cookie'] ?? null])
        answer.destroy()
      })
      asking.on('error', (error) => resolve([String(error), null]))
      asking.end(body)
    }))
  }
  const read = files.filter((file) => {
    for (const look of [readFileSync, readdirSync]) try { look(file); return true } catch {}
    return false
  })
  console.log(JSON.stringify({ statuses, read, uid: process.getuid() }))
})`

async function asOtherUser(task: { port: number; attempts: readonly Attempt[]; files: readonly string[] }) {
  const child = spawn(process.execPath, ['-e', attacker], { ...otherUser, cwd: '/', env: {} })
  let [output, errors] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text) => (output += text))
  child.stderr.setEncoding('utf8').on('data', (text) => (errors += text))
  child.stdin.end(JSON.stringify(task))
  await new Promise((resolve, reject) => child.once('close', resolve).once('error', reject))
  assert.notEqual(output, '', errors)
  return JSON.parse(output) as {
    statuses: [status: number, cookie: string[] | null][]
    read: string[]
    uid: number
  }
}

async function startedPeer() {
  const home = await temporaryFolder()
  const store = await openStore(join(home, 'store'))
  onTestFinished(() => store.close())
  const block = Buffer.from('HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>kept</title>')
  await store.append({ url: parseUrl('http://a.test/'), capturedAtMs: Date.UTC(2020, 0), block })
  const server = { home, host: '127.0.0.1', port: 0, isReadableByAll: true }
  const crawler = { ...localCrawling, concurrency: 1, allowed: [] }
  const forget = () => assert.fail('nobody may forget a peer')
  // Those of a peer with a network, too.
  const moreRoutes = [...new Leaving().routes(), forgettingRoute(forget)]
  const peer = await openPeer(
    { platform: realPlatform(), store, log: silentLog },
    { server, crawler, moreRoutes },
  )
  onTestFinished(() => peer.close())
  return { home, store, peer, port: Number(new URL(peer.server.origins.archive).port) }
}

/** The cookie that the owner's browser has for this name of ours. */
async function stolenCookie(link: string, host: string): Promise<string> {
  const { pathname } = new URL(link)
  const answer = await fetch(`http://${host}${pathname}`, { method: 'POST', redirect: 'manual' })
  return answer.headers.get('set-cookie')!.split(';', 1)[0]!
}

/** Of a path with names in it, one that matches. */
function targetOf(path: string | RegExp): string {
  if (typeof path === 'string') return path.replace(/\{\w+\*?\}/g, 'x')
  return path.source
    .replace(/^\^|\$$/g, '')
    .replaceAll('\\/', '/')
    .replaceAll(/\[[^\]]*\](?:\+|\{[\d,]+\})/g, 'x')
    .replaceAll(/\\d(?:\+|\{[\d,]+\})/g, '1')
}

/** What somebody may try who thinks that being local, or saying so, is worth something. */
function pretences(host: string, stolen: string): Record<string, string>[] {
  const origin = { Origin: `http://${host}`, 'Sec-Fetch-Site': 'same-origin' }
  const cookie = 'polyhistor-owner=9999999999.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; polyhistor-write=x'
  return [
    {},
    origin,
    { ...origin, Cookie: cookie },
    // As a server of theirs gets it that the owner's browser visits: cookies know no ports.
    ...(knowsUsers ? [{ ...origin, Cookie: stolen }] : []),
    { ...origin, Authorization: 'Bearer undefined' },
    ...['CF-Connecting-IP', 'True-Client-IP', 'X-Forwarded-For', 'X-Real-IP', 'Forwarded'].map((name) => ({
      ...origin,
      [name]: name === 'Forwarded' ? 'for=127.0.0.1' : '127.0.0.1',
    })),
  ]
}

test('writes nothing by any route, gets no cookie, and reads no file', async () => {
  const { home, store, peer, port } = await startedPeer()
  const writing = peer.server.routes.filter(
    ({ writes, methods }) => writes || methods.some((method) => !['GET', 'HEAD', 'OPTIONS'].includes(method)),
  )
  const targets = writing.flatMap(({ methods, path }) => methods.map((method) => [method, targetOf(path)]))
  // Pages send as they please: they are answered from the archive, which has nothing of the kind here.
  const answered = new Set(writing.filter(({ host }) => host === 'replay').map(({ path }) => targetOf(path)))
  for (const path of [
    '/save',
    '/api/v1/contents',
    '/api/v1/imports',
    '/api/v1/folders',
    '/api/v1/links',
    '/api/v1/network/leave',
  ])
    assert.ok(
      targets.some(([method, target]) => method === 'POST' && target === path),
      path,
    )
  const attempts: Attempt[] = []
  for (const host of [`localhost:${port}`, `127.0.0.1:${port}`])
    for (const headers of pretences(host, await stolenCookie(peer.server.newOwnerLink(), host)))
      for (const [method = '', path = ''] of targets)
        for (const type of ['application/json', 'application/x-www-form-urlencoded'])
          attempts.push({
            method,
            path,
            headers: { ...headers, Host: host, 'Content-Type': type },
            body:
              method !== 'POST' ? undefined : JSON.stringify({ path: '/etc/passwd', url: 'http://b.test/' }),
          })
  const folders = ['', 'store', 'store/volumes', 'permits', 'crawl'].map((name) => join(home, name))
  const files = (
    await Promise.all(
      folders.map((folder) => readdir(folder).then((names) => names.map((name) => join(folder, name)))),
    )
  ).flat()
  assert.ok(files.includes(join(home, 'token')) && files.includes(join(home, 'peer.json')))
  const pages = ['/', '/jobs', '/status', '/web/*/http://a.test/'].map((path) => ({
    method: 'GET',
    path,
    headers: { Host: `localhost:${port}` },
    body: undefined,
  }))
  const before = JSON.stringify([await store.stat(), [...store.takedowns()]])
  const { statuses, read, uid } = await asOtherUser({
    port,
    attempts: [...attempts, ...pages],
    files: [...folders, ...files],
  })
  for (const [index, [status, cookie]] of statuses.entries()) {
    const { method, path, headers } = [...attempts, ...pages][index]!
    const what = `${method} ${path} ${JSON.stringify(headers)}: ${status}`
    assert.equal(cookie, null, what)
    if (index >= attempts.length) assert.equal(status, 200, what)
    else if (answered.has(path)) assert.ok([204, 403, 404, 405].includes(status), what)
    // The code of a link that was never given is good for nothing but a way home.
    else
      assert.ok(
        status === 401 ||
          status === 403 ||
          (path.startsWith('/owner/') && (status === 410 || status === 303)),
        what,
      )
  }
  assert.ok(statuses.length > 500, String(statuses.length))
  if (isRoot) assert.deepEqual([uid, read], [65_534, []])
  assert.equal(JSON.stringify([await store.stat(), [...store.takedowns()]]), before)
  assert.deepEqual(await (await fetch(`http://localhost:${port}/api/v1/jobs`)).json(), { jobs: [] })
}, 900_000)
