// `npm run bench -- politeness [fetches]`: so many fetches (10,000 unless told) from hosts with robots.txt, crawl-delays,
// 429s and slow answers, three hosts to an address, with the usual rules at a fiftieth of their times. Fails when the
// hosts' log shows one breach: of a host's pause, of robots.txt, or more requests at once to an address than the rules
// allow, counting each until its pause is over.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crawlHere } from '../e2e/crawl/crawler.ts'
import { politenessDefault } from '../src/app/crawl/crawler.ts'
import { PoliteWeb } from './crawl/polite-web.ts'

const hosts = 40

export async function run(words: string[]): Promise<void> {
  const fetches = Number(words[0] ?? 10_000)
  const rules = {
    ...politenessDefault,
    delayMsMin: 20,
    delayMsMax: 600,
    addressDelayMs: 15,
    backOffMsFirst: 200,
  }
  // One host in five is closed.
  const web = await PoliteWeb.start(hosts, Math.ceil(fetches / (hosts * 0.8)), rules)
  const home = await mkdtemp(join(tmpdir(), 'politeness-bench-'))
  try {
    const startMs = performance.now()
    const events = await crawlHere(home, web.starts, { politeness: rules })
    const seconds = (performance.now() - startMs) / 1000
    const fetched = new Set(events.filter(({ status }) => status === 200).map(({ url }) => url))
    const missed = web.allowed.filter((url) => !fetched.has(url))
    const breaches = web.breaches()
    for (const breach of breaches.slice(0, 20)) console.log(`breach: ${breach}`)
    console.log(
      `${web.requests} requests to ${hosts} hosts in ${seconds.toFixed(0)} s: ${breaches.length} breaches, ${missed.length} pages missed`,
    )
    if (breaches.length > 0 || missed.length > 0) process.exitCode = 1
  } finally {
    await web.stop()
    await rm(home, { recursive: true, force: true })
  }
}
