// `npm run bench -- repair [--entries N]`: what it takes to find out what two replicas differ in. Real indexes on a real disk, both
// peers in one process, nothing of the network but its bytes and round trips.
//
// Beside it the naive way, in the same run: the one sends all its ids, the other looks which it lacks.

import { parseArgs } from 'node:util'
import { printTable } from './measure.ts'
import { type ComparisonFigures, measureComparisons, type SceneFigures } from './repair/comparisons.ts'
import { manySites, oneSite } from './repair/replicas.ts'

const differences = [0, 1, 10, 100, 1_000, 10_000]
const bytesGoalEach = 2_048
const bytesGoalEqual = 1_024

export async function run(words: string[]): Promise<void> {
  const { values } = parseArgs({ args: words, options: { entries: { type: 'string', default: '1000000' } } })
  const entries = Number(values.entries)
  for (const layout of [oneSite(entries), manySites(entries / 10)]) {
    const figures = await measureComparisons(layout, differences)
    console.log(`\n${layout.name}: ${entries} entries on either side\n${printed(figures)}`)
  }
}

const header = [
  'differences',
  'bytes',
  'goal',
  'round trips',
  'messages',
  'asking, ms',
  'answering, ms',
  'of naive bytes',
  'of naive time',
]

function printed({ comparisons, emptied, naive, costs }: SceneFigures): string {
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
  return [
    printTable(header, rows),
    `sums: ${costs.sumBytes.toFixed(1)} bytes of index an entry (a table of ids by ring key would take ${costs.idTableBytes.toFixed(1)})`,
    `adding an entry, 64 in a transaction: ${costs.addUs.toFixed(1)} µs, ${costs.plainAddUs.toFixed(1)} µs without sums; ` +
      `covering one that was there: ${costs.coverUs.toFixed(1)} µs`,
    'times are processor time',
  ].join('\n')
}
