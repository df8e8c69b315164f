// `npm run bench -- freshness [--pages 1000] [--days 60] [--every 2] [--seed 1]`: how long after a page has changed its event can be read,
// on a generated web whose change times are known, beside polling every page in turn with the same number of requests. Four peers'
// frontiers plan the visits, note what they show and log the events, in simulated time; a stream reads all events from all four at the
// end. Every change counts, also one that nobody sees because the next one came first: it is told with that. `--every`: the requests are
// enough for a visit to each page in so many days. The first half of the days is for learning.

import { hash } from 'node:crypto'
import { parseArgs } from 'node:util'
import { type PopulationKind, population } from '../sim/recrawl/population.ts'
import { ChangeStream, type StreamPeers } from '../src/changes/stream/change-stream.ts'
import { EventSource } from '../src/changes/stream/event-source.ts'
import { Frontier } from '../src/crawl/frontier/frontier.ts'
import { politenessOff } from '../src/crawl/politeness/politeness-rules.ts'
import { openFreshJob } from '../src/crawl/recrawl/recrawl-loop.ts'
import { parseUrl, type Url } from '../src/model/url/url.ts'
import type { Random } from '../src/platform/random.ts'
import { type SimulatedWorld, simulatedWorld } from '../src/platform/simulated/world.ts'
import { printTable } from './measure.ts'

const peerCount = 4
const pagesPerSite = 25
const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
const stepMs = 5 * minuteMs
const bounds = { minMs: 5 * minuteMs, maxMs: 90 * dayMs }

type Kind = PopulationKind | 'five orders of magnitude'

interface Page {
  readonly url: Url
  readonly peer: number
  /** When it changes, by the simulation's clock. */
  readonly changesMs: readonly number[]
  seen: number
  wasSeen: boolean
}

export async function run(words: string[]): Promise<void> {
  const { values } = parseArgs({
    args: words,
    options: {
      pages: { type: 'string', default: '1000' },
      days: { type: 'string', default: '60' },
      every: { type: 'string', default: '2' },
      seed: { type: 'string', default: '1' },
    },
  })
  const options = {
    pages: Number(values.pages),
    days: Number(values.days),
    every: Number(values.every),
    seed: values.seed,
  }
  const rows: string[][] = []
  for (const kind of ['lognormal', 'power-law', 'five orders of magnitude'] as const)
    rows.push(...(await measured(kind, options)))
  const about = `${options.pages} pages on ${peerCount} peers, ${options.days} days, a visit to each in ${options.every} days`
  console.log(printTable([about, 'changes', 'visits', 'median, hours', 'mean', '99 of 100 within'], rows))
}

interface Options {
  readonly pages: number
  readonly days: number
  readonly every: number
  readonly seed: string
}

async function measured(kind: Kind, { pages: pageCount, days, every, seed }: Options): Promise<string[][]> {
  const world = simulatedWorld({ seed: `${seed} ${kind}` })
  const endMs = days * dayMs
  const pages = pagesOf(ratesOf(kind, world.random, pageCount), endMs, world.random)
  const budgetPerMs = pagesPerSite / (every * dayMs)
  const peers: BenchPeer[] = []
  for (let index = 0; index < peerCount; index++) peers.push(await openPeer(world, index, pages, budgetPerMs))
  const countFromMs = endMs / 2
  let visits = 0
  for (const peer of peers) for (const page of peer.pages) await peer.visit(page)
  while (world.simulation.nowMs < endMs) {
    await world.advance(stepMs)
    for (const peer of peers) {
      const count = await peer.visitDue()
      if (world.simulation.nowMs >= countFromMs) visits += count
    }
  }
  const told = await readAll(world, peers)
  const ours: number[] = []
  const polled: number[] = []
  const everyMs = (pageCount * (endMs - countFromMs)) / visits
  for (const [index, { url, changesMs }] of pages.entries())
    for (const changedMs of changesMs) {
      // The last changes have no time left to be seen by either.
      if (changedMs < countFromMs || changedMs > endMs - everyMs) continue
      const eventMs = told.get(url.href)?.find((stampMs) => stampMs >= changedMs) ?? endMs
      ours.push(eventMs - changedMs)
      const turnMs = (index / pageCount) * everyMs
      polled.push(Math.ceil((changedMs - turnMs) / everyMs) * everyMs + turnMs - changedMs)
    }
  const row = (name: string, delays: readonly number[]): string[] => [
    name,
    String(delays.length),
    String(visits),
    ...[quantile(delays, 0.5), mean(delays), quantile(delays, 0.99)].map((ms) => (ms / hourMs).toFixed(1)),
  ]
  const ratio = (of: (delays: readonly number[]) => number): string => (of(polled) / of(ours)).toFixed(2)
  return [
    row(`${kind}: ours`, ours),
    row('  polling in turn', polled),
    [
      '  polling / ours',
      '',
      '',
      ratio((d) => quantile(d, 0.5)),
      ratio(mean),
      ratio((d) => quantile(d, 0.99)),
    ],
  ]
}

type BenchPeer = Awaited<ReturnType<typeof openPeer>>

async function openPeer(world: SimulatedWorld, index: number, all: readonly Page[], budgetPerMs: number) {
  const { keyValues, clock, random } = world.machine(`peer-${index}`)
  const keyValue = await world.complete(keyValues.open('/frontier'))
  const frontier = new Frontier(
    { keyValue, clock, random },
    { politeness: politenessOff, recrawlTermsOf: () => ({ budgetPerMs, bounds }) },
  )
  const pages = all.filter(({ peer }) => peer === index)
  const byHref = new Map(pages.map((page) => [page.url.href, page]))
  const source = new EventSource({
    clock,
    random,
    events: frontier.changes,
    waitUntilSafe: async () => {},
    unsettled: () => 0,
    view: () => 0,
  })
  const visit = async (page: Page): Promise<void> => {
    const { url, changesMs } = page
    const nowMs = world.simulation.nowMs
    const before = page.seen
    while (page.seen < changesMs.length && changesMs[page.seen]! <= nowMs) page.seen++
    const outcome = !page.wasSeen ? 'new' : page.seen > before ? 'changed' : 'same'
    page.wasSeen = true
    frontier.visits.revisit(url, openFreshJob(frontier))
    const answer = await world.complete(frontier.nextTask())
    if (answer.kind !== 'task') throw new Error(answer.kind)
    const atMs = Math.floor(frontier.nowMs())
    const digest = {
      algorithm: 'sha256',
      bytes: hash('sha256', `${url.href} ${page.seen}`, 'buffer'),
    } as const
    const id = hash('sha256', `${url.href} ${atMs}`, 'buffer').subarray(0, 16)
    const sighting = { id, atMs, status: 200, mime: 'text/html', digest, bytes: 1_000 }
    frontier.visits.visited(url, { atMs, outcome })
    const observed = { sighting, earlier: () => [] }
    await world.complete(frontier.complete(answer.task, { outcome: 'fetched', status: 200, observed }))
  }
  return {
    source,
    pages,
    visit,
    visitDue: async (): Promise<number> => {
      const due = frontier.visits.due(1_000)
      for (const href of due) await visit(byHref.get(href)!)
      return due.length
    },
  }
}

/** By URL, when events were written, by the simulation's clock. */
async function readAll(world: SimulatedWorld, peers: readonly BenchPeer[]): Promise<Map<string, number[]>> {
  const startMs = world.machine('reader').clock.nowMs() - world.simulation.nowMs
  const streamPeers: StreamPeers = {
    present: () => peers.map((_, index) => String(index)),
    isEnough: () => true,
    isStable: () => true,
    view: () => 0,
    isAlone: () => false,
    read: (name, question, signal) => peers[Number(name)]!.source.read(question, signal),
  }
  const { clock } = world.machine('reader')
  const { signal } = new AbortController()
  const options = { cursor: 0, isFollowing: false, signal }
  const changes = new ChangeStream({ peers: streamPeers, clock }, options).told()
  const told = new Map<string, number[]>()
  for (;;) {
    const { value, done } = await world.complete(changes.next())
    if (done) return told
    if (value.kind !== 'events') continue
    for (const { url, atMs } of value.events) {
      const times = told.get(url) ?? []
      times.push(atMs - startMs)
      told.set(url, times)
    }
  }
}

function pagesOf(ratesPerMs: readonly number[], endMs: number, random: Random): Page[] {
  return ratesPerMs.map((rate, index) => {
    const site = Math.floor(index / pagesPerSite)
    const changesMs: number[] = []
    for (let atMs = nextAfter(0, rate, random); atMs < endMs; atMs = nextAfter(atMs, rate, random))
      changesMs.push(atMs)
    const url = parseUrl(`http://site-${site}.example/${index}`)
    return { url, peer: site % peerCount, changesMs, seen: 0, wasSeen: false }
  })
}

function nextAfter(atMs: number, ratePerMs: number, random: Random): number {
  return atMs - Math.log(1 - random.fraction()) / ratePerMs
}

/** The last: from once in ten minutes to once in two years, as many of each. */
function ratesOf(kind: Kind, random: Random, count: number): readonly number[] {
  if (kind !== 'five orders of magnitude') return population(random, kind, count).ratesPerMs
  return Array.from({ length: count }, () => 1 / (10 * minuteMs * 10 ** (5 * random.fraction())))
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
