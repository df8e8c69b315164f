// `npm run bench -- crawl [--hosts 20] [--pages 250] [--rounds 3] [--quick] [--crawlee FOLDER] [--only NAME,…]`: crawls a
// generated web, politeness off for all: this crawler, which archives everything durably with index and links, against
// wget with WARC output, wget2, Scrapy and Crawlee, which only fetch; and a floor, the plainest program on the same libraries
// that fetches and keeps the same, which tells how much there is to gain.
//
// Contenders take turns within every round, and nothing is loaded into any of them: memory and processor time are what the
// system tells of their processes. How late the event loop is can only be measured from within, so ours crawls once more for
// that in each round. The origin's log tells whether each fetched the same set, once.

import { parseArgs } from 'node:util'
import { type CrawlContender, crawlee, floor, polyhistor, scrapy, wget, wget2 } from './crawl/contender.ts'
import { webShapeDefault } from './crawl/generated-web.ts'
import type { LoopReport } from './crawl/loop-watch.ts'
import { OriginProcess } from './crawl/origin-process.ts'
import { runTrial, type Trial, watchLoop } from './crawl/trial.ts'
import { median, printTable } from './measure.ts'

const goals = new Map([
  [wget.name, 3],
  [crawlee(undefined).name, 10],
])

export async function run(words: string[]): Promise<void> {
  const { values } = parseArgs({
    args: words,
    options: {
      hosts: { type: 'string', default: '20' },
      pages: { type: 'string', default: '250' },
      rounds: { type: 'string', default: '3' },
      quick: { type: 'boolean', default: false },
      crawlee: { type: 'string' },
      only: { type: 'string', default: '' },
    },
  })
  const all = [polyhistor('gzip'), polyhistor('zstd'), floor, wget, wget2, scrapy, crawlee(values.crawlee)]
  const only = values.only.toLowerCase().split(',')
  const wanted = all.filter(({ name }) => only.some((word) => name.toLowerCase().includes(word)))
  const missing = wanted.filter((contender) => contender.missing !== undefined)
  const contenders = wanted.filter((contender) => contender.missing === undefined)
  const pages = values.quick ? 25 : Number(values.pages)
  const images = Math.min(pages, webShapeDefault.images)
  const shape = { ...webShapeDefault, hosts: Number(values.hosts), pages, images }
  const origin = await OriginProcess.start(shape)
  try {
    const count = origin.urls.size
    console.log(
      `${values.hosts} hosts x ${pages} pages and ${images} images: ${count} URLs, ${megabytes(origin.bytes / 1e6)} MB`,
    )
    const { trials, loops } = await runRounds(contenders, origin, values.quick ? 1 : Number(values.rounds))
    print(trials)
    printLoops(loops)
    for (const { name, missing: how } of missing) console.log(`missing: ${name} (install it: ${how})`)
  } finally {
    await origin.stop()
  }
}

async function runRounds(
  contenders: readonly CrawlContender[],
  origin: OriginProcess,
  rounds: number,
): Promise<{ trials: Map<string, Trial[]>; loops: Map<string, LoopReport[]> }> {
  const looping = contenders.filter(({ hasEventLoop }) => hasEventLoop)
  const trials = new Map<string, Trial[]>(contenders.map(({ name }) => [name, []]))
  const loops = new Map<string, LoopReport[]>(looping.map(({ name }) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (const contender of contenders) {
      const trial = await runTrial(contender, origin)
      trials.get(contender.name)!.push(trial)
      console.log(`round ${round + 1}: ${contender.name}: ${rate(trial).toFixed(0)}/s${oddities(trial)}`)
    }
    for (const contender of looping) loops.get(contender.name)!.push(await watchLoop(contender, origin))
  }
  return { trials, loops }
}

function print(trials: Map<string, Trial[]>): void {
  const ours = medianOf(trials.get(polyhistor('gzip').name) ?? [], rate)
  const header = ['', 'URLs/s', 'while asking', 'ours is', 'goal', 'peak MB', 'disk MB', 'CPU s']
  const rows = [...trials].map(([name, list]) => {
    const perSecond = medianOf(list, rate)
    const isOurs = name.startsWith('polyhistor')
    return [
      name,
      perSecond.toFixed(0),
      medianOf(list, (trial) => trial.fetched / trial.askingSeconds).toFixed(0),
      isOurs || Number.isNaN(ours) ? '' : `${(ours / perSecond).toFixed(2)} x`,
      goals.has(name) ? `>= ${goals.get(name)} x` : '',
      megabytes(medianOf(list, (trial) => trial.peakMegabytes)),
      megabytes(medianOf(list, (trial) => trial.diskMegabytes)),
      medianOf(list, (trial) => trial.processorSeconds).toFixed(2),
    ]
  })
  console.log(`\n${printTable(header, rows)}`)
}

function printLoops(loops: Map<string, LoopReport[]>): void {
  const rows = [...loops].map(([name, list]) => [
    name,
    ...(['p50Ms', 'p99Ms', 'p999Ms', 'maxMs'] as const).map((key) =>
      medianOf(list, (loop) => loop[key]).toFixed(1),
    ),
  ])
  console.log(
    `\n${printTable(['event loop delay, ms (goal: p99.9 <= 50)', 'p50', 'p99', 'p99.9', 'max'], rows)}`,
  )
}

/** Of the whole command, from its start to its end. */
function rate({ fetched, seconds }: Trial): number {
  return fetched / seconds
}

function oddities({ exitCode, unfetched, twice, requests, fetched }: Trial): string {
  const said = [
    exitCode === 0 ? '' : `exit code ${exitCode}`,
    unfetched === 0 ? '' : `${unfetched} URLs not fetched`,
    twice === 0 ? '' : `${twice} fetched more than once`,
    requests === fetched ? '' : `${requests - fetched} other requests`,
  ].filter((text) => text !== '')
  return said.length === 0 ? '' : ` (${said.join(', ')})`
}

function medianOf<Measured>(list: readonly Measured[], value: (measured: Measured) => number): number {
  return list.length === 0 ? Number.NaN : median(list.map(value))
}

function megabytes(count: number): string {
  return count.toFixed(0)
}
