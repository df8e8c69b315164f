// `npm run bench -- repair [comparison|costs|transfer] [--entries N] [--captures N]`: what it takes two replicas to find out what they
// differ in, what the sums for it cost while nobody compares, and how fast a wiped peer is filled again.
//
// Comparison and costs: real indexes on a real disk, both peers in one process; of the network there is nothing but bytes and
// round trips. Times are processor time. Beside the comparison the naive way, in the same run: the one sends all its ids,
// the other looks which it lacks. Transfer: two real processes, with raw libp2p and rsync beside them.

import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { printTable } from './measure.ts'
import { type ComparisonFigures, measureComparisons } from './repair/comparisons.ts'
import { measureCosts } from './repair/costs.ts'
import { mixed, pagesOnly, revisited } from './repair/holding.ts'
import { type Layout, manySites, oneSite, withFolder } from './repair/replicas.ts'
import { measureTransfers, type TransferFigures } from './repair/transfer.ts'

const parts: Record<string, (layout: Layout) => Promise<void>> = {
  comparison: showComparisons,
  costs: showCosts,
}
const transfer = 'transfer'
/** Of the slower of raw libp2p and rsync. */
const transferGoal = 0.5
const differences = [0, 1, 10, 100, 1_000, 10_000]
const bytesGoalEach = 2_048
const bytesGoalEqual = 1_024
const roundTripsGoal = 8
/** The sums cost the same whatever is beside them: so many entries tell. */
const entriesForCosts = 100_000

export async function run(words: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: words,
    allowPositionals: true,
    options: {
      entries: { type: 'string', default: '1000000' },
      captures: { type: 'string', default: '4000' },
    },
  })
  const names = positionals.length > 0 ? positionals : [...Object.keys(parts), transfer]
  for (const name of names) {
    if (name === transfer) {
      await showTransfers(Number(values.captures))
      continue
    }
    const show = parts[name]
    if (show === undefined)
      throw new Error(`${name} is none of ${Object.keys(parts).join(', ')}, ${transfer}`)
    const most = name === 'costs' ? entriesForCosts : Number.POSITIVE_INFINITY
    const entries = Math.min(Number(values.entries), most)
    for (const layout of [oneSite(entries), manySites(entries / 10)]) await show(layout)
  }
}

async function showComparisons(layout: Layout): Promise<void> {
  const { comparisons, emptied, naive } = await measureComparisons(layout, differences)
  const row = (name: string, figures: ComparisonFigures, goal: string): string[] => [
    name,
    String(figures.bytes),
    goal,
    String(figures.roundTrips),
    String(figures.messages),
    figures.askingMs.toFixed(1),
    figures.answeringMs.toFixed(1),
    (figures.bytes / naive.bytes).toFixed(5),
    ((figures.askingMs + figures.answeringMs) / (naive.askingMs + naive.answeringMs)).toFixed(4),
  ]
  const rows = comparisons.map((figures) => {
    const goal = figures.differences === 0 ? bytesGoalEqual : (figures.differences + 1) * bytesGoalEach
    return row(String(figures.differences), figures, `≤ ${goal}`)
  })
  rows.push(row('all: an empty disk', emptied, ''), row('naive: all ids', naive, ''))
  const header = [
    'differences',
    'bytes',
    'goal',
    `round trips (≤ ${roundTripsGoal})`,
    'messages',
    'asking, ms',
    'answering, ms',
    '× naive bytes',
    '× naive time',
  ]
  console.log(`\n${layout.name}, ${layout.entries} entries on either side\n${printTable(header, rows)}`)
}

async function showCosts(layout: Layout): Promise<void> {
  const { sumBytes, idTableBytes, addUs, plainAddUs, coverUs } = await measureCosts(layout)
  const rows = [
    ['bytes of index', sumBytes.toFixed(1)],
    ['bytes of a table of ids by ring key instead', idTableBytes.toFixed(1)],
    ['adding one, 64 in a transaction, µs', addUs.toFixed(1)],
    ['the same without sums, µs', plainAddUs.toFixed(1)],
    ['covering one that was there, µs', coverUs.toFixed(1)],
  ]
  console.log(`\n${printTable([`${layout.name}, ${layout.entries} entries: sums, for each`, ''], rows)}`)
}

/** `captures`: of pages and images; of the others, which are a tenth as large and less, there are more. */
async function showTransfers(captures: number): Promise<void> {
  for (const holding of [pagesOnly(5 * captures), mixed(captures), revisited(5 * captures)]) {
    const { refills, floor, others } = await withFolder((folder) => measureTransfers(holding, folder))
    const rateOf = ({ megabytes, seconds }: TransferFigures): number => megabytes / seconds
    const slower = Math.min(...others.map(rateOf))
    const rows = [...refills, floor, ...others].map((figures) => [
      figures.name,
      figures.megabytes.toFixed(1),
      rateOf(figures).toFixed(1),
      figures.captures === undefined ? '' : (figures.captures / figures.seconds).toFixed(0),
      (rateOf(figures) / slower).toFixed(2),
      (rateOf(figures) / rateOf(floor)).toFixed(2),
      ((1_000 * figures.here) / figures.megabytes).toFixed(1),
      ((1_000 * figures.main) / figures.megabytes).toFixed(1),
      ((1_000 * figures.there) / figures.megabytes).toFixed(1),
      ((figures.here + figures.there) / figures.seconds).toFixed(2),
    ])
    const header = [
      `${holding.name}, ${holding.captures} captures`,
      'MB',
      'MB/s',
      'captures/s',
      `× the slower other (≥ ${transferGoal})`,
      '× floor',
      'processor here, ms/MB',
      'of that main thread',
      'there, ms/MB',
      `busy, of ${availableParallelism()}`,
    ]
    console.log(`\n${printTable(header, rows)}`)
    if (others.length < 2) console.log('rsync is not installed here (apt install rsync): not compared')
  }
}
