// `npm run bench -- crawl-indexing [--rounds 5] [--hosts 20] [--pages 100]`: what the search index costs a crawl. Two peers of this tree,
// one with `search.index` and one without, each with a new home, crawl the same generated web by turns.
//
// The rate is what one waits for: URLs a second from the first request to the last. The index works on threads of low priority, and may
// still be at work then; so the processor time is that until it has all pages, too. The one with divided by the one without, by the
// median of the rounds' ratios (compared.ts). Goal: at least 0.8 of the rate. Needs Linux.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { freePort } from '../src/platform/fixtures/free-port.ts'
import { compared, comparisonCells, type Pair } from './compared.ts'
import { webShapeDefault } from './crawl/generated-web.ts'
import { OriginProcess } from './crawl/origin-process.ts'
import { root } from './earlier-commit.ts'
import { printTable } from './measure.ts'
import { untilAnswering, untilAtRest, withoutScrub } from './replay/starting.ts'
import { processorSeconds } from './scale/processor-time.ts'

interface Turn {
  readonly perSecond: number
  /** Until the crawl had ended. */
  readonly crawlUs: number
  /** Until the peer had come to rest. */
  readonly restUs: number
}

const figures = [
  ['URLs/s', 'perSecond'],
  ['CPU us/URL, crawl', 'crawlUs'],
  ['CPU us/URL, until all is indexed', 'restUs'],
] as const
const program = join(root, 'src', 'cli', 'main.ts')

export async function run(words: string[]): Promise<void> {
  const { values } = parseArgs({
    args: words,
    options: {
      rounds: { type: 'string', default: '5' },
      hosts: { type: 'string', default: '20' },
      pages: { type: 'string', default: '100' },
    },
  })
  const pages = Number(values.pages)
  const shape = { ...webShapeDefault, hosts: Number(values.hosts), pages, images: Math.min(pages, 40) }
  const origin = await OriginProcess.start(shape)
  const pairs: Turn[][] = []
  try {
    // The first round fills the caches of compiled code and of files.
    for (let round = 0; round <= Number(values.rounds); round++) {
      const pair: Turn[] = []
      for (const index of round % 2 === 0 ? [0, 1] : [1, 0]) pair[index] = await takeTurn(origin, index === 1)
      const rates = pair.map(({ perSecond }) => perSecond.toFixed(0)).join(' and ')
      console.error(`round ${round}: ${rates} URLs/s without and with`)
      if (round > 0) pairs.push(pair)
    }
  } finally {
    await origin.stop()
  }
  const rows = figures.map(([name, figure]) => {
    const comparison = compared(
      pairs.map(([without, all]): Pair => ({ before: without![figure], now: all![figure] })),
    )
    return [name, comparison.before.toFixed(0), comparison.now.toFixed(0), ...comparisonCells(comparison)]
  })
  const header = ['crawl by a peer', 'without index', 'with', 'with / without', '95 % interval']
  console.log(printTable([...header, 'geometric mean'], rows))
}

async function takeTurn(origin: OriginProcess, isIndexed: boolean): Promise<Turn> {
  const folder = await mkdtemp(join(tmpdir(), 'crawl-bench-'))
  const home = ['--home', join(folder, 'home')]
  const port = await freePort()
  const allowed = ['--allow-address', '127.0.0.0/8', '--delay', '0', '--ignore-robots']
  const set = ['--set', `search.index=${isIndexed ? 'yes' : 'no'}`, ...withoutScrub]
  const peer = start('peer', ...home, '--http', `localhost:${port}`, ...allowed, ...set)
  try {
    await untilAnswering(`http://127.0.0.1:${port}/`, peer)
    await origin.takeArrivals()
    const before = await processorSeconds(peer.pid!)
    const [code] = (await once(start('crawl', origin.start, ...home, '--scope', 'any'), 'close')) as [number]
    const crawled = await processorSeconds(peer.pid!)
    const arrivals = await origin.takeArrivals()
    const count = new Set(arrivals.map(({ url }) => url)).size
    if (code !== 0 || count < origin.urls.size) throw new Error(`exit code ${code}, ${count} URLs fetched`)
    const seconds = (arrivals.at(-1)!.atMs - arrivals[0]!.atMs) / 1e3
    const usEach = (until: number): number => ((until - before) / count) * 1e6
    return {
      perSecond: count / seconds,
      crawlUs: usEach(crawled),
      restUs: usEach(await untilAtRest(peer)),
    }
  } finally {
    peer.kill()
    if (peer.exitCode === null) await once(peer, 'close')
    await rm(folder, { recursive: true, force: true })
  }
}

function start(...words: string[]): ChildProcess {
  return spawn(process.execPath, [program, ...words], { stdio: 'ignore' })
}
