// Reconciliation of announcements with one peer: afterwards both have what either had.

import type { Random } from '../../platform/random.ts'
import { Comparison } from '../replication/comparison/comparison.ts'
import type { Difference } from '../replication/comparison/difference.ts'
import { saltBytes } from '../replication/comparison/fingerprint.ts'
import { allKeys, type KeyRange } from '../replication/sums/key-range.ts'
import type { Announcement } from './announcement.ts'
import type { AnnouncementStore } from './announcement-store.ts'
import { type AnnouncementsQuestion, fetchedAnnouncements, messagesOf, refusedIds } from './questions.ts'

interface ReconciliationNeeds {
  readonly store: AnnouncementStore
  readonly random: Random
  /** Asks the other peer. */
  ask(question: AnnouncementsQuestion): Promise<Uint8Array>
  /** Accepts announcements of the other peer. */
  accept(announcements: readonly Announcement[]): Promise<void>
  /** What was refused is not fetched again and again. */
  isRefused(id: Uint8Array): boolean
  /** What the other has refused is not sent again and again. */
  isDeclined(id: Uint8Array): boolean
  onDeclined(id: Uint8Array): void
}

export async function reconcile(needs: ReconciliationNeeds): Promise<void> {
  const { store, random, ask } = needs
  const comparison = new Comparison(store.sums, [allKeys], random.bytes(saltBytes))
  for (let question = comparison.ask(); question !== undefined; question = comparison.ask()) {
    const answer = await ask({ kind: 'compare', bytes: question.bytes })
    const differences = [...comparison.hear(question, answer)]
    for (const difference of differences) await settle(needs, difference)
  }
}

async function settle(needs: ReconciliationNeeds, difference: Difference): Promise<void> {
  const { store, ask } = needs
  if (difference.kind === 'all-theirs') return fetch(needs, difference.range, [])
  if (difference.kind === 'theirs') {
    const ids = difference.ids.filter((id) => !needs.isRefused(id))
    return ids.length === 0 ? undefined : fetch(needs, difference.range, ids)
  }
  const entries = difference.kind === 'ours' ? difference.entries : [...store.sums.entries(difference.range)]
  const wanted = entries.filter(({ id }) => !needs.isDeclined(id))
  for (const announcements of messagesOf(store.announcementsOf(wanted))) {
    for (const id of refusedIds.decode(await ask({ kind: 'tell', announcements }))) needs.onDeclined(id)
  }
}

async function fetch(needs: ReconciliationNeeds, range: KeyRange, ids: readonly Uint8Array[]): Promise<void> {
  let from: Uint8Array | undefined = range.from
  while (from !== undefined) {
    const fetched = fetchedAnnouncements.decode(
      await needs.ask({ kind: 'fetch', range: { from, to: range.to }, ids }),
    )
    await needs.accept(fetched.announcements)
    // The next key must be larger than the last, so that a peer cannot keep us here without end.
    from = fetched.next !== undefined && Buffer.compare(fetched.next, from) > 0 ? fetched.next : undefined
  }
}
