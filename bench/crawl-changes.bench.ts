// `npm run bench -- crawl-changes [--rounds 6] [--hosts 20] [--pages 250] [--without changes,links]`: what the stream of changes, the
// comparison of versions and the link graph cost a crawl. Two crawlers of this tree crawl the same generated web by turns, one with all
// of it, one without, each into its own home: a first crawl, one after a tenth of the pages were edited, and one after all were; as a
// peer does, in one process for all three.
//
// The processor time of a crawl divided by its URLs, and the one with divided by the one without; by the median of the rounds' ratios
// (compared.ts). The first crawl's has the start of the program in it. Wall time beside it: on a machine with idle cores that is what one
// waits for.

import { type ChildProcess, fork } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { compared, comparisonCells, type Pair } from './compared.ts'
import { webShapeDefault } from './crawl/generated-web.ts'
import type { CrawlDone } from './crawl/home-crawl.ts'
import { OriginProcess } from './crawl/origin-process.ts'
import { printTable } from './measure.ts'

interface Turn {
  readonly cpuUs: number
  readonly wallUs: number
}

interface Contender {
  readonly name: string
  readonly words: readonly string[]
}

/** By phase: what share of the pages is edited before it. */
const phases = [
  ['first crawl', 0],
  ['10 % of pages changed', 0.1],
  ['all pages changed', 1],
] as const

export async function run(words: string[]): Promise<void> {
  const { values } = parseArgs({
    args: words,
    options: {
      rounds: { type: 'string', default: '6' },
      hosts: { type: 'string', default: '20' },
      pages: { type: 'string', default: '250' },
      without: { type: 'string', default: 'changes,links' },
    },
  })
  const without = values.without.split(',').map((word) => `without-${word}`)
  const contenders = [
    { name: 'without', words: without },
    { name: 'with', words: [] },
  ]
  const shape = { ...webShapeDefault, hosts: Number(values.hosts), pages: Number(values.pages) }
  const pairs = new Map<string, Turn[][]>(phases.map(([name]) => [name, []]))
  for (let round = 0; round <= Number(values.rounds); round++) {
    const turns = await runRound(contenders, shape, round)
    // The first fills the caches of compiled code and of files.
    if (round > 0) for (const [name, pair] of turns) pairs.get(name)!.push(pair)
  }
  print(values.without, pairs)
}

async function runRound(
  contenders: readonly Contender[],
  shape: typeof webShapeDefault,
  round: number,
): Promise<Map<string, Turn[]>> {
  const origin = await OriginProcess.start(shape)
  const folder = await mkdtemp(join(tmpdir(), 'crawl-bench-'))
  const crawlers: ChildProcess[] = []
  const turns = new Map<string, Turn[]>()
  try {
    for (const { name, words } of contenders)
      crawlers.push(await startCrawler([origin.start, join(folder, name), ...words]))
    for (const [phase, share] of phases) {
      if (share > 0) await origin.change(share)
      const pair: Turn[] = []
      for (const index of round % 2 === 0 ? [0, 1] : [1, 0])
        pair[index] = await takeTurn(origin, crawlers[index]!)
      turns.set(phase, pair)
      const [without, all] = pair.map(({ cpuUs }) => cpuUs.toFixed(0))
      console.error(`round ${round}, ${phase}: ${without} without and ${all} with, us a URL`)
    }
  } finally {
    for (const crawler of crawlers) await endCrawler(crawler)
    await origin.stop()
    await rm(folder, { recursive: true, force: true })
  }
  return turns
}

async function startCrawler(words: readonly string[]): Promise<ChildProcess> {
  const child = fork(join(import.meta.dirname, 'crawl', 'home-crawl.ts'), words)
  await answerOf(child)
  return child
}

async function endCrawler(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.disconnect()
  await ended
}

async function takeTurn(origin: OriginProcess, crawler: ChildProcess): Promise<Turn> {
  await origin.takeArrivals()
  crawler.send('crawl')
  const { cpuSeconds, seconds } = (await answerOf(crawler)) as CrawlDone
  const { urls } = origin
  const fetched = new Set((await origin.takeArrivals()).map(({ url }) => url))
  const unfetched = [...urls].filter((url) => !fetched.has(url)).length
  if (unfetched > 0) throw new Error(`${unfetched} URLs were not fetched`)
  return { cpuUs: (cpuSeconds / urls.size) * 1e6, wallUs: (seconds / urls.size) * 1e6 }
}

function answerOf(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const ended = () => reject(new Error('The crawler ended.'))
    child.once('exit', ended)
    child.once('message', (answer) => {
      child.off('exit', ended)
      resolve(answer)
    })
  })
}

function print(without: string, pairs: ReadonlyMap<string, readonly Turn[][]>): void {
  const rows = [...pairs].flatMap(([phase, list]) =>
    (['cpuUs', 'wallUs'] as const).map((figure) => {
      const comparison = compared(
        list.map(([before, now]): Pair => ({ before: before![figure], now: now![figure] })),
      )
      const name = figure === 'cpuUs' ? 'CPU' : 'wall'
      return [
        `${phase}, ${name} us/URL`,
        comparison.before.toFixed(0),
        comparison.now.toFixed(0),
        ...comparisonCells(comparison),
        (1 / comparison.ratio).toFixed(3),
      ]
    }),
  )
  const header = ['crawl', `without ${without}`, 'with', 'with / without', '95 % interval']
  console.log(printTable([...header, 'geometric mean', 'speed'], rows))
}
