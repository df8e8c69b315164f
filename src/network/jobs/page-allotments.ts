// Page allotments: how a budget of pages is shared out among the peers that crawl a job.
//
// Each peer may fetch as many pages as it was allotted. A peer with pages to fetch gets more while some are left: half of the
// rest at a time, divided among all that want some. Unused pages go back. Pure.
//
// Invariant: as long as one peer hands out, the allotments of those that answered never come to more than the budget.

import type { PeerId } from '../../platform/network/network.ts'
import type { PeerShare } from './job-shares.ts'

/** What each is to have in all from now on; only those for whom it changes. */
export function allotPages(
  budget: number,
  shares: ReadonlyMap<PeerId, PeerShare>,
  /** Pages of those who are not there. */
  pagesElsewhere: number,
): Map<PeerId, number> {
  const standing = new Map([...shares].map(([peer, share]) => [peer, standingOf(share)]))
  const held = [...standing.values()].reduce((sum, { allotted }) => sum + allotted, pagesElsewhere)
  const wanting = [...standing].filter(([, { isWanting }]) => isWanting)
  let left = Math.max(0, budget - held)
  const portion = Math.max(1, Math.ceil(left / (2 * Math.max(1, wanting.length))))
  const changes = new Map<PeerId, number>()
  for (const [peer, { allotted }] of wanting) {
    const more = Math.min(portion, left)
    left -= more
    if (more > 0) changes.set(peer, allotted + more)
  }
  for (const [peer, { allotted }] of standing) {
    const before = shares.get(peer)!.allotted
    if (!changes.has(peer) && before !== undefined && allotted < before) changes.set(peer, allotted)
  }
  return changes
}

/** What a peer keeps of its allotment, and whether it wants more. */
function standingOf({ counters, tasks, allotted }: PeerShare): { allotted: number; isWanting: boolean } {
  const used = counters.pages + tasks
  const isIdle = counters.pending === 0 && tasks === 0
  const kept = isIdle ? used : Math.max(used, allotted ?? 0)
  // Before its allotment is used up, so that it does not stall.
  return { allotted: kept, isWanting: counters.pending > tasks && kept - used <= tasks }
}
