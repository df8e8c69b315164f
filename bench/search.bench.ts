// `npm run bench -- search [--pages 200000] [--words 500] [--queries 1000] [--only NAME]`: pages with a real language's word
// frequencies indexed and asked for, by Polyhistor beside PostgreSQL's full text, Xapian and SQLite's FTS5, one after the other in one
// run. Each query wants all of its 1 to 3 words, and gives the best ten with a snippet and the number of all that there are.
//
// Goals: indexing at least twice as fast as PostgreSQL; the 99th percentile of a query not above that of PostgreSQL and Xapian.
// Xapian needs python3-xapian (apt); its callers are processes. FTS5 answers in this process, for one caller.

import { parseArgs } from 'node:util'
import { printTable } from './measure.ts'
import type { Contender } from './search/contender.ts'
import { Corpus, type Page } from './search/corpus.ts'
import { fts5 } from './search/fts5.ts'
import { ours } from './search/ours.ts'
import { postgresql } from './search/postgresql.ts'
import { xapian } from './search/xapian.ts'

const contenders = { polyhistor: ours, postgresql, xapian, fts5 }
const seed = 20

export async function run(words: string[]): Promise<void> {
  const { values } = parseArgs({
    args: words,
    options: {
      pages: { type: 'string', default: '200000' },
      words: { type: 'string', default: '500' },
      queries: { type: 'string', default: '1000' },
      only: { type: 'string', multiple: true },
    },
  })
  const [pages, length, count] = [Number(values.pages), Number(values.words), Number(values.queries)]
  const queries = new Corpus(seed + 1).queries(count)
  // Made before: whoever indexes in threads of its own would go on while pages are made.
  const corpus = corpusOf(pages, length)
  const rows: string[][] = []
  for (const [name, open] of Object.entries(contenders)) {
    if (values.only !== undefined && !values.only.includes(name)) continue
    const contender = await open()
    if (contender === undefined) console.log(`${name} is not installed.`)
    else {
      rows.push(await measured(contender, corpus, queries))
      console.log(rows.at(-1)!.join('  '))
    }
  }
  const header = ['', 'pages/s', 'CPU ms/page', 'bytes/page', 'p50 of 1', 'p99 of 1', 'p50 of 8', 'p99 of 8']
  console.log(printTable(header, rows))
  console.log(
    `\n${pages} pages of ${length} words, ${count} queries; milliseconds a query, with 1 and 8 callers.`,
  )
}

function corpusOf(pages: number, words: number): Page[] {
  const corpus = new Corpus(seed)
  return Array.from({ length: pages }, (_, number) => corpus.page(number, words))
}

async function measured(
  contender: Contender,
  corpus: readonly Page[],
  queries: readonly string[][],
): Promise<string[]> {
  try {
    const pages = corpus.length
    const indexing = await timeOf(contender, () => contender.index(corpus))
    const bytes = await contender.bytes()
    await contender.latencies(queries.slice(0, queries.length / 10), 1)
    const alone = await contender.latencies(queries, 1)
    const together = await contender.latencies(queries, 8)
    return [
      contender.name,
      Math.round((1_000 * pages) / indexing.ms).toLocaleString('en'),
      (indexing.processorMs / pages).toFixed(2),
      Math.round(bytes / pages).toLocaleString('en'),
      ...[alone, together].flatMap((times) => [percentile(times, 0.5), percentile(times, 0.99)]),
    ]
  } finally {
    await contender.close()
  }
}

async function timeOf(
  contender: Contender,
  work: () => Promise<void>,
): Promise<{ ms: number; processorMs: number }> {
  const [startMs, startProcessorMs] = [performance.now(), await processorMsOf(contender)]
  await work()
  return { ms: performance.now() - startMs, processorMs: (await processorMsOf(contender)) - startProcessorMs }
}

async function processorMsOf(contender: Contender): Promise<number> {
  const seconds = contender.processorSeconds()
  if (seconds !== 'here') return 1_000 * (await seconds)
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

function percentile(times: readonly number[] | undefined, share: number): string {
  if (times === undefined) return '–'
  const sorted = times.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!.toFixed(2)
}
