// Two simulated machines: one kept a page and lost the site before it could tell; the other visited the page, and gets the copy then.

import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'vitest'
import { decodeEvent } from '../../changes/event-coding.ts'
import { type KeptCapture, LateCaptures } from '../../changes/late-captures.ts'
import { positionAfter } from '../../changes/local-events.ts'
import type { Sighting } from '../../changes/page-state.ts'
import { openFrontier } from '../../crawl/fixtures/simulated-frontier.ts'
import { PolyhistorError } from '../../errors.ts'
import { parseUrl } from '../../model/url/url.ts'
import { simulatedWorld } from '../../platform/simulated/world.ts'

const url = parseUrl('http://a.test/')
const minuteMs = 60_000

async function opened() {
  const world = simulatedWorld({ seed: 1 })
  const { frontier, clock } = await openFrontier(world)
  const owned = { isOurs: true }
  const isOpen = () => owned.isOurs
  frontier.sites.share({ isOpen, canCrawl: isOpen }, () => {})
  const kept: KeptCapture[] = []
  const spread: string[] = []
  const trouble = { isAlone: false, waitMs: 0 }
  const late = new LateCaptures({
    clock,
    log: frontier.changes,
    captures: function* () {
      yield* kept.toSorted((one, other) => one.sighting.atMs - other.sighting.atMs)
    },
    before: () => undefined,
    spread: async ({ cursor }) => {
      if (trouble.waitMs > 0) await clock.sleep(trouble.waitMs)
      if (trouble.isAlone) throw new PolyhistorError('copies-too-few', 'nobody else keeps it')
      spread.push(cursor)
    },
  })
  const keep = (body: string, status = 200, atMs = Math.floor(frontier.nowMs())): Sighting => {
    const digest = { algorithm: 'sha256', bytes: hash('sha256', body, 'buffer') } as const
    const id = hash('sha256', `${body} ${atMs}`, 'buffer').subarray(0, 16)
    const sighting = { id, atMs, status, mime: 'text/html', digest, bytes: body.length }
    kept.push({ url: url.href, surt: url.surt, sighting, isImported: false, cursor: body })
    return sighting
  }
  const visit = async (body: string, status = 200): Promise<void> => {
    const { id } = frontier.jobs.open({ seeds: [], scope: 'any', budgets: {} })
    frontier.visits.revisit(url, id)
    const answer = await world.complete(frontier.nextTask())
    assert(answer.kind === 'task', answer.kind)
    const observed = { sighting: keep(body, status), earlier: () => [] }
    await world.complete(frontier.complete(answer.task, { outcome: 'fetched', status, observed }))
    await world.advance(1_000)
  }
  const told = (): string[] => {
    const { generation } = frontier.changes
    const range = { after: positionAfter(0), takenAfter: -1, generation, countMax: 100, bytesMax: 1e6 }
    const events = frontier.changes.page(range).events.map(({ bytes }) => decodeEvent(bytes))
    return events.map(
      ({ kind, sequence, atMs }) =>
        `${sequence} ${kind} ${kept.findIndex(({ sighting }) => sighting.atMs === atMs)}`,
    )
  }
  return { world, frontier, late, owned, keep, visit, told, spread, trouble }
}

/** The copy of a capture of some time ago comes when the page was visited twice: it was another, and is gone. */
async function lateCopy() {
  const parts = await opened()
  const { frontier, world, visit, keep, told } = parts
  frontier.sites.open(url.ringKey, { epoch: 1, sequence: 1 })
  await visit('one')
  await world.advance(10 * minuteMs)
  const orphanMs = Math.floor(frontier.nowMs())
  await world.advance(minuteMs)
  await visit('', 404)
  assert.deepEqual(told(), ['1 new 0', '2 gone 1'])
  await world.advance(10 * minuteMs)
  keep('two', 200, orphanMs)
  return parts
}

test('a capture whose copy comes late is told, once, and when it is safe', async () => {
  const { world, late, told, spread, trouble } = await lateCopy()
  trouble.isAlone = true
  late.arrived(url.ringKey)
  await world.advance(5 * minuteMs)
  assert.deepEqual(told(), ['1 new 0', '2 gone 1'], 'nobody else keeps it yet')
  trouble.isAlone = false
  await world.advance(5 * minuteMs)
  assert.deepEqual(told(), ['1 new 0', '2 gone 1', '3 changed 2'])
  assert.deepEqual(spread, ['two'])
  late.arrived(url.ringKey)
  await world.advance(5 * minuteMs)
  assert.equal(told().length, 3)
  await world.complete(late.close())
})

test('a look that waited for others in vain puts the next ones off no longer', async () => {
  const { world, late, told, trouble } = await lateCopy()
  trouble.isAlone = true
  trouble.waitMs = minuteMs
  late.arrived(url.ringKey)
  await world.advance(3 * minuteMs)
  trouble.isAlone = false
  await world.advance(4 * minuteMs)
  assert.deepEqual(told(), ['1 new 0', '2 gone 1', '3 changed 2'])
  await world.complete(late.close())
})

test('a copy from a peer whose clock is ahead of ours is told when our clock has come that far', async () => {
  const { world, frontier, late, visit, keep, told } = await opened()
  frontier.sites.open(url.ringKey, { epoch: 1, sequence: 1 })
  await visit('one')
  await world.advance(10 * minuteMs)
  keep('two', 200, Math.floor(frontier.nowMs()) + 2 * minuteMs)
  late.arrived(url.ringKey)
  await world.advance(2 * minuteMs)
  assert.deepEqual(told(), ['1 new 0'])
  await world.advance(2 * minuteMs)
  assert.deepEqual(told(), ['1 new 0', '2 changed 1'])
  await world.complete(late.close())
})

test('whoever takes the site over looks for what was not told', async () => {
  const { world, frontier, late, told } = await lateCopy()
  await world.advance(5 * minuteMs)
  frontier.sites.open(url.ringKey, { epoch: 2, sequence: 9 })
  await world.advance(5 * minuteMs)
  assert.deepEqual(told(), ['1 new 0', '2 gone 1', '3 changed 2'])
  await world.complete(late.close())
})

test('nothing is told of a site that another peer crawls', async () => {
  const { world, late, owned, told } = await lateCopy()
  late.arrived(url.ringKey)
  owned.isOurs = false
  await world.advance(5 * minuteMs)
  owned.isOurs = true
  assert.deepEqual(told(), ['1 new 0', '2 gone 1'])
  await world.complete(late.close())
})

test('a page that is being visited is left to its visit', async () => {
  const { world, frontier, late, visit, keep, told } = await opened()
  frontier.sites.open(url.ringKey, { epoch: 1, sequence: 1 })
  await visit('one')
  await world.advance(10 * minuteMs)
  late.arrived(url.ringKey)
  await world.advance(minuteMs - 20_000)
  keep('two')
  await world.advance(30_000)
  assert.deepEqual(told(), ['1 new 0'])
  await world.complete(late.close())
})
