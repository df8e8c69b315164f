// Detection of a shared job's end: two complete rounds in a row in which no peer had anything left to do for it, and no activity
// in between.
//
// Why that is enough: a link is always in a frontier or in an outbox, or both, for an outbox keeps it until the other frontier has it, and a
// page is done only when its links are in one of the two. Take a moment between the two rounds: each peer had nothing before
// it and nothing after it, and did nothing in between, so it had nothing at that moment. Then there was no link anywhere.
//
// A spent budget ends a job without waiting for silent peers: what they still have must not be fetched.

import { deniedEnding } from '../../crawl/frontier/held-urls.ts'
import type { JobBudgets } from '../../crawl/frontier/jobs/crawl-job.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { type PeerShare, sumOf } from './job-shares.ts'

interface Round {
  /** Nobody has come or gone for a while. */
  readonly isSettled: boolean
  /** That, and everybody answered who may have something. */
  readonly isWhole: boolean
  /** Pages that were fetched by those who did not answer. */
  readonly pagesElsewhere: number
}

export class JobEnding {
  readonly #budgets: JobBudgets
  #marks: string | undefined
  #wasWhole = false

  constructor(budgets: JobBudgets) {
    this.#budgets = budgets
  }

  /** Why it has ended, by another round; undefined when it has not, or that is not known. */
  look(
    shares: ReadonlyMap<PeerId, PeerShare>,
    { isSettled, isWhole, pagesElsewhere }: Round,
  ): string | undefined {
    const all = [...shares.values()]
    const { counters } = sumOf(all)
    const { pages, bytes, timeMs } = this.#budgets
    if (bytes !== undefined && counters.bytes >= bytes) return `budget of ${bytes} bytes is spent`
    if (timeMs !== undefined && counters.timeMs >= timeMs) return `budget of ${timeMs} ms is spent`
    const marks = isSettled && all.every(isQuiet) ? marksOf(shares) : undefined
    const wasQuiet = marks !== undefined && marks === this.#marks
    const isAllTold = isWhole && this.#wasWhole
    this.#marks = marks
    this.#wasWhole = isWhole
    if (!wasQuiet) return undefined
    if (isAllTold && counters.pending === 0) return 'complete'
    if (isAllTold && all.every(hasNoneToFetch)) return deniedEnding
    // Whatever is left are pages that nobody may fetch, also who is away.
    const isSpent = pages !== undefined && counters.pages + pagesElsewhere >= pages
    return isSpent ? `budget of ${pages} pages is spent` : undefined
  }
}

function isQuiet(share: PeerShare): boolean {
  const { tasks, waiting, unsettled, isOutOfPages } = share
  return tasks + waiting + unsettled === 0 && (hasNoneToFetch(share) || isOutOfPages)
}

/** Rules hold back whatever it has. */
function hasNoneToFetch({ counters, isAllHeld }: PeerShare): boolean {
  return counters.pending === 0 || isAllHeld
}

function marksOf(shares: ReadonlyMap<PeerId, PeerShare>): string {
  return [...shares]
    .map(([peer, { process, activity }]) => `${peer} ${process} ${activity}`)
    .sort()
    .join('\n')
}
