// Requests to the owners of digests, batched per owner, and redirected when the ring has changed.
//
// The likely owner is asked at once, without a lookup; it says so when the digest is not its own.

import type { Digest } from '../../model/digest.ts'
import { Batchers } from '../../platform/batcher.ts'
import type { Clock } from '../../platform/clock.ts'
import { type PeerId, PeerUnreachable } from '../../platform/network/network.ts'
import { placeOfDigest } from './content-row.ts'
import { KnownContentError } from './known-content-error.ts'
import type { ContentCalls, ContentPlaces } from './needs.ts'
import {
  type ContentQuestion,
  contentQuestion,
  itemsMax,
  type OwnerAnswer,
  ownerAnswers,
} from './questions.ts'

export type OwnerQuestion = Extract<ContentQuestion, { kind: 'ask' | 'register' | 'need' | 'where' }>

interface Needs {
  readonly clock: Clock
  readonly places: ContentPlaces
  readonly calls: ContentCalls
  /** What is our own we answer ourselves. */
  answerOwn(question: OwnerQuestion): Promise<OwnerAnswer[]>
}

type OwnerReply = Exclude<OwnerAnswer, { kind: 'foreign' }>

export class DigestOwners<Item extends { readonly digest: Digest }> {
  readonly #needs: Needs
  readonly #question: (items: readonly Item[]) => OwnerQuestion
  readonly #callMs: number
  readonly #batches: Batchers<PeerId, Item, OwnerAnswer>

  constructor(
    needs: Needs,
    question: (items: readonly Item[]) => OwnerQuestion,
    { callMs, waitMs }: { callMs: number; waitMs: number },
  ) {
    this.#needs = needs
    this.#question = question
    this.#callMs = callMs
    this.#batches = new Batchers(needs, { itemsMax, waitMs }, (peer, items) => this.#send(peer, items))
  }

  /** Rejects with a PolyhistorError when the owner is not found, or does not answer. */
  async ask(item: Item): Promise<OwnerReply> {
    const { places } = this.#needs
    const key = placeOfDigest(item.digest)
    const likely = places.likelyOwnerOf(key)?.peer
    const first = likely && (await this.#tried(likely, item))
    if (first && first.kind !== 'foreign') return first
    const [owner] = await places.keepersOf(key)
    const answer = owner && (await this.#batches.add(owner, item))
    if (answer && answer.kind !== 'foreign') return answer
    throw new KnownContentError('content-no-owner', 'No peer says that this content is its own')
  }

  /** undefined when that peer is gone: then another owns it, or will. */
  async #tried(peer: PeerId, item: Item): Promise<OwnerAnswer | undefined> {
    try {
      return await this.#batches.add(peer, item)
    } catch (error) {
      if (error instanceof PeerUnreachable) return undefined
      throw error
    }
  }

  async #send(peer: PeerId, items: readonly Item[]): Promise<OwnerAnswer[]> {
    const { places, calls } = this.#needs
    const question = this.#question(items)
    if (peer === places.self) return this.#needs.answerOwn(question)
    const answer = await calls.call(peer, contentQuestion.encode(question), { deadlineMs: this.#callMs })
    return ownerAnswers.decode(answer, items.length)
  }
}
