// A crawler with a home of its own that crawls the generated web each time that it is told to: what a peer does, with parts of it left
// out that nobody can leave out there, to tell what they cost. Tells the processor time of each crawl, of all its threads; that of the
// first has the start of the program in it.
//
// Started by crawl-changes.bench.ts: node home-crawl.ts START HOME [without-links] [without-changes]

import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

export interface CrawlDone {
  readonly cpuSeconds: number
  readonly seconds: number
}

const { directory } = enableCompileCache()
if (directory !== undefined) process.env.NODE_COMPILE_CACHE ??= directory

const { openCrawler, openCrawlLog, parseAddressRange, politenessOff, userAgentOf } = await import(
  '../../src/app/crawl/crawler.ts'
)
const { realPlatform } = await import('../../src/app/real-platform.ts')
const { openStore } = await import('../../src/app/store/store-library.ts')

const [start, home, ...words] = process.argv.slice(2)
const folder = join(home!, 'crawl')
const platform = realPlatform()
const store = await openStore(join(home!, 'store'))
const log = await openCrawlLog(platform, folder)
const crawler = await openCrawler(
  { platform, store, watch: { happened: (event) => log.append(event) } },
  folder,
  {
    userAgent: userAgentOf('0'),
    allowed: [parseAddressRange('127.0.0.0/8')],
    insecure: false,
    obeysDirectives: false,
    obeysRobots: false,
    politeness: politenessOff,
    concurrency: 128,
    threads: 1,
    flushMs: 1_000,
    keepsLinks: !words.includes('without-links'),
    keepsChanges: !words.includes('without-changes'),
  },
)
let usedBefore = 0

async function crawl(): Promise<CrawlDone> {
  const startMs = performance.now()
  const job = crawler.frontier.jobs.open({ seeds: [start!], scope: 'any', budgets: {} })
  if (job.state === 'done') crawler.frontier.jobs.restart(job.id)
  const { signal } = new AbortController()
  await crawler.crawl.run({ stop: signal, abort: signal })
  await crawler.frontier.flush()
  await crawler.graph.flush()
  const { user, system } = process.cpuUsage()
  const cpuSeconds = (user + system) / 1e6 - usedBefore
  usedBefore += cpuSeconds
  return { cpuSeconds, seconds: (performance.now() - startMs) / 1e3 }
}

process.on('message', async () => process.send!(await crawl()))
process.on('disconnect', async () => {
  await crawler.close()
  await log.close()
  await store.close()
})
process.send!('ready')
