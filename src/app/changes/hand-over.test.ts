// A stream over two frontiers of simulated machines, while a site goes from one to the other.

import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'vitest'
import { ChangeStream, type StreamPeers } from '../../changes/stream/change-stream.ts'
import { EventSource } from '../../changes/stream/event-source.ts'
import { openFrontier } from '../../crawl/fixtures/simulated-frontier.ts'
import { parseUrl, type Url } from '../../model/url/url.ts'
import { simulatedWorld } from '../../platform/simulated/world.ts'

const moving = parseUrl('http://moving.test/')
const staying = parseUrl('http://staying.test/')

/** `behindMs`: the clock of the second peer is, since before it began. */
async function opened(behindMs = 0) {
  const world = simulatedWorld({ seed: 1 })
  world.machine('b').faults.clock.jump(-behindMs)
  /** By the ring key of a site, who crawls it. */
  const owners = new Map<string, string>()
  const open = async (name: string) => {
    const { frontier, clock, random } = await openFrontier(world, name)
    const isOpen = (site: string) => owners.get(site) === name
    frontier.sites.share({ isOpen, canCrawl: isOpen }, () => {})
    const waitUntilSafe = async () => {}
    const source = new EventSource({
      clock,
      random,
      events: frontier.changes,
      waitUntilSafe,
      unsettled: () => 0,
      view: () => 0,
    })
    return { name, clock, frontier, source }
  }
  const peers = [await open('a'), await open('b')]
  const give = ({ ringKey }: Url, to: number, epoch: number): void => {
    owners.set(ringKey, peers[to]!.name)
    peers[to]!.frontier.sites.open(ringKey, { epoch, sequence: 1_000 * epoch })
  }
  const visit = async (peer: number, url: Url, body: string): Promise<void> => {
    const { frontier } = peers[peer]!
    const { id } = frontier.jobs.open({ seeds: [], scope: 'any', budgets: {} })
    frontier.visits.revisit(url, id)
    const answer = await world.complete(frontier.nextTask())
    assert(answer.kind === 'task', answer.kind)
    const digest = { algorithm: 'sha256', bytes: hash('sha256', body, 'buffer') } as const
    const event = hash('sha256', url.href + body, 'buffer').subarray(0, 16)
    const facts = { status: 200, mime: 'text/html', digest, bytes: body.length }
    const sighting = { id: event, atMs: Math.floor(frontier.nowMs()), ...facts }
    const observed = { sighting, earlier: () => [] }
    await world.complete(frontier.complete(answer.task, { outcome: 'fetched', status: 200, observed }))
    await world.advance(1_000)
  }
  const streamPeers: StreamPeers = {
    present: () => ['a', 'b'],
    isEnough: () => true,
    isStable: () => true,
    view: () => 0,
    isAlone: () => false,
    read: (name, question, signal) => peers.find((peer) => peer.name === name)!.source.read(question, signal),
  }
  return { world, peers, give, visit, streamPeers }
}

test('what a peer writes whose clock is behind lies behind every cursor, also if nobody reads when it joins', async () => {
  const { world, peers, give, visit, streamPeers } = await opened(60_000)
  peers[1]!.frontier.changes.followClocks(() => 60_000)
  give(staying, 0, 1)
  await visit(0, staying, 'one')
  const { clock } = world.machine('c')
  const { signal } = new AbortController()
  const read = async (cursor: number, present: readonly string[]) => {
    await world.advance(20_000)
    const options = { cursor, isFollowing: false, signal }
    const changes = new ChangeStream(
      { peers: { ...streamPeers, present: () => present }, clock },
      options,
    ).told()
    const urls: string[] = []
    for (let last = cursor; ; ) {
      const { value, done } = await world.complete(changes.next())
      if (done) return { urls, cursor: last }
      last = value.cursor
      if (value.kind === 'events') urls.push(...value.events.map(({ url }) => url))
    }
  }
  const first = await read(0, ['a'])
  assert.deepEqual(first.urls, [staying.href])
  assert(first.cursor > 0)
  give(moving, 1, 1)
  await visit(1, moving, 'one')
  const { urls } = await read(first.cursor, ['a', 'b'])
  assert.deepEqual(urls, [moving.href])
})

test('what one peer wrote and had not told is told by the next, before what that one writes', async () => {
  const { world, peers, give, visit, streamPeers } = await opened()
  const [a, b] = peers
  give(moving, 0, 1)
  give(staying, 1, 1)
  await visit(0, moving, 'one')
  const { clock } = world.machine('c')
  const { signal } = new AbortController()
  const stream = new ChangeStream({ peers: streamPeers, clock }, { cursor: 0, isFollowing: true, signal })
  const told: string[] = []
  const changes = stream.told()
  const take = async (count: number): Promise<void> => {
    for (let steps = 0; told.length < count && steps < 20; steps++) {
      const { value } = await world.complete(changes.next())
      if (value?.kind === 'events')
        for (const event of value.events) told.push(`${event.site} ${event.sequence}`)
    }
  }
  await visit(1, staying, 'one')
  await take(2)
  // Nobody takes what comes now, while the site changes hands.
  await visit(0, moving, 'two')
  const { entries } = a!.frontier.sites.read(moving.ringKey, undefined, 1e9)
  a!.frontier.sites.close(moving.ringKey)
  b!.frontier.jobs.open({ seeds: [], scope: 'any', budgets: {} })
  await world.complete(b!.frontier.sites.bringIn(moving.ringKey, entries, { epoch: 1, sequence: 9 }))
  await visit(1, staying, 'two')
  await take(3)
  give(moving, 1, 2)
  await visit(1, moving, 'three')
  await take(5)
  assert.deepEqual(told.toSorted(), [
    'moving.test 1',
    'moving.test 2',
    'moving.test 3',
    'staying.test 1',
    'staying.test 2',
  ])
  const order = told.filter((event) => event.startsWith('moving'))
  assert.deepEqual(order, ['moving.test 1', 'moving.test 2', 'moving.test 3'])
  await world.complete(changes.return(undefined))
})

test('a follower that has read what there was is soon given a cursor behind it: the next one is told nothing twice', async () => {
  const { world, give, visit, streamPeers } = await opened()
  give(moving, 0, 1)
  give(staying, 1, 1)
  await visit(0, moving, 'one')
  await visit(1, staying, 'one')
  await world.advance(20_000)
  const { clock } = world.machine('c')
  const followFor = async (cursor: number, ms: number) => {
    const ending = new AbortController()
    clock.after(ms, () => ending.abort())
    const { signal } = ending
    const stream = new ChangeStream({ peers: streamPeers, clock }, { cursor, isFollowing: true, signal })
    const told = { events: 0, cursor }
    for (const changes = stream.told(); ; ) {
      const { value, done } = await world.complete(changes.next())
      if (done) return told
      told.cursor = value.cursor
      if (value.kind === 'events') told.events += value.events.length
    }
  }
  const first = await followFor(0, 4_000)
  assert.equal(first.events, 2)
  assert.equal((await followFor(first.cursor, 4_000)).events, 0)
})
