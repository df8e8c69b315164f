// Back-up as docs/operating says: of a running peer, in the middle of a crawl, restored elsewhere, read back
// byte by byte. packaging/back-up.sh is what the documentation has people run.

import assert from 'node:assert/strict'
import { cp, mkdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'vitest'
import { openStore } from '../../src/app/store/store-library.ts'
import { until } from '../../src/platform/fixtures/until.ts'
import { startPeer } from '../api/peer.ts'
import { polyhistor, root, runCommand, temporaryFolder } from '../command.ts'
import { type Pages, startOrigin } from '../crawl/origin.ts'

const pages = 24
/** So many are crawled before the copy is made; the origin keeps the next one waiting. */
const before = 12

const paths = Array.from({ length: pages }, (_, number) => `/${number}`)
const textOf = (path: string) =>
  `<!doctype html><title>${path}</title><a href="/${Number(path.slice(1)) + 1}">next</a>${`${path} of a chain. `.repeat(500)}`

/** Of another host, which is being crawled and written all the while. */
const busyPaths = Array.from({ length: 4_000 }, (_, number) => `/busy/${number}`)
const busyText = (path: string) =>
  `<!doctype html><title>${path}</title><a href="/busy/${Number(path.slice(6)) + 1}">next</a>${path}`

/** What each path was archived as. */
async function archived(home: string): Promise<Map<string, string>> {
  const store = await openStore(join(home, 'store'))
  try {
    const found = new Map<string, string>()
    for (const capture of store.scan({ kind: 'all' })) {
      const path = new URL(capture.url).pathname
      if (capture.status !== 200) continue
      found.set(path, await textIn((await store.read(capture)).payload()))
    }
    return found
  } finally {
    await store.close()
  }
}

async function textIn(payload: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = []
  for await (const part of payload) parts.push(part)
  return Buffer.concat(parts).toString()
}

async function assertSound(home: string, expected: readonly string[]): Promise<void> {
  const found = await archived(home)
  const isBusy = (path: string) => path.startsWith('/busy/')
  assert.deepEqual([...found.keys()].filter((path) => !isBusy(path)).sort(), expected.toSorted())
  assert([...found.keys()].some(isBusy))
  for (const [path, text] of found) assert.equal(text, isBusy(path) ? busyText(path) : textOf(path))
  const scrubbed = await polyhistor(['store', 'scrub', '--json', '--restart', '--home', home])
  assert.equal(scrubbed.code, 0, scrubbed.errors)
  const { damagedCount, dangling, unindexed } = JSON.parse(scrubbed.output)
  assert.deepEqual([damagedCount, dangling, unindexed], [0, 0, 0])
}

test('a copy of a running peer in the middle of a crawl has all that was kept, and goes on from there', async () => {
  const held: (() => void)[] = []
  let isHeld = true
  const handlers = paths.map((path, number): [string, Pages[string]] => [
    path,
    (_request, response) => {
      const answer = () => response.writeHead(200, { 'Content-Type': 'text/html' }).end(textOf(path))
      if (number >= before && isHeld) held.push(answer)
      else answer()
    },
  ])
  const origin = await startOrigin(Object.fromEntries(handlers))
  const busyPages = Object.fromEntries(busyPaths.map((path) => [path, busyText(path)]))
  const busyOrigin = await startOrigin(busyPages, { address: '127.0.0.2' })
  const folder = await temporaryFolder()
  const [home, copy] = [join(folder, 'home'), join(folder, 'copy')]
  const peer = await startPeer(home)
  const put = await polyhistor(['store', 'put', '-', '--home', home], { input: 'a content of its own' })
  const ruled = ['rules', 'set', '--site', 'example.org', '--fresh', '7d', '--home', home]
  assert.equal((await polyhistor(ruled)).code, 0)

  const token = (await readFile(join(home, 'token'), 'utf8')).trim()
  const begin = async (url: string) => {
    const answer = await fetch(`${peer.url}/api/v1/jobs`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ url, scope: 'host' }),
    })
    assert.equal(answer.status, 201)
    return ((await answer.json()) as { id: string }).id
  }
  const id = await begin(origin.url('/0'))
  await begin(busyOrigin.url('/busy/0'))
  await until('the crawls to be half-way', () => held.length > 0 && busyOrigin.arrivals.length > 10)

  const script = join(root, 'packaging', 'back-up.sh')
  for (const time of ['first', 'second']) {
    const made = await runCommand(script, [home, copy])
    assert.equal(made.code, 0, `${time}: ${made.errors}`)
  }
  // The peer goes on after it, and ends as it should.
  assert.equal((await fetch(`${peer.url}/healthz`)).status, 200)
  await peer.stop('SIGKILL')

  // The volumes alone are enough for what is archived.
  const volumes = join(folder, 'volumes-only')
  await mkdir(join(volumes, 'store'), { recursive: true })
  for (const name of ['volumes', 'format.json'])
    await cp(join(copy, 'store', name), join(volumes, 'store', name), { recursive: true })
  const rebuilt = await polyhistor(['store', 'rebuild', '--home', volumes])
  assert.equal(rebuilt.code, 0, rebuilt.errors)
  await assertSound(volumes, paths.slice(0, before))

  assert.equal((await stat(copy)).mode & 0o777, 0o700)
  await assertSound(copy, paths.slice(0, before))
  const content = await polyhistor(['store', 'get', put.output.trim(), '--home', copy])
  assert.equal(content.output, 'a content of its own')
  const rules = await polyhistor(['rules', 'list', '--json', '--home', copy])
  assert.match(rules.output, /example\.org/)

  // The restored one goes on with the crawl.
  isHeld = false
  const restored = await startPeer(copy)
  await until('the rest to be crawled', async () => {
    const { jobs } = (await (await fetch(`${restored.url}/api/v1/jobs`)).json()) as {
      jobs: { id: string; state: string }[]
    }
    return jobs.find((job) => job.id === id)?.state === 'done'
  })
  assert.equal(await restored.stop(), 0)
  await assertSound(copy, paths)
})
