// What a peer asks others about copies, as calls: small questions with the rest, captures in bulk.

import { MessageMalformed } from '../../../formats/wire/message-bytes.ts'
import { flags } from '../../../formats/wire/message-fields.ts'
import { messagePiece } from '../../../formats/wire/message-piece.ts'
import type { CallService } from '../../../platform/calls/call-services.ts'
import type { PeerId } from '../../../platform/network/network.ts'
import {
  type FetchedPage,
  fetchedPage,
  givenOutcomes,
  life,
  type Outcome,
  readProofs,
} from './wire/answers.ts'
import {
  type Arc,
  type CopiesQuestion,
  copiesQuestion,
  type SentCapture,
  type Want,
} from './wire/questions.ts'

const smallMs = 15_000
const bulkMs = 60_000
/** Where the other first asks for pieces of what is large. */
const largeMs = 600_000

const bulkKinds: ReadonlySet<CopiesQuestion['kind']> = new Set(['give', 'fetch', 'piece', 'prove'])

export class CopiesCalls {
  readonly #calls: Pick<CallService, 'call'>

  constructor(needs: { calls: Pick<CallService, 'call'> }) {
    this.#calls = needs.calls
  }

  compare(peer: PeerId, bytes: Uint8Array, signal?: AbortSignal): Promise<Uint8Array> {
    return this.#ask(peer, { kind: 'compare', bytes }, smallMs, signal)
  }

  async give(peer: PeerId, captures: readonly SentCapture[], signal?: AbortSignal): Promise<Outcome[]> {
    const isLarge = captures.some(({ bytes }) => bytes === undefined)
    const answer = await this.#ask(peer, { kind: 'give', captures }, isLarge ? largeMs : bulkMs, signal)
    return givenOutcomes.decode(answer, captures.length)
  }

  async fetch(
    peer: PeerId,
    wanted: { wants: readonly Want[]; isWhole: boolean; bytesMax: number },
    signal?: AbortSignal,
  ): Promise<FetchedPage> {
    const page = fetchedPage.decode(await this.#ask(peer, { kind: 'fetch', ...wanted }, bulkMs, signal))
    if (page.next && page.next.want >= wanted.wants.length)
      throw new MessageMalformed('it goes on with what was not asked')
    return page
  }

  /** A capture that is too large for a message, from some byte on. */
  async *pieces(
    peer: PeerId,
    { key, isWhole, from }: { key: Uint8Array; isWhole: boolean; from: number },
    signal?: AbortSignal,
  ): AsyncGenerator<Uint8Array> {
    for (let offset = from; ; ) {
      const question: CopiesQuestion = { kind: 'piece', key, isWhole, offset }
      const { bytes, isLast } = messagePiece.decode(await this.#ask(peer, question, bulkMs, signal))
      if (bytes.length > 0) yield bytes
      if (isLast) return
      if (bytes.length === 0) throw new MessageMalformed('a piece of nothing')
      offset += bytes.length
    }
  }

  async confirm(peer: PeerId, keys: readonly Uint8Array[], signal?: AbortSignal): Promise<boolean[]> {
    return flags.decode(await this.#ask(peer, { kind: 'confirm', keys }, smallMs, signal), keys.length)
  }

  /** Proofs of each, behind one another. */
  async prove(
    peer: PeerId,
    nonce: Uint8Array,
    keys: readonly Uint8Array[],
    signal?: AbortSignal,
  ): Promise<Uint8Array> {
    const deadlineMs = keys.length === 1 ? largeMs : bulkMs
    return readProofs(await this.#ask(peer, { kind: 'prove', nonce, keys }, deadlineMs, signal), keys.length)
  }

  async life(peer: PeerId, signal?: AbortSignal): Promise<Uint8Array> {
    return life.decode(await this.#ask(peer, { kind: 'life' }, smallMs, signal))
  }

  /** Gives the life that it is: what was said is for nothing when it is another. */
  async tell(
    peer: PeerId,
    told: { arcs: readonly Arc[]; splitsId: string; life: Uint8Array },
    signal?: AbortSignal,
  ): Promise<Uint8Array> {
    return life.decode(await this.#ask(peer, { kind: 'tell', ...told }, smallMs, signal))
  }

  async isComplete(peer: PeerId, arc: Arc, splitsId: string, signal?: AbortSignal): Promise<boolean> {
    const [isComplete] = flags.decode(
      await this.#ask(peer, { kind: 'complete', arc, splitsId }, smallMs, signal),
      1,
    )
    return isComplete!
  }

  /** Whether the owner would have us keep what we hold beyond the copies that are wanted. */
  async isSpareWanted(peer: PeerId, arc: Arc, signal?: AbortSignal): Promise<boolean> {
    const [isWanted] = flags.decode(await this.#ask(peer, { kind: 'spare', arc }, smallMs, signal), 1)
    return isWanted!
  }

  #ask(
    peer: PeerId,
    question: CopiesQuestion,
    deadlineMs: number,
    signal: AbortSignal | undefined,
  ): Promise<Uint8Array> {
    const channel = bulkKinds.has(question.kind) ? 'bulk' : 'control'
    return this.#calls.call(peer, copiesQuestion.encode(question), { deadlineMs, signal, channel })
  }
}
