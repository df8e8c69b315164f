// `npm run bench -- rank [--links N] [--pages N] [--part-links N] [--rounds N] [--python PATH]`: PageRank of R-MAT graphs, ours beside
// igraph's (PRPACK, from Debian's python3-igraph) and graphology's, in one run and one thread each.
//
// - links a second and iteration: links × iterations / time, without the making of the graph. igraph does not tell its iterations:
//   of it the time to the result counts, and its rate is taken with our iterations, which flatters it: PRPACK needs fewer. graphology
//   stops far earlier than we do (tolerance 1e-6): its rate is by its own iterations, on a graph of a tenth the size.
// - the difference (L1) to igraph's ranks
// - growth: the same with 1/100, 1/10 and all of the links, and how many times longer the matrix and ranks of the largest took than those
//   of the smallest. Medians; of small graphs more rounds, for their first ones are those of an interpreter.
// - bytes a link: of the matrix
// - parts: bytes that are told for each link that leads to another part, at each iteration and once; and the difference to one part.
//
// `--write-fixture` writes src/rank/fixtures/igraph-ranks.json anew.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type NumberedLinks, ranksInParts } from '../src/rank/fixtures/joined-parts.ts'
import { rMat } from '../src/rank/fixtures/r-mat.ts'
import { linkMatrix } from '../src/rank/kernel/link-matrix.ts'
import { pageRank } from '../src/rank/kernel/page-rank.ts'
import { printTable } from './measure.ts'

interface Timed {
  readonly seconds: number
  readonly ranks: ArrayLike<number>
}

/** Shares of the links, and how many times as many rounds. */
const sizes = [
  [0.01, 10],
  [0.1, 1],
  [1, 1],
] as const
const graphologyShare = 0.1
const graphologyTolerance = 1e-6

export async function run(words: string[]): Promise<void> {
  const { values } = parseArgs({
    args: words,
    options: {
      links: { type: 'string', default: '10000000' },
      pages: { type: 'string', default: '1000000' },
      'part-links': { type: 'string', default: '1000000' },
      rounds: { type: 'string', default: '3' },
      python: { type: 'string', default: process.env.POLYHISTOR_PYTHON ?? '/usr/bin/python3' },
      'write-fixture': { type: 'boolean', default: false },
    },
  })
  const folder = mkdtempSync(join(tmpdir(), 'rank-bench-'))
  const igraph = new Igraph(values.python, folder)
  try {
    if (values['write-fixture']) return writeFixture(igraph)
    const [links, pages, rounds] = [Number(values.links), Number(values.pages), Number(values.rounds)]
    const ours = growth(igraph, links, pages, rounds)
    graphology(ours, Math.round(links * graphologyShare), Math.round(pages * graphologyShare))
    await parts(Number(values['part-links']))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Returns our rate on the largest graph, and on the second largest. */
function growth(igraph: Igraph, links: number, pages: number, rounds: number): Map<number, number> {
  const rates = new Map<number, number>()
  const rows: string[][] = []
  const totals: { ours: number; theirs: number | undefined }[] = []
  for (const [share, more] of sizes) {
    const graph = rMat(pages * share, links * share)
    const each = { length: rounds * more }
    const made = median(Array.from(each, () => timed(() => linkMatrix(graph, graph.from, graph.to))))
    const matrix = made.result
    const ours = median(Array.from(each, () => timed(() => pageRank(matrix))))
    const theirs = igraph.ranks(graph, each.length)
    totals.push({ ours: made.seconds + ours.seconds, theirs: theirs?.seconds })
    const { iterations } = ours.result
    const rate = (links * share * iterations) / ours.seconds
    rates.set(links * share, rate)
    rows.push([
      `${millions(links * share)} links`,
      String(iterations),
      inMs(made.seconds),
      inMs(ours.seconds),
      `${millions(rate)}/s`,
      theirs === undefined ? 'missing' : inMs(theirs.seconds),
      theirs === undefined ? '' : `${(theirs.seconds / ours.seconds).toFixed(2)}×`,
      theirs === undefined ? '' : differenceOf(ours.result.ranks, theirs.ranks).toExponential(1),
      (bytesOf(matrix) / (links * share)).toFixed(2),
    ])
  }
  console.log(
    printTable(
      [
        'graph',
        'iterations',
        'matrix',
        'ranks',
        'per iteration',
        'igraph',
        'ours / igraph',
        'L1',
        'bytes/link',
      ],
      rows,
    ),
  )
  const times = (of: 'ours' | 'theirs'): string => {
    const [least, most] = [totals[0]?.[of], totals.at(-1)?.[of]]
    return least === undefined || most === undefined ? 'missing' : `${(most / least).toFixed(0)}×`
  }
  console.log(
    printTable(
      ['100 times the links', 'ours, matrix and ranks', 'igraph'],
      [['', times('ours'), times('theirs')]],
    ),
  )
  return rates
}

function graphology(rates: ReadonlyMap<number, number>, links: number, pages: number): void {
  const require = createRequire(import.meta.url)
  const { MultiDirectedGraph } = require('graphology')
  const theirRank = require('graphology-metrics/centrality/pagerank')
  const { pages: count, from, to } = rMat(pages, links)
  const graph = new MultiDirectedGraph()
  for (let page = 0; page < count; page++) graph.addNode(page)
  for (let link = 0; link < links; link++) graph.addDirectedEdge(from[link], to[link])
  const options = { alpha: 0.85, maxIterations: 1_000, tolerance: graphologyTolerance, getEdgeWeight: null }
  const { seconds } = timed(() => theirRank(graph, options))
  const iterations = iterationsTo(linkMatrix({ pages: count }, from, to), graphologyTolerance * count)
  const rate = (links * iterations) / seconds
  const own = rates.get(links)
  console.log(
    printTable(
      ['graphology', ''],
      [
        [`${millions(links)} links, tolerance ${graphologyTolerance}`, `${(1_000 * seconds).toFixed(0)} ms`],
        ['per iteration', `${millions(rate)}/s`],
        ['ours / graphology', own === undefined ? '' : `${(own / rate).toFixed(0)}×`],
      ],
    ),
  )
}

/** As many as whoever iterates like us needs. */
function iterationsTo(matrix: ReturnType<typeof linkMatrix>, tolerance: number): number {
  return pageRank(matrix, { tolerance }).iterations
}

async function parts(links: number): Promise<void> {
  const graph = distinct(rMat(links / 10, links))
  const reference = pageRank(linkMatrix(graph, graph.from, graph.to))
  const rows: string[][] = []
  for (const count of [1, 2, 4, 8]) {
    const start = performance.now()
    const { ranks, results, exchanges } = await ranksInParts(graph, count)
    const seconds = (performance.now() - start) / 1_000
    const crossLinks = results.reduce((sum, result) => sum + result.links.crossLinks, 0)
    const iterations = results[0]!.iterations + 1
    const each = (bytes: number): string => (crossLinks === 0 ? '' : (bytes / crossLinks).toFixed(2))
    rows.push([
      String(count),
      String(iterations),
      millions(crossLinks),
      each(exchanges.bytesOfValues / iterations),
      each(exchanges.bytesOfTargets),
      `${seconds.toFixed(1)} s`,
      differenceOf(ranks, reference.ranks).toExponential(1),
    ])
  }
  console.log(
    printTable(
      [
        'parts',
        'iterations',
        'links across',
        'bytes/link, iteration',
        'bytes/link, once',
        'in one thread',
        'L1',
      ],
      rows,
    ),
  )
}

class Igraph {
  readonly #python: string
  readonly #folder: string

  constructor(python: string, folder: string) {
    this.#python = python
    this.#folder = folder
  }

  /** undefined where it is not installed. */
  ranks({ pages, from, to }: NumberedLinks, rounds: number, seeds?: readonly number[]): Timed | undefined {
    const [links, ranks] = [join(this.#folder, 'links'), join(this.#folder, 'ranks')]
    writeFileSync(links, Buffer.concat([Buffer.from(from.buffer), Buffer.from(to.buffer)]))
    const script = join(import.meta.dirname, 'rank/ranks_by_igraph.py')
    try {
      const words = [script, links, String(pages), ranks, String(rounds), ...(seeds ? [seeds.join(',')] : [])]
      const told = execFileSync(this.#python, words, {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      })
      const { seconds } = JSON.parse(told) as { seconds: number[] }
      const bytes = new Uint8Array(readFileSync(ranks))
      return {
        seconds: seconds.sort((a, b) => a - b)[seconds.length >> 1]!,
        ranks: new Float64Array(bytes.buffer),
      }
    } catch {
      return undefined
    }
  }
}

function writeFixture(igraph: Igraph): void {
  const [pages, links, seed] = [500, 4_000, 2]
  const graph = rMat(pages, links, seed)
  const seeds = [3, 70, 200]
  const [even, personalised] = [igraph.ranks(graph, 1), igraph.ranks(graph, 1, seeds)]
  if (even === undefined || personalised === undefined) throw new Error('igraph is not installed')
  const fixture = {
    ...{ pages, links, seed },
    even: [...Array.from(even.ranks)],
    personalised: { seeds, ranks: Array.from(personalised.ranks) },
  }
  const path = join(import.meta.dirname, '../src/rank/fixtures/igraph-ranks.json')
  writeFileSync(path, `${JSON.stringify(fixture)}\n`)
}

function timed<T>(work: () => T): { seconds: number; result: T } {
  const start = performance.now()
  const result = work()
  return { seconds: (performance.now() - start) / 1_000, result }
}

function median<T>(all: readonly { seconds: number; result: T }[]) {
  return all.toSorted((one, other) => one.seconds - other.seconds)[all.length >> 1]!
}

/** Each link once, none to itself. */
function distinct({ pages, from, to }: NumberedLinks): NumberedLinks {
  const links = Float64Array.from(from, (one, link) => one * pages + to[link]!).sort()
  const once = links.filter((link, at) => link !== links[at - 1] && Math.floor(link / pages) !== link % pages)
  return {
    pages,
    from: Uint32Array.from(once, (link) => Math.floor(link / pages)),
    to: Uint32Array.from(once, (link) => link % pages),
  }
}

function differenceOf(ones: ArrayLike<number>, others: ArrayLike<number>): number {
  let difference = 0
  for (let at = 0; at < ones.length; at++) difference += Math.abs(ones[at]! - others[at]!)
  return difference
}

/** Of all arrays. */
function bytesOf(matrix: object): number {
  return Object.values(matrix).reduce(
    (sum, value) => sum + (ArrayBuffer.isView(value) ? value.byteLength : 0),
    0,
  )
}

function inMs(seconds: number): string {
  return `${(1_000 * seconds).toFixed(seconds < 0.1 ? 1 : 0)} ms`
}

function millions(count: number): string {
  return `${(count / 1e6).toFixed(count < 1e6 ? 2 : 1)} M`
}
