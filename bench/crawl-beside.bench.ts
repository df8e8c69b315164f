// `npm run bench -- crawl-beside COMMIT [--rounds 10] [--hosts 20] [--pages 250]`: the crawler of an earlier commit and that of this
// tree crawl the same generated web by turns, politeness off, into gzip volumes; the processor time of a whole crawl, from start to
// end, divided by its URLs, and this tree's divided by the commit's. The web is that of the benchmark `crawl`; in a smaller one the
// start of the program, half a second, counts for more.
//
// By processor time, and by the median of the rounds' ratios (compared.ts): rates of a shared machine swing too much. Programs are
// run as they are, without bin/polyhistor, whose look at the installation is no part of a crawl. Needs Linux.

import { parseArgs } from 'node:util'
import { compared, comparisonCells, comparisonHeader, type Pair } from './compared.ts'
import { type CrawlContender, polyhistorOf } from './crawl/contender.ts'
import { webShapeDefault } from './crawl/generated-web.ts'
import { OriginProcess } from './crawl/origin-process.ts'
import { runTrial } from './crawl/trial.ts'
import { root, withCommit } from './earlier-commit.ts'
import { printTable } from './measure.ts'
import { processorSecondsOfEnded } from './scale/processor-time.ts'

interface Turn {
  readonly cpuUs: number
  readonly peakMegabytes: number
}

export async function run(words: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: words,
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '10' },
      hosts: { type: 'string', default: '20' },
      pages: { type: 'string', default: '250' },
    },
  })
  const [commit] = positionals
  if (commit === undefined || positionals.length > 1 || !(Number(values.rounds) >= 1)) {
    console.error('Usage: npm run bench -- crawl-beside COMMIT [--rounds 10] [--hosts 20] [--pages 250]')
    process.exit(64)
  }
  const shape = { ...webShapeDefault, hosts: Number(values.hosts), pages: Number(values.pages) }
  await withCommit(commit, async (before) => {
    const origin = await OriginProcess.start(shape)
    try {
      const contenders = [polyhistorOf(before), polyhistorOf(root)]
      print(commit, await compete(contenders, origin, Number(values.rounds)))
    } finally {
      await origin.stop()
    }
  })
}

/** The first round fills the caches of compiled code and of files, and does not count. */
async function compete(
  contenders: readonly CrawlContender[],
  origin: OriginProcess,
  rounds: number,
): Promise<Turn[][]> {
  const pairs: Turn[][] = []
  for (let round = 0; round <= rounds; round++) {
    const pair: Turn[] = []
    for (const index of round % 2 === 0 ? [0, 1] : [1, 0])
      pair[index] = await takeTurn(contenders[index]!, origin)
    const cpuUs = pair.map((turn) => turn.cpuUs.toFixed(0)).join(' and ')
    console.error(`round ${round} of ${rounds}: ${cpuUs} us a URL`)
    if (round > 0) pairs.push(pair)
  }
  return pairs
}

async function takeTurn(contender: CrawlContender, origin: OriginProcess): Promise<Turn> {
  const before = await processorSecondsOfEnded()
  const { exitCode, unfetched, twice, fetched, peakMegabytes } = await runTrial(contender, origin)
  if (exitCode !== 0 || unfetched > 0 || twice > 0)
    throw new Error(`exit code ${exitCode}, ${unfetched} URLs not fetched, ${twice} more than once`)
  return { cpuUs: (((await processorSecondsOfEnded()) - before) / fetched) * 1e6, peakMegabytes }
}

function print(commit: string, pairs: readonly Turn[][]): void {
  const rowOf = (name: string, figure: keyof Turn): string[] => {
    const comparison = compared(
      pairs.map(([before, now]): Pair => ({ before: before![figure], now: now![figure] })),
    )
    return [name, comparison.before.toFixed(0), comparison.now.toFixed(0), ...comparisonCells(comparison)]
  }
  const rows = [rowOf('CPU us/URL', 'cpuUs'), rowOf('peak MB', 'peakMegabytes')]
  console.log(printTable(['crawl', `at ${commit}`, 'now', ...comparisonHeader], rows))
}
