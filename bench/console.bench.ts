// `npm run bench -- console [sites] [pages of each]`: how long the console takes for a page of sites, of queues and of URLs, with a
// real index on a real disk: at the beginning, in the middle and at the end of the lists, beside the same with a hundred sites.

import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Frontier } from '../src/crawl/frontier/frontier.ts'
import { UrlHash } from '../src/crawl/frontier/known/url-hash.ts'
import {
  hashedVisitKey,
  laneKey,
  planKey,
  siteKey,
  sitePrefix,
} from '../src/crawl/frontier/sites/site-keys.ts'
import { unvisited } from '../src/crawl/recrawl/page-visits.ts'
import { newSitePlan } from '../src/crawl/recrawl/site-plan.ts'
import { encodeVisitEntry } from '../src/crawl/recrawl/visit-entry.ts'
import { parseUrl, type Url } from '../src/model/url/url.ts'
import { RealClock } from '../src/platform/real/clock.ts'
import { RealDisk } from '../src/platform/real/disk/disk.ts'
import { RealKeyValues } from '../src/platform/real/key-value/key-value.ts'
import { RealRandom } from '../src/platform/real/random.ts'
import type { KeyValue } from '../src/platform/storage/key-value.ts'
import { printTable } from './measure.ts'

const pageRows = 100
const rounds = 20
const sitesAtOnce = 200
const fewSites = 100

export async function run(words: string[]): Promise<void> {
  const [sites = 100_000, pages = 100] = words.map(Number)
  const small = await measured(fewSites, pages)
  const large = await measured(sites, pages)
  const rows = [...large.keys()].map((name) => {
    const [one, other] = [small.get(name)!, large.get(name)!]
    return [name, one.toFixed(2), other.toFixed(2), (other / one).toFixed(2)]
  })
  const heading = [`console, ${pages} pages a site`, `${fewSites} sites`, `${sites} sites`, 'ratio']
  console.log(printTable(heading, rows))
}

async function measured(sites: number, pages: number): Promise<Map<string, number>> {
  const folder = await mkdtemp(join(tmpdir(), 'console-bench-'))
  try {
    const keyValue = await new RealKeyValues({ disk: new RealDisk() }).open(folder)
    const startMs = performance.now()
    await fill(keyValue, sites, pages)
    const fillMs = performance.now() - startMs
    const frontier = new Frontier({ keyValue, clock: new RealClock(), random: new RealRandom() })
    const times = await ask(frontier, sites)
    times.set('filled in, s', fillMs / 1_000)
    await keyValue.close()
    times.set('on disk, MB', (await stat(join(folder, 'data.mdb'))).size / 1e6)
    times.set('resident, MB', process.memoryUsage.rss() / 1e6)
    return times
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Entries as a crawl leaves them, put in the order of the map. */
async function fill(keyValue: KeyValue, sites: number, pages: number): Promise<void> {
  const table = keyValue.table('frontier-sites')
  const homes = Array.from({ length: sites }, (_, site) => parseUrl(`https://site-${site}.example/`))
  homes.sort((one, other) => Buffer.compare(sitePrefix(one), sitePrefix(other)))
  const plan = Buffer.from(JSON.stringify({ ...newSitePlan(), pages }), 'latin1')
  const hash = new UrlHash()
  for (let first = 0; first < homes.length; first += sitesAtOnce)
    await keyValue.transaction(() => {
      for (const home of homes.slice(first, first + sitesAtOnce)) {
        const prefix = prefixOf(home)
        table.put(laneKey(prefix, 1, home.authority), Buffer.from(`${pages} 0 -1`, 'latin1'))
        table.put(planKey(prefix), plan)
        table.put(siteKey(prefix), Buffer.from(`${home.ringKey} ${home.site}`, 'latin1'))
        for (let page = 0; page < pages; page++) {
          const href = `${home.href}section/story-${page}.html`
          const entry = { queue: 'normal', atMs: 1e12, href, page: unvisited } as const
          table.put(hashedVisitKey(prefix, hash.of(href, 0)), encodeVisitEntry(entry))
        }
      }
    })
  await keyValue.flush()
}

function prefixOf(url: Url): Buffer {
  return Buffer.from(sitePrefix(url))
}

async function ask({ survey }: Frontier, sites: number): Promise<Map<string, number>> {
  const times = new Map<string, number>()
  const time = (name: string, work: () => unknown): void => {
    const startMs = performance.now()
    for (let round = 0; round < rounds; round++) work()
    times.set(name, (performance.now() - startMs) / rounds)
  }
  const startMs = performance.now()
  const cursors: (string | undefined)[] = [undefined]
  for (;;) {
    const { next } = survey.sites({ after: cursors.at(-1), limit: pageRows })
    if (next === undefined) break
    cursors.push(next)
  }
  times.set(`all pages of sites, ms a page`, (performance.now() - startMs) / cursors.length)
  time('first page of sites, ms', () => survey.sites({ limit: pageRows }))
  const middle = cursors[cursors.length >> 1]
  time('page in the middle, ms', () => survey.sites({ after: middle, limit: pageRows }))
  time('last page, ms', () => survey.sites({ after: cursors.at(-1), limit: pageRows }))
  const { ringKey } = parseUrl(`https://site-${sites >> 1}.example/`)
  time('a site, ms', () => survey.site(ringKey))
  time('its queues, ms', () => survey.queues(ringKey, { limit: pageRows }))
  time('a page of its URLs, ms', () => survey.visits(ringKey, { limit: pageRows }))
  return times
}
