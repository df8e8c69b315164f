// Screening: decides which announcements of another peer are accepted into the store.
//
// Cheap checks come first, and nothing counts against an author before its signature is verified: otherwise any peer could get
// any author refused. Valid announcements are accepted from any sender, whatever else is in the message.
// Invariant: the event loop is free again after each small batch.

import type { Clock } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { type Announcement, type AnnouncementSigner, idOf, sizeOf, statementOf } from './announcement.ts'
import type { Endorsement } from './announcement-kind.ts'
import type { AnnouncementStore } from './announcement-store.ts'
import type { ChargedAnnouncement } from './author-quotas.ts'
import { againMs, type Refusal, type Refusals } from './refusals.ts'
import { TokenBuckets } from './token-buckets.ts'

interface ScreeningNeeds {
  readonly store: AnnouncementStore
  readonly clock: Clock
  readonly signer: AnnouncementSigner
  readonly refusals: Refusals
}

/** How far a version may be ahead of our clock: as much as clocks usually differ. A wrong date cannot win for longer than
 * this. */
export const aheadMsMax = 10 * 60_000

/** Of one sender: a newcomer gets all of a large store at once. */
const senderLimits = { burst: 96 * 1024 * 1024, perMinute: 16 * 1024 * 1024 }
const batchCountMax = 50
const batchBytesMax = 128 * 1024

const forGood = Number.POSITIVE_INFINITY

type Judgement = Pick<Refusal, 'reason' | 'author' | 'forMs'>

export class Screening {
  readonly #needs: ScreeningNeeds
  readonly #buckets: TokenBuckets
  #refusal: ((announcement: Announcement) => string | undefined) | undefined

  constructor(needs: ScreeningNeeds) {
    this.#needs = needs
    this.#buckets = new TokenBuckets(() => needs.clock.monotonicMs())
  }

  screenWith(refusal: (announcement: Announcement) => string | undefined): void {
    this.#refusal = refusal
  }

  /** Takes what can be taken, in batches; gives each batch's news once it is safe. Ids of those that would be refused again are put
   * into `refused`. */
  async *take(
    announcements: readonly Announcement[],
    sender: PeerId,
    refused: Uint8Array[],
  ): AsyncIterable<readonly Announcement[]> {
    const { clock, store } = this.#needs
    let isFirst = true
    for (const batch of batchesOf(announcements)) {
      if (!isFirst) await clock.sleep(0)
      isFirst = false
      const sound: ChargedAnnouncement[] = []
      for (const announcement of batch) {
        const judged = await this.#judge(announcement, sender)
        if (judged === undefined) continue
        if ('chargedTo' in judged) sound.push(judged)
        else this.#refuse(announcement, sender, judged, refused)
      }
      if (sound.length === 0) continue
      const merged = await store.merge(sound)
      for (const { announcement, reason } of merged.refused)
        this.#refuse(announcement, sender, { reason, author: announcement.peer, forMs: againMs }, refused)
      if (merged.news.length > 0) yield merged.news
    }
  }

  #refuse(announcement: Announcement, sender: PeerId, judgement: Judgement, refused: Uint8Array[]): void {
    const id = idOf(announcement)
    this.#needs.refusals.add({ id, sender, ...judgement })
    if (this.#needs.refusals.isRefused(id)) refused.push(id)
  }

  /** undefined when it is nothing new. */
  async #judge(
    announcement: Announcement,
    sender: PeerId,
  ): Promise<ChargedAnnouncement | Judgement | undefined> {
    const { store, clock, signer, refusals } = this.#needs
    const kind = store.kinds.get(announcement.kind)
    if (kind === undefined) return { reason: 'its kind is not known', forMs: forGood }
    if (refusals.isRefused(idOf(announcement))) return { reason: 'it was refused before', forMs: 0 }
    if (this.#isKnown(announcement)) return undefined
    if (!kind.isTimeless && announcement.version > clock.nowMs() + aheadMsMax)
      return { reason: 'its version is ahead of the clock', forMs: 0 }
    if (!this.#buckets.take(`sender ${sender}`, sizeOf(announcement), senderLimits))
      return { reason: 'its sender sends too much', forMs: 0 }
    // Not remembered: the same announcement may come with the right signature.
    if (!(await signer.verify(announcement.peer, statementOf(announcement), announcement.signature)))
      return { reason: 'its signature is not of its author', forMs: 0 }
    const author = announcement.peer
    const fault = store.kinds.fault(announcement)
    if (fault !== undefined) return { reason: fault, author, forMs: forGood }
    const refusal = this.#refusal?.(announcement)
    if (refusal !== undefined) return { reason: refusal, author, forMs: againMs }
    const endorsement = kind.endorsement?.(announcement)
    if (endorsement !== undefined && !(await this.#isSigned(endorsement)))
      return { reason: 'what it rests on is not signed', author, forMs: forGood }
    const isChange = store.standing(announcement) !== undefined
    if (isChange && !this.#buckets.take(`${announcement.kind} ${author}`, 1, kind.changes))
      return { reason: 'its author changes too much', author, forMs: 0 }
    return store.kinds.charge(announcement)
  }

  /** Before anything is known of it but its length. */
  #isKnown(announcement: Announcement): boolean {
    try {
      return !this.#needs.store.isNews(announcement)
    } catch {
      // Its slot cannot be told: it is not sound.
      return false
    }
  }

  #isSigned({ peer, statement, signature }: Endorsement): boolean | Promise<boolean> {
    return this.#needs.signer.verify(peer, statement, signature)
  }
}

function* batchesOf(announcements: readonly Announcement[]): Iterable<readonly Announcement[]> {
  let batch: Announcement[] = []
  let bytes = 0
  for (const announcement of announcements) {
    if (batch.length >= batchCountMax || (batch.length > 0 && bytes + sizeOf(announcement) > batchBytesMax)) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(announcement)
    bytes += sizeOf(announcement)
  }
  if (batch.length > 0) yield batch
}
