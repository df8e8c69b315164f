// `npm run bench -- volunteers [--rounds N]`: pages a second of one peer that lends its hosts to 1, 10 and 50 volunteers, beside the same peer
// fetching itself, without pauses, in turns; what a page takes of the peer's own processor time, so how many it could take in; and bytes
// between them for each page beside its own gzip. Origin and volunteers are processes of their own, the volunteers all in one.
//
// `npm run bench -- volunteers --feed 100`: whether one peer keeps so many volunteers at work, four hosts each, at a page a second of each
// host: pages a second beside what the pace of the hosts allows.

import { parseArgs } from 'node:util'
import { median } from './measure.ts'
import { LendingPeer, type Turn } from './volunteers/lending-peer.ts'
import { printPageBytes } from './volunteers/page-bytes.ts'

const volunteerCounts = [1, 10, 50]

export async function run(words: string[]): Promise<void> {
  const { values } = parseArgs({
    args: words,
    options: { rounds: { type: 'string', default: '5' }, feed: { type: 'string' } },
  })
  if (values.feed !== undefined) return feed(Number(values.feed))
  printPageBytes()
  const peer = await LendingPeer.start({ hosts: 64, pagesOfHost: 14, delayMs: 0 })
  try {
    const turns = new Map<number, Turn[]>()
    for (let round = 0; round < Number(values.rounds); round++)
      for (const count of [0, ...volunteerCounts]) {
        const turn = await peer.crawl(count)
        turns.set(count, [...(turns.get(count) ?? []), turn])
      }
    const own = turns.get(0)!
    for (const [count, each] of turns) {
      const rate = median(each.map(({ pagesPerSecond }) => pagesPerSecond))
      const ratio = median(each.map(({ pagesPerSecond }, at) => pagesPerSecond / own[at]!.pagesPerSecond))
      const cpuMs = median(each.map(({ cpuMsPerPage }) => cpuMsPerPage))
      const cpuRatio = median(each.map(({ cpuMsPerPage }, at) => cpuMsPerPage / own[at]!.cpuMsPerPage))
      console.log(
        `${count === 0 ? 'itself' : `${count} volunteers`}: ${rate.toFixed(0)} pages/s (${ratio.toFixed(2)}), ${cpuMs.toFixed(2)} ms of the peer's processor a page (${cpuRatio.toFixed(2)}): ${(1_000 / cpuMs).toFixed(0)} pages/s of a core`,
      )
    }
  } finally {
    await peer.close()
  }
}

const bundlesOfVolunteer = 4

async function feed(volunteers: number): Promise<void> {
  const crawled = { hosts: bundlesOfVolunteer * volunteers, pagesOfHost: 42, delayMs: 1_000 }
  const peer = await LendingPeer.start(crawled)
  try {
    const { pagesPerSecond, cpuMsPerPage, busy } = await peer.crawl(volunteers)
    const possible = crawled.hosts / (crawled.delayMs / 1_000)
    console.log(
      `${volunteers} volunteers, ${crawled.hosts} hosts at a page a second each: ${pagesPerSecond.toFixed(0)} pages/s of at most ${possible} (${(pagesPerSecond / possible).toFixed(2)}), ${busy} of the volunteers at work, ${(pagesPerSecond * cpuMsPerPage * 0.1).toFixed(0)} % of a core of the peer`,
    )
  } finally {
    await peer.close()
  }
}
