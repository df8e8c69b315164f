// `npm run bench -- volunteers [--rounds N]`: pages a second of one peer that lends its hosts to 1, 10 and 50 volunteers, beside the same peer
// fetching itself, without pauses, in turns; what a page takes of the peer's own processor time, so how many it could take in; and bytes
// between them for each page beside its own gzip. Origin and volunteers are processes of their own, the volunteers all in one.

import { parseArgs } from 'node:util'
import { median } from './measure.ts'
import { LendingPeer, type Turn } from './volunteers/lending-peer.ts'
import { printPageBytes } from './volunteers/page-bytes.ts'

const volunteerCounts = [1, 10, 50]

export async function run(words: string[]): Promise<void> {
  const { values } = parseArgs({ args: words, options: { rounds: { type: 'string', default: '5' } } })
  printPageBytes()
  const peer = await LendingPeer.start()
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
