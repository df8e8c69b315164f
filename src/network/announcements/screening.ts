// Screening: whether notices that another peer brought are taken into the book.
//
// The cheap checks come first, and nothing is held against an author before its signature was verified: else anybody could have
// anybody refused. Sound notices are taken whoever brings them, bad ones in the same message do not hinder them.
// Invariant: the event loop is free again after each small batch.

import type { Clock } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network.ts'
import type { ChargedNotice } from './author-usage.ts'
import { idOf, type Notice, type NoticeSigner, sizeOf, statementOf } from './notice.ts'
import type { NoticeBook } from './notice-book.ts'
import type { Endorsement } from './notice-kind.ts'
import { againMs, type Refusal, type Refusals } from './refusals.ts'
import { TokenBuckets } from './token-buckets.ts'

export interface ScreeningNeeds {
  readonly book: NoticeBook
  readonly clock: Clock
  readonly signer: NoticeSigner
  readonly refusals: Refusals
}

/** How far a version may be ahead of our clock: as far as clocks of peers differ that are not plainly wrong. Nobody can have the
 * last word for longer. */
export const aheadMsMax = 10 * 60_000

/** Of one sender: a newcomer gets all of a large book at once. */
const senderLimits = { burst: 96 * 1024 * 1024, perMinute: 16 * 1024 * 1024 }
const batchCountMax = 50
const batchBytesMax = 128 * 1024

const forGood = Number.POSITIVE_INFINITY

type Judgement = Pick<Refusal, 'reason' | 'author' | 'forMs'>

export class Screening {
  readonly #needs: ScreeningNeeds
  readonly #buckets: TokenBuckets

  constructor(needs: ScreeningNeeds) {
    this.#needs = needs
    this.#buckets = new TokenBuckets(() => needs.clock.monotonicMs())
  }

  /** Takes what can be taken, in batches; gives each batch's news once it is safe. Ids of those that would be refused again are put
   * into `refused`. */
  async *take(
    notices: readonly Notice[],
    sender: PeerId,
    refused: Uint8Array[],
  ): AsyncIterable<readonly Notice[]> {
    const { clock, book } = this.#needs
    let isFirst = true
    for (const batch of batchesOf(notices)) {
      if (!isFirst) await clock.sleep(0)
      isFirst = false
      const sound: ChargedNotice[] = []
      for (const notice of batch) {
        const judged = await this.#judge(notice, sender)
        if (judged === undefined) continue
        if ('chargedTo' in judged) sound.push(judged)
        else this.#refuse(notice, sender, judged, refused)
      }
      if (sound.length === 0) continue
      const merged = await book.merge(sound)
      for (const { notice, reason } of merged.refused)
        this.#refuse(notice, sender, { reason, author: notice.peer, forMs: againMs }, refused)
      if (merged.news.length > 0) yield merged.news
    }
  }

  #refuse(notice: Notice, sender: PeerId, judgement: Judgement, refused: Uint8Array[]): void {
    const id = idOf(notice)
    this.#needs.refusals.add({ id, sender, ...judgement })
    if (this.#needs.refusals.isRefused(id)) refused.push(id)
  }

  /** undefined when it is nothing new. */
  async #judge(notice: Notice, sender: PeerId): Promise<ChargedNotice | Judgement | undefined> {
    const { book, clock, signer, refusals } = this.#needs
    const kind = book.kinds.get(notice.kind)
    if (kind === undefined) return { reason: 'its kind is not known', forMs: forGood }
    if (refusals.isRefused(idOf(notice))) return { reason: 'it was refused before', forMs: 0 }
    if (this.#isKnown(notice)) return undefined
    if (notice.version > clock.nowMs() + aheadMsMax)
      return { reason: 'its version is ahead of the clock', forMs: 0 }
    if (!this.#buckets.take(`sender ${sender}`, sizeOf(notice), senderLimits))
      return { reason: 'its sender sends too much', forMs: 0 }
    // Not remembered: the same notice may come with the right signature.
    if (!(await signer.verify(notice.peer, statementOf(notice), notice.signature)))
      return { reason: 'its signature is not of its author', forMs: 0 }
    const author = notice.peer
    const fault = book.kinds.fault(notice)
    if (fault !== undefined) return { reason: fault, author, forMs: forGood }
    const endorsement = kind.endorsement?.(notice)
    if (endorsement !== undefined && !(await this.#isSigned(endorsement)))
      return { reason: 'what it rests on is not signed', author, forMs: forGood }
    const isChange = book.standing(notice) !== undefined
    if (isChange && !this.#buckets.take(`${notice.kind} ${author}`, 1, kind.changes))
      return { reason: 'its author changes too much', author, forMs: 0 }
    return book.kinds.charge(notice)
  }

  /** Before anything is known of it but its length. */
  #isKnown(notice: Notice): boolean {
    try {
      return !this.#needs.book.isNews(notice)
    } catch {
      // Its slot cannot be told: it is not sound.
      return false
    }
  }

  #isSigned({ peer, statement, signature }: Endorsement): boolean | Promise<boolean> {
    return this.#needs.signer.verify(peer, statement, signature)
  }
}

function* batchesOf(notices: readonly Notice[]): Iterable<readonly Notice[]> {
  let batch: Notice[] = []
  let bytes = 0
  for (const notice of notices) {
    if (batch.length >= batchCountMax || (batch.length > 0 && bytes + sizeOf(notice) > batchBytesMax)) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(notice)
    bytes += sizeOf(notice)
  }
  if (batch.length > 0) yield batch
}
