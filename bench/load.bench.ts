// `npm run bench -- load [--networks N] [--only NAME] [--kept]`: how evenly pages are fetched and bytes are kept, by the most that a peer has for its
// share over the mean, with the ring alone, with sites that go by load, and with peers that take and give up places besides. A model
// (sim/load): the median and the ninth of ten networks. `--kept`: only what is kept, with one place for a unit of the share; nothing is crawled.

import { parseArgs } from 'node:util'
import { type LoadFigures, modelKept, modelLoad } from '../sim/load/load-model.ts'
import { printTable } from './measure.ts'

const equal = (count: number): number[] => Array<number>(count).fill(1)
const mixed = (count: number): number[] => Array.from({ length: count }, (_, at) => 4 ** (at % 3))

/** Of 1 : 4 : 16 with three copies, three peers have to keep the same. */
const networks: readonly [name: string, shares: readonly number[], placesPerUnit: readonly number[]][] = [
  ['3', equal(3), [1, 4]],
  ['5', equal(5), [1, 4, 16]],
  ['8', equal(8), [1, 4, 16]],
  ['50', equal(50), [1, 4, 16]],
  ['3 of 1 : 4 : 16', mixed(3), [1]],
  ['12 of 1 : 4 : 16', mixed(12), [1]],
  ['24 of 1 : 4 : 16', mixed(24), [1]],
]
const ways = [
  { by: 'ring', isEven: false },
  { by: 'load', isEven: true },
  { by: 'load, places', isEven: true, hasEvenPlaces: true },
]
/** Fifty peers have 15,000 sites. */
const largePeers = 20
const networksOfLarge = 5

export async function run(words: string[]): Promise<void> {
  const { values } = parseArgs({
    args: words,
    options: {
      networks: { type: 'string', default: '10' },
      only: { type: 'string' },
      kept: { type: 'boolean' },
    },
  })
  if (values.kept) return printKept(Number(values.networks), values.only)
  const rows: string[][] = []
  for (const [name, shares, choices] of networks)
    for (const placesPerUnit of values.only === undefined || values.only === name ? choices : [])
      for (const { by, ...way } of placesPerUnit === 1 ? ways : ways.slice(0, 2)) {
        const count = shares.length > largePeers ? networksOfLarge : Number(values.networks)
        const figures = Array.from({ length: count }, (_, seed) =>
          modelLoad(String(seed), { shares, placesPerUnit, ...way }),
        )
        rows.push(rowOf([name, String(placesPerUnit), by], figures))
      }
  console.log(
    printTable(
      [
        'peers',
        'places',
        'by',
        'fetched',
        'later',
        'kept',
        'gone',
        'back',
        'has',
        'copied',
        'rounds',
        'moves',
        'again',
      ],
      rows,
    ),
  )
  console.log(
    'fetched: in an hour from nothing; later: in its second half; kept: three copies; gone: after a fifth of the peers has gone; back: when they\n' +
      'are back. places: of a unit of the share at first, 16 at most; has: of a peer, in the end; copied: of everything, for other places.\n' +
      'moves: for each site; again: of the sites, those that were moved more than once.',
  )
}

function printKept(count: number, only: string | undefined): void {
  const rows: string[][] = []
  for (const [name, shares] of networks)
    for (const hasEvenPlaces of only === undefined || only === name ? [false, true] : []) {
      const shape = { shares, placesPerUnit: 1, isEven: false, hasEvenPlaces }
      const figures = Array.from({ length: count }, (_, seed) => modelKept(String(seed), shape))
      rows.push([
        ...[name, hasEvenPlaces ? 'places' : 'ring'],
        ...[
          medianAndNinth(figures.map(({ kept }) => kept)),
          medianAndNinth(figures.map(({ keptWhenGone }) => keptWhenGone)),
          medianAndNinth(figures.map(({ keptWhenBack }) => keptWhenBack)),
        ],
        ...[
          meanOf(figures.map(({ places }) => places)),
          meanOf(figures.map(({ copied }) => copied)),
          meanOf(figures.map(({ rounds }) => rounds)),
        ],
      ])
    }
  console.log(printTable(['peers', 'by', 'kept', 'gone', 'back', 'has', 'copied', 'rounds'], rows))
}

function medianAndNinth(values: readonly number[]): string {
  const sorted = values.toSorted((one, other) => one - other)
  const at = (share: number): string => sorted[Math.round(share * (sorted.length - 1))]!.toFixed(2)
  return `${at(0.5)} (${at(0.9)})`
}

function meanOf(values: readonly number[]): string {
  return (values.reduce((sum, value) => sum + value, 0) / values.length).toFixed(2)
}

function rowOf(names: string[], figures: readonly LoadFigures[]): string[] {
  const both = (of: (one: LoadFigures) => number): string => medianAndNinth(figures.map(of))
  const mean = (of: (one: LoadFigures) => number): string => meanOf(figures.map(of))
  return [
    ...names,
    both(({ fetched }) => fetched),
    both(({ fetchedLater }) => fetchedLater),
    both(({ kept }) => kept),
    both(({ keptWhenGone }) => keptWhenGone),
    both(({ keptWhenBack }) => keptWhenBack),
    mean(({ places }) => places),
    mean(({ copied }) => copied),
    mean(({ rounds }) => rounds),
    mean(({ moves }) => moves),
    mean(({ movedAgain }) => movedAgain),
  ]
}
