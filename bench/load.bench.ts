// `npm run bench -- load [--networks N] [--only NAME]`: how evenly pages are fetched and bytes are kept, by the most that a peer has for its
// share over the mean, with the ring alone, with sites that go by load, and with peers that take and give up places besides. A model
// (sim/load): the median and the ninth of ten networks.

import { parseArgs } from 'node:util'
import { type LoadFigures, modelLoad } from '../sim/load/load-model.ts'
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
    options: { networks: { type: 'string', default: '10' }, only: { type: 'string' } },
  })
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

function rowOf(names: string[], figures: readonly LoadFigures[]): string[] {
  const both = (of: (one: LoadFigures) => number): string => {
    const sorted = figures.map(of).toSorted((one, other) => one - other)
    const at = (share: number): string => sorted[Math.round(share * (sorted.length - 1))]!.toFixed(2)
    return `${at(0.5)} (${at(0.9)})`
  }
  const mean = (of: (one: LoadFigures) => number): string =>
    (figures.reduce((sum, one) => sum + of(one), 0) / figures.length).toFixed(2)
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
