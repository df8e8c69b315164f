// `npm run bench -- frontier [urls] [pages]`: the seen test, leasing and completing, bytes on disk and memory, with a real
// index on a real disk. Every part prints what it did.

import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Link } from '../src/crawl/frontier/discovery.ts'
import { Frontier } from '../src/crawl/frontier/frontier.ts'
import { politenessOff } from '../src/crawl/politeness/politeness-rules.ts'
import { parseUrl, type Url } from '../src/record/url.ts'
import type { KeyValue } from '../src/world/key-value.ts'
import { RealClock } from '../src/world/real/clock.ts'
import { RealDisk } from '../src/world/real/disk.ts'
import { RealKeyValues } from '../src/world/real/key-value.ts'
import { RealRandom } from '../src/world/real/random.ts'
import { printTable } from './measure.ts'

const hosts = 1_000
const linksPerPage = 36
const testsAtOnce = 20_000

function urlOf(number: number): Url {
  const host = `www.host-${number % hosts}.example`
  const [year, day] = [2000 + (number % 25), number % 365]
  return parseUrl(`https://${host}/section-${number % 7}/${year}/${day}/story-of-the-day-${number}.html`)
}

export async function run(words: string[]): Promise<void> {
  const [urlCount = 1_000_000, pageCount = 30_000] = words.map(Number)
  const folder = await mkdtemp(join(tmpdir(), 'frontier-bench-'))
  try {
    const rows: string[][] = []
    const emptyMb = residentMb()
    const map = await new RealKeyValues({ disk: new RealDisk() }).open(folder)
    const frontier = new Frontier(
      { keyValue: map, clock: new RealClock(), random: new RealRandom() },
      { politeness: politenessOff },
    )
    const job = frontier.openJob({ seeds: ['https://www.host-0.example/'], scope: 'any', budgets: {} })
    rows.push(...(await fill(frontier, job.id, urlCount)))
    rows.push(['index on disk, bytes per known and queued URL', await bytesPerUrl(map, folder, urlCount)])
    rows.push(['resident memory, MB (empty process)', `${residentMb()} (${emptyMb})`])
    for (const knownShare of [1, 0.9, 0.5, 0]) {
      rows.push([
        `seen tests/s, ${100 * knownShare} % known`,
        seenTests(frontier, job.id, urlCount, knownShare),
      ])
    }
    rows.push(['resident memory after seen tests, MB', `${residentMb()}`])
    rows.push(await leaseAndComplete(frontier, urlCount, pageCount))
    rows.push(['resident memory at the end, MB', `${residentMb()}`])
    await frontier.flush()
    await map.close()
    console.log(printTable([`frontier, ${urlCount} URLs of ${hosts} hosts`, ''], rows))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function fill(frontier: Frontier, jobId: string, urlCount: number): Promise<string[][]> {
  const startMs = performance.now()
  for (let number = 0; number < urlCount; number += 1_000) {
    const count = Math.min(1_000, urlCount - number)
    const discoveries = Array.from({ length: count }, (_, index) => {
      const kind = 'navigation' as const
      return { url: urlOf(number + index), kind, jobId, depth: 1, via: 'https://www.host-0.example/' }
    })
    await frontier.add(discoveries)
  }
  await frontier.flush()
  return [['new URLs queued/s', rate(urlCount, startMs)]]
}

async function bytesPerUrl(map: KeyValue, folder: string, urlCount: number): Promise<string> {
  await map.flush()
  return ((await stat(join(folder, 'data.mdb'))).size / urlCount).toFixed(0)
}

/** URLs are made beforehand, some at a time: what is measured is the test alone. */
function seenTests(frontier: Frontier, jobId: string, urlCount: number, knownShare: number): string {
  let tests = 0
  let elapsedMs = 0
  let known = 0
  while (elapsedMs < 2_000) {
    const urls = Array.from({ length: testsAtOnce }, (_, index) => {
      const isKnown = (index % 10) / 10 < knownShare
      return urlOf(Math.floor(Math.random() * urlCount) + (isKnown ? 0 : urlCount))
    })
    const startMs = performance.now()
    for (const url of urls) if (frontier.isKnown(url, jobId)) known++
    elapsedMs += performance.now() - startMs
    tests += urls.length
  }
  const share = known / tests
  if (Math.abs(share - knownShare) > 0.001) throw new Error(`${share} were known, not ${knownShare}`)
  return Math.round((tests * 1_000) / elapsedMs).toLocaleString('en')
}

/** Each page has 36 links, of which one is new. */
async function leaseAndComplete(frontier: Frontier, urlCount: number, pageCount: number): Promise<string[]> {
  let elapsedMs = 0
  let fresh = 2 * urlCount
  for (let page = 0; page < pageCount; page += 500) {
    const pages = Array.from({ length: 500 }, () =>
      Array.from({ length: linksPerPage }, (_, index): Link => {
        const number = index === 0 ? fresh++ : Math.floor(Math.random() * urlCount)
        return { url: urlOf(number), kind: 'navigation' }
      }),
    )
    const startMs = performance.now()
    for (const links of pages) {
      const answer = await frontier.lease()
      if (answer.kind !== 'lease') throw new Error(`no lease: ${answer.kind}`)
      const result = { outcome: 'fetched', status: 200, bytes: 10_000, responseMs: 1 } as const
      await frontier.complete(answer.lease, result, links)
    }
    elapsedMs += performance.now() - startMs
  }
  const perSecond = Math.round((pageCount * 1_000) / elapsedMs).toLocaleString('en')
  return [`lease + complete with ${linksPerPage} links, pages/s`, perSecond]
}

function rate(count: number, startMs: number): string {
  return Math.round((count * 1_000) / (performance.now() - startMs)).toLocaleString('en')
}

function residentMb(): number {
  return Math.round(process.memoryUsage().rss / 1e6)
}
