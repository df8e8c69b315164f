// What of a change is noise, on frontiers of simulated machines: a page with a clock, an edit of it, a crash, another frontier.

import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'vitest'
import { decodeEvent, type StoredEvent } from '../../../changes/event-coding.ts'
import { positionAfter } from '../../../changes/local-events.ts'
import type { VersionBytes } from '../../../changes/page-change/version-bytes.ts'
import { compareVersions } from '../../../changes/page-change/version-work.ts'
import { parseUrl } from '../../../model/url/url.ts'
import { simulatedWorld } from '../../../platform/simulated/world.ts'
import { openFrontier } from '../../fixtures/simulated-frontier.ts'
import type { Frontier } from '../frontier.ts'
import { isReadableEntry } from '../sites/entry-check.ts'
import type { SiteChanges } from '../sites/site-log.ts'
import type { SiteEntry } from '../sites/site-transfer.ts'

const url = parseUrl('http://a.test/')
const hourMs = 3_600_000

class Bench {
  readonly world = simulatedWorld({ seed: 1 })
  frontier!: Frontier
  #last: VersionBytes | undefined
  #visits = 0
  readonly #everyMs: number

  constructor(everyMs = hourMs) {
    this.#everyMs = everyMs
  }

  async open(name = 'a'): Promise<this> {
    this.frontier = (await openFrontier(this.world, name)).frontier
    return this
  }

  /** Some time later. The page has the time of the visit on it, and this; it is as it was before without. */
  async visit(text?: string): Promise<StoredEvent | undefined> {
    const { frontier, world } = this
    await world.advance(this.#everyMs)
    const { id } = frontier.jobs.open({ seeds: [], scope: 'any', budgets: {} })
    frontier.visits.revisit(url, id)
    const answer = await world.complete(frontier.nextTask())
    assert(answer.kind === 'task', answer.kind)
    const before = this.#last
    const after = text === undefined ? before! : this.#version(text)
    this.#last = after
    const isCompared = before !== undefined && text !== undefined
    const difference = isCompared ? await compareVersions({ before, after }) : undefined
    const digest = { algorithm: 'sha256', bytes: hash('sha256', after.bytes, 'buffer') } as const
    const eventId = hash('sha256', `${frontier.nowMs()}`, 'buffer').subarray(0, 16)
    const facts = { id: eventId, atMs: Math.floor(frontier.nowMs()), status: 200, mime: 'text/html' }
    const sighting = { ...facts, digest, bytes: after.bytes.length }
    const observed = { sighting, difference, earlier: () => [] }
    const known = this.events.length
    await world.complete(frontier.complete(answer.task, { outcome: 'fetched', status: 200, observed }))
    await world.complete(frontier.flush())
    return this.events[known]
  }

  /** Whether the change was told as noise, for each of these visits. */
  async cosmetic(...texts: string[]): Promise<(boolean | undefined)[]> {
    const told: (boolean | undefined)[] = []
    for (const text of texts) told.push((await this.visit(text))?.cosmetic)
    return told
  }

  get events(): StoredEvent[] {
    const { changes } = this.frontier
    const { generation } = changes
    const range = { after: positionAfter(0), takenAfter: -1, generation, countMax: 100, bytesMax: 1e6 }
    return changes.page(range).events.map(({ bytes }) => decodeEvent(bytes))
  }

  get entries(): readonly SiteEntry[] {
    return this.frontier.sites.read(url.ringKey, undefined, 1e9).entries
  }

  get memories(): SiteEntry[] {
    return this.entries.filter(([name]) => name.startsWith('m'))
  }

  #version(text: string): VersionBytes {
    const now = `12:${10 + ++this.#visits}:05`
    const html = `<title>${text}</title><p class=now>${now}</p><p>It ${text} in town.</p>`
    return {
      bytes: Buffer.from(html),
      contentEncoding: undefined,
      contentType: 'text/html',
      url: url.href,
      capturedAtMs: Math.floor(this.frontier.nowMs()),
    }
  }
}

const learned = ['rains', 'rains', 'rains', 'rains']

test('a clock is noise after four visits, and an edit beside it is not', async () => {
  const bench = await new Bench().open()
  assert.deepEqual(await bench.cosmetic(...learned), [false, false, false, false])
  const noise = (await bench.visit('rains'))!
  assert(noise.cosmetic)
  assert.deepEqual(noise.ignored, [
    { path: 'p.now', reason: 'differs at every visit', before: '12:14:05', after: '12:15:05' },
  ])
  const edit = (await bench.visit('snows'))!
  const { cosmetic, wordShare, titleBefore, title, linksAdded } = edit
  assert.deepEqual([cosmetic, titleBefore, title, linksAdded], [false, 'rains', 'snows', 0])
  assert(wordShare! > 0 && wordShare! < 1)
  assert.deepEqual(await bench.cosmetic('snows'), [true])
})

test('what was learned lasts, and visits without a change count against it', async () => {
  const bench = await new Bench().open()
  await bench.cosmetic(...learned)
  bench.world.machine('a').crash()
  bench.world.machine('a').restart()
  await bench.open()
  assert.deepEqual(await bench.cosmetic('rains'), [true])
  for (let visit = 0; visit < 5; visit++) assert.equal(await bench.visit(), undefined)
  assert.deepEqual(await bench.cosmetic('rains'), [false], 'it stood still for most of the time')
})

test('a page that never changed has no memory', async () => {
  const bench = await new Bench().open()
  await bench.visit('rains')
  await bench.visit()
  assert.deepEqual(bench.memories, [])
})

test('a site takes along what was learned, and what cannot be read is left out', async () => {
  const giver = await new Bench().open()
  await giver.cosmetic(...learned)
  const { entries, memories } = giver
  assert.equal(memories.length, 2, 'of the site and of its page')
  for (const [name, value] of memories) {
    assert(isReadableEntry(url.ringKey, name, value))
    assert(!isReadableEntry(url.ringKey, name, value.subarray(1)))
    assert(!isReadableEntry(url.ringKey, `${name}x`, value))
  }
  await giver.world.complete(giver.frontier.sites.remove(url.ringKey))
  await giver.open('b')
  giver.frontier.jobs.open({ seeds: [], scope: 'any', budgets: {} })
  const { sites } = giver.frontier
  await giver.world.complete(sites.bringIn(url.ringKey, entries, { epoch: 1, sequence: 1 }))
  assert.deepEqual(await giver.cosmetic('rains', 'snows'), [true, false])
})

test('what was learned of a site is shipped now and then, is whole when it is handed over, and goes with it', async () => {
  const bench = await new Bench(60_000).open()
  const shipped: SiteChanges['entries'][] = []
  bench.frontier.sites.share({ isOpen: () => true, canCrawl: () => true }, (changes) => {
    for (const { entries } of changes) shipped.push(entries)
  })
  bench.frontier.sites.open(url.ringKey, { epoch: 1, sequence: 1 })
  const visits = Array.from({ length: 31 }, () => 'rains')
  await bench.cosmetic(...visits)
  const ofSite = shipped.filter((entries) => entries.has('m'))
  const ofPage = shipped.filter((entries) => [...entries.keys()].some((name) => /^m./s.test(name)))
  assert.equal(ofPage.length, 30)
  assert(ofSite.length >= 2 && ofSite.length <= 5, `${ofSite.length} times`)
  const [, whole] = bench.memories.find(([name]) => name === 'm')!
  const last = ofSite.at(-1)!.get('m') as Uint8Array
  assert.notEqual(Buffer.compare(whole, last), 0, 'who takes the site over gets all that was learned')
  await bench.visit('rains')
  await bench.world.complete(bench.frontier.sites.remove(url.ringKey))
  await bench.world.advance(hourMs)
  assert.deepEqual(bench.entries, [], 'nothing is written of a site that is gone')
})
