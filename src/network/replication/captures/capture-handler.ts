// Capture handler: answers other peers' requests about copies: comparisons, captures sent and fetched, proofs before copies are
// dropped elsewhere.
//
// Any member of the network may ask; membership was checked by the transport. Every answer is bounded in bytes.

import { flags } from '../../../formats/wire/message-fields.ts'
import { messagePiece } from '../../../formats/wire/message-piece.ts'
import type { CallContext } from '../../../platform/calls/calls.ts'
import type { PeerId } from '../../../platform/network/network.ts'
import { answerQuestion } from '../comparison/answering.ts'
import type { Admission } from './admission.ts'
import type { CaptureReceiver, ReceivedCapture } from './capture-receiver.ts'
import type { CopiesCalls } from './copies-calls.ts'
import { CopiesError } from './copies-error.ts'
import type { HeldCaptures } from './held-captures.ts'
import type { PageBuilder } from './page-builder.ts'
import type { PieceReader } from './piece-reader.ts'
import { sentCopy } from './sent-copy.ts'
import type { Traffic } from './traffic.ts'
import { givenOutcomes, type Outcome } from './wire/answers.ts'
import { type Arc, copiesQuestion, type SentCapture } from './wire/questions.ts'

/** What the rest of this peer says to some questions. */
interface HandlerNeeds {
  /** Drawn at the start: who believes in what was before must learn that it is over. */
  readonly life: Uint8Array
  /** The owner of these arcs says that we have all that lies there. */
  believe(owner: PeerId, arcs: readonly Arc[], splitsId: string): void
  isComplete(arc: Arc, splitsId: string): boolean
  /** Whether this peer is to keep what it holds of our arc beyond the copies that are wanted. */
  isSpareWanted(peer: PeerId, arc: Arc): boolean
  /** Which of these are here for good, and will be for a while. */
  promise(keys: readonly Uint8Array[]): Promise<boolean[]>
  /** Shows that these are here. */
  prove(nonce: Uint8Array, keys: readonly Uint8Array[]): Promise<Uint8Array>
}

interface Needs {
  held: HeldCaptures
  calls: CopiesCalls
  taking: CaptureReceiver
  admission: Admission
  pages: PageBuilder
  pieces: PieceReader
  traffic: Traffic
  advisers: HandlerNeeds
  /** A capture of that sender was wrong: in its bytes, or in what it says was signed. */
  whenDamaged?: ((sender: PeerId) => void) | undefined
}

export class CaptureHandler {
  readonly #needs: Needs
  /** Captures that are being taken. */
  readonly #underWay = new Set<Promise<Outcome[]>>()
  #leaving = new AbortController()

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** For leaving: accepts nothing any more, and does not answer what we have. Resolves when all that was being taken is here;
   * what comes in pieces is cut off. */
  async withdraw(): Promise<void> {
    this.#leaving.abort(new CopiesError('copies-leaving', 'This peer is about to leave for good.'))
    await Promise.allSettled(this.#underWay)
  }

  /** We stay after all. */
  resume(): void {
    this.#leaving = new AbortController()
  }

  async answer(from: PeerId, bytes: Uint8Array, context: CallContext): Promise<Uint8Array> {
    const { held, pages, pieces, advisers, traffic } = this.#needs
    const question = copiesQuestion.decode(bytes)
    switch (question.kind) {
      case 'compare':
        this.#leaving.signal.throwIfAborted()
        return answerQuestion(held.sums, question.bytes)
      case 'give':
        return givenOutcomes.encode(await this.#take(from, question.captures, context.signal))
      case 'fetch':
        return pages.make(question, context.signal)
      case 'piece': {
        const piece = await pieces.read(from, question)
        traffic.countOut(piece.bytes.length)
        return messagePiece.encode(piece)
      }
      case 'confirm':
        return flags.encode(await advisers.promise(question.keys))
      case 'prove':
        // A leaving peer must not be counted on, as above.
        this.#leaving.signal.throwIfAborted()
        return advisers.prove(question.nonce, question.keys)
      case 'tell':
        if (Buffer.compare(question.life, advisers.life) === 0)
          advisers.believe(from, question.arcs, question.splitsId)
        return advisers.life
      case 'life':
        return advisers.life
      case 'complete':
        return flags.encode([advisers.isComplete(question.arc, question.splitsId)])
      case 'spare':
        return flags.encode([advisers.isSpareWanted(from, question.arc)])
    }
  }

  async #take(from: PeerId, captures: readonly SentCapture[], asked: AbortSignal): Promise<Outcome[]> {
    const { traffic } = this.#needs
    this.#leaving.signal.throwIfAborted()
    for (const { bytes } of captures) traffic.countIn(bytes?.length ?? 0)
    const isInPieces = captures.some(({ bytes }) => bytes === undefined)
    const signal = isInPieces ? AbortSignal.any([asked, this.#leaving.signal]) : asked
    const outcomes = this.#takeAll(
      from,
      captures.map((capture) => ({
        key: capture.key,
        isLarge: capture.bytes === undefined,
        isWhole: capture.isWhole,
        isFirst: capture.isFirst,
        copy: () => sentCopy(this.#needs, from, capture, signal),
      })),
    )
    this.#underWay.add(outcomes)
    try {
      return await outcomes
    } finally {
      this.#underWay.delete(outcomes)
    }
  }
  /** What was refused is looked at again when the ring has been asked who keeps it. */
  async #takeAll(from: PeerId, captures: readonly ReceivedCapture[]): Promise<Outcome[]> {
    const { taking, admission } = this.#needs
    const outcomes = await taking.take(captures, admission.givenBy(from))
    for (const outcome of outcomes) if (outcome === 'damaged') this.#needs.whenDamaged?.(from)
    const refused = [...outcomes.keys()].filter((place) => outcomes[place] === 'refused')
    if (refused.length === 0) return outcomes
    const again = refused.map((place) => captures[place]!)
    await admission.ask(again.map(({ key }) => key))
    const judged = await taking.take(again, admission.broughtBy(from))
    for (const [index, place] of refused.entries()) outcomes[place] = judged[index]!
    return outcomes
  }
}
