// `npm run bench -- crawl-beside COMMIT[..LATER] [--rounds 10] [--hosts 20] [--pages 250] [--set NAME=VALUE] [--built]`: the crawler of an earlier commit and that of this
// tree crawl the same generated web by turns, politeness off, into gzip volumes; the processor time of a whole crawl, from start to
// end, divided by its URLs, and this tree's divided by the commit's. The web is that of the benchmark `crawl`; in a smaller one the
// start of the program, half a second, counts for more. With `--set` (repeatable) a third crawls, this tree with these settings: what
// came since the commit, and can be switched off, is told apart so (`--set crawl.links=no --set crawl.sign=no`). With `--built` another
// crawls, this tree as its package has it, in a few files, and with both one of these with the settings. With `COMMIT..LATER` a later commit is measured in place of this tree.
//
// By processor time, and by the median of the rounds' ratios (compared.ts): rates of a shared machine swing too much. Programs are
// run as they are, without bin/polyhistor, whose look at the installation is no part of a crawl. Needs Linux.

import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { compared, comparisonCells, comparisonHeader, type Pair } from './compared.ts'
import { type CrawlContender, polyhistorOf, withSettings } from './crawl/contender.ts'
import { webShapeDefault } from './crawl/generated-web.ts'
import { OriginProcess } from './crawl/origin-process.ts'
import { runTrial } from './crawl/trial.ts'
import { withBuilt, withTrees } from './earlier-commit.ts'
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
      set: { type: 'string', multiple: true, default: [] },
      built: { type: 'boolean', default: false },
    },
  })
  const [commit] = positionals
  if (commit === undefined || positionals.length > 1 || !(Number(values.rounds) >= 1)) {
    console.error(
      'Usage: npm run bench -- crawl-beside COMMIT[..LATER] [--rounds 10] [--hosts 20] [--pages 250] [--set NAME=VALUE] [--built]',
    )
    process.exit(64)
  }
  const shape = { ...webShapeDefault, hosts: Number(values.hosts), pages: Number(values.pages) }
  const compareWith = async (before: string, now: string, built?: string) => {
    const contenders = [polyhistorOf(before), polyhistorOf(now)]
    const added: string[] = []
    if (values.set.length > 0) {
      contenders.push(withSettings(polyhistorOf(now), values.set))
      added.push(values.set.join(', '))
    }
    if (built !== undefined) {
      const packaged = polyhistorOf(built, join('dist', 'cli', 'main.js'))
      contenders.push(packaged)
      added.push('built')
      if (values.set.length > 0) {
        contenders.push(withSettings(packaged, values.set))
        added.push(`built, ${values.set.join(', ')}`)
      }
    }
    const origin = await OriginProcess.start(shape)
    try {
      print(commit, added, await compete(contenders, origin, Number(values.rounds)))
    } finally {
      await origin.stop()
    }
  }
  await withTrees(commit, (before, now) =>
    values.built ? withBuilt((built) => compareWith(before, now, built)) : compareWith(before, now),
  )
}

/** The first round fills the caches of compiled code and of files, and does not count. */
async function compete(
  contenders: readonly CrawlContender[],
  origin: OriginProcess,
  rounds: number,
): Promise<Turn[][]> {
  const turnsOfRounds: Turn[][] = []
  const places = [...contenders.keys()]
  for (let round = 0; round <= rounds; round++) {
    const turns: Turn[] = []
    for (const place of round % 2 === 0 ? places : places.toReversed())
      turns[place] = await takeTurn(contenders[place]!, origin)
    const cpuUs = turns.map((turn) => turn.cpuUs.toFixed(0)).join(' and ')
    console.error(`round ${round} of ${rounds}: ${cpuUs} us a URL`)
    if (round > 0) turnsOfRounds.push(turns)
  }
  return turnsOfRounds
}

async function takeTurn(contender: CrawlContender, origin: OriginProcess): Promise<Turn> {
  const before = await processorSecondsOfEnded()
  const { exitCode, unfetched, twice, fetched, peakMegabytes } = await runTrial(contender, origin)
  if (exitCode !== 0 || unfetched > 0 || twice > 0)
    throw new Error(`exit code ${exitCode}, ${unfetched} URLs not fetched, ${twice} more than once`)
  return { cpuUs: (((await processorSecondsOfEnded()) - before) / fetched) * 1e6, peakMegabytes }
}

/** `added`: what the contenders after this tree are. */
function print(commit: string, added: readonly string[], rounds: readonly Turn[][]): void {
  const rowOf = (name: string, figure: keyof Turn, place: number): string[] => {
    const comparison = compared(
      rounds.map((turns): Pair => ({ before: turns[0]![figure], now: turns[place]![figure] })),
    )
    return [name, comparison.before.toFixed(0), comparison.now.toFixed(0), ...comparisonCells(comparison)]
  }
  const rows = [rowOf('CPU us/URL', 'cpuUs', 1), rowOf('peak MB', 'peakMegabytes', 1)]
  for (const [index, what] of added.entries())
    rows.push(
      rowOf(`CPU us/URL, ${what}`, 'cpuUs', 2 + index),
      rowOf(`peak MB, ${what}`, 'peakMegabytes', 2 + index),
    )
  console.log(printTable(['crawl', `at ${commit}`, 'now', ...comparisonHeader], rows))
}
