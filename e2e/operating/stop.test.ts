// A busy peer that is told to stop: what it ends, in which order, and what it leaves.

import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { test } from 'vitest'
import { until } from '../../src/platform/fixtures/until.ts'
import { startPeer } from '../api/peer.ts'
import { polyhistor, temporaryFolder } from '../command.ts'
import { archivedPaths } from '../crawl/crawling.ts'
import { type Pages, startOrigin } from '../crawl/origin.ts'

const paths = Array.from({ length: 200 }, (_, number) => `/${number}`)
const textOf = (number: number) => `<!doctype html><title>${number}</title><a href="/${number + 1}">next</a>`

test('a peer with crawls, readers and streams under way ends them in order, and leaves a whole archive', async () => {
  const chain = Object.fromEntries(paths.map((path, number) => [path, textOf(number)]))
  const origin = await startOrigin(chain)
  let isSilent = true
  const silent: Pages = {
    '/': '<!doctype html><a href="/silent">x</a>',
    '/silent': (_request, response) => {
      if (!isSilent) response.writeHead(200, { 'Content-Type': 'text/html' }).end('at last')
    },
  }
  const silentOrigin = await startOrigin(silent, { address: '127.0.0.2' })
  const home = join(await temporaryFolder(), 'home')
  const peer = await startPeer(home, '--set', 'log.level=info')
  let log = ''
  peer.child.stderr!.on('data', (text) => (log += text))
  const token = (await readFile(join(home, 'token'), 'utf8')).trim()
  const begin = async (url: string): Promise<string> => {
    const answer = await fetch(`${peer.url}/api/v1/jobs`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ url, scope: 'host' }),
    })
    return ((await answer.json()) as { id: string }).id
  }
  const ids = [await begin(origin.url('/0')), await begin(silentOrigin.url('/'))]
  const streams = [
    fetch(`${peer.url}/api/v1/jobs/${ids[1]}/events`),
    fetch(`${peer.url}/api/v1/changes?follow=true`, { headers: { Accept: 'text/event-stream' } }),
  ].map(async (opened) => {
    const answer = await opened
    assert.equal(answer.status, 200)
    return { ended: answer.text() }
  })
  const opened = await Promise.all(streams)
  // Half a request: its sender says nothing more.
  const socket = connect(Number(new URL(peer.url).port), 'localhost')
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()).on('error', () => {}))
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n')
  await until(
    'all to be under way',
    () => origin.arrivals.length > 20 && silentOrigin.arrivals.some(({ path }) => path === '/silent'),
  )

  const code = await peer.stop()
  assert.equal(code, 0, log)
  // The streams came to their end, the silent one was cut off.
  for (const { ended } of opened) await ended
  await closed
  const said = [...log.matchAll(/"msg":"(Stopping|The peer is down)/g)].map(([, words]) => words)
  assert.deepEqual(said, ['Stopping', 'The peer is down'])
  // All is closed: nothing tells of a process that was cut off.
  const left = [...(await readdir(home)), ...(await readdir(join(home, 'store', 'index')))]
  for (const name of ['peer.json', 'unclosed']) assert(!left.includes(name), name)
  assert(!(await readdir(join(home, 'store'))).includes('holder.json'))
  const doctor = JSON.parse((await polyhistor(['doctor', '--json', '--home', home])).output)
  const stateOf = (name: string) => doctor.checks.find((check: { name: string }) => check.name === name).state
  assert.deepEqual([stateOf('leftovers'), stateOf('store')], ['well', 'well'])
  const keptBefore = (await archivedPaths(home)).length

  // What was under way is done by the next one.
  isSilent = false
  const next = await startPeer(home)
  await until('both crawls to end', async () => {
    const { jobs } = (await (await fetch(`${next.url}/api/v1/jobs`)).json()) as { jobs: { state: string }[] }
    return jobs.every(({ state }) => state === 'done')
  })
  assert.equal(await next.stop(), 0)
  const kept = await archivedPaths(home)
  assert(kept.length > keptBefore)
  for (const path of [...paths, '/silent']) assert(kept.includes(path), path)
  const scrubbed = await polyhistor(['store', 'scrub', '--home', home])
  assert.equal(scrubbed.code, 0, scrubbed.errors)
})
