// `npm run bench -- freshness-whole [--hours 12] [--sites 4] [--seed 1]`: as `freshness`, with four whole peers in simulated time: they
// crawl a web whose change times are known, as fast as politeness lets them, keep copies, and tell; a reader at one of them notes when each
// event comes. Beside it polling every page in turn with the same number of requests. The first half of the hours is for learning.

import { parseArgs } from 'node:util'
import { WholeNetwork } from '../sim/peer/whole-network.ts'
import type { Random } from '../src/platform/random.ts'
import { printTable } from './measure.ts'

const peerCount = 4
const pagesPerSite = 25
const delayMs = 10_000
const minuteMs = 60_000
const hourMs = 60 * minuteMs
const stepMs = 30_000
const freshness = { minMs: 30_000, maxMs: 90 * 24 * hourMs }

interface Page {
  readonly host: string
  readonly path: string
  /** When it changes, by the simulation's clock. */
  readonly changesMs: readonly number[]
}

export async function run(words: string[]): Promise<void> {
  const { values } = parseArgs({
    args: words,
    options: {
      hours: { type: 'string', default: '12' },
      sites: { type: 'string', default: '4' },
      seed: { type: 'string', default: '1' },
    },
  })
  const endMs = Number(values.hours) * hourMs
  const seed = `${values.seed} freshness`
  const network = await WholeNetwork.start({
    seed,
    peers: peerCount,
    delayMs,
    freshness,
    eventsPerTurn: 10_000,
  })
  const { simulation } = network.world
  const pages = pagesOf(Number(values.sites), endMs, network.world.random.fork('pages'))
  serve(network, pages)
  await network.settled()
  await network.startJob(
    'peer-0',
    pages.map(({ host, path }) => `http://${host}${path}`),
    'page',
  )
  const told = new Map<string, number[]>()
  const reading = follow(network, told)
  while (simulation.nowMs < endMs) await network.advance(stepMs)
  reading.stop()
  const fromMs = endMs / 2
  const visits = network.web.arrivals.filter(
    ({ path, startMs }) => startMs >= fromMs && path !== '/robots.txt',
  ).length
  const everyMs = (pages.length * (endMs - fromMs)) / visits
  const ours: number[] = []
  const polled: number[] = []
  for (const [index, { host, path, changesMs }] of pages.entries())
    for (const changedMs of changesMs) {
      // The last changes have no time left to be seen by either.
      if (changedMs < fromMs || changedMs > endMs - everyMs) continue
      const times = told.get(`http://${host}${path}`)
      ours.push((times?.find((atMs) => atMs >= changedMs) ?? endMs) - changedMs)
      const turnMs = (index / pages.length) * everyMs
      polled.push(Math.ceil((changedMs - turnMs) / everyMs) * everyMs + turnMs - changedMs)
    }
  const figures = [0.5, 0.99].map((share) => [quantile(ours, share), quantile(polled, share)] as const)
  const means = [mean(ours), mean(polled)] as const
  const minutes = (ms: number): string => (ms / minuteMs).toFixed(1)
  console.log(
    printTable(
      [
        `${pages.length} pages, ${peerCount} whole peers, ${values.hours} h, ${ours.length} changes, ${visits} visits`,
        'median, minutes',
        'mean',
        '99 of 100 within',
      ],
      [
        ['ours', minutes(figures[0]![0]), minutes(means[0]), minutes(figures[1]![0])],
        ['polling in turn', minutes(figures[0]![1]), minutes(means[1]), minutes(figures[1]![1])],
        [
          'polling / ours',
          ...[figures[0]!, means, figures[1]!].map(([own, other]) => (other / own).toFixed(2)),
        ],
      ],
    ),
  )
}

/** Notes when each event comes to whoever reads along at one peer. */
function follow(network: WholeNetwork, told: Map<string, number[]>): { stop(): void } {
  let isStopped = false
  const read = async (): Promise<void> => {
    const lines = await network.follow('peer-1', '/api/v1/changes?follow=true')
    for await (const part of lines ?? []) {
      if (isStopped) return
      for (const line of Buffer.from(part).toString().split('\n')) {
        const { url } = line === '' ? {} : (JSON.parse(line) as { url?: string })
        if (url === undefined) continue
        const times = told.get(url) ?? []
        times.push(network.world.simulation.nowMs)
        told.set(url, times)
      }
    }
  }
  void read()
  return {
    stop: () => {
      isStopped = true
    },
  }
}

/** From once in two minutes to once in 140 days, as many of each. */
function pagesOf(sites: number, endMs: number, random: Random): Page[] {
  return Array.from({ length: sites * pagesPerSite }, (_, index) => {
    const ratePerMs = 1 / (2 * minuteMs * 10 ** (5 * random.fraction()))
    const changesMs: number[] = []
    for (let atMs = 0; ; ) {
      atMs -= Math.log(1 - random.fraction()) / ratePerMs
      if (atMs >= endMs) break
      changesMs.push(atMs)
    }
    return { host: `site-${Math.floor(index / pagesPerSite)}.example`, path: `/${index}`, changesMs }
  })
}

function serve(network: WholeNetwork, pages: readonly Page[]): void {
  for (const [host, own] of Map.groupBy(pages, (page) => page.host)) {
    const byPath = new Map(own.map((page) => [page.path, page]))
    network.web.serve(host, (path) => {
      const page = byPath.get(path)
      if (page === undefined) return undefined
      const version = page.changesMs.filter((atMs) => atMs <= network.world.simulation.nowMs).length
      return { body: `<!doctype html><title>${path}</title><p>Version ${version} of ${host}${path}.` }
    })
  }
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
