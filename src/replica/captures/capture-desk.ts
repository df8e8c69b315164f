// Answers what other peers ask about copies: what lies here, captures given and fetched, what may be dropped elsewhere.
//
// Whoever is in the network may ask: who that is has been checked. Every answer is bounded in bytes; reading ahead for one
// is, too.

import { writePiece } from '../../record/message-piece.ts'
import type { CallContext } from '../../world/calls.ts'
import type { PeerId } from '../../world/network.ts'
import { answerQuestion } from '../comparison/answering.ts'
import { textOfId } from '../comparison/difference.ts'
import { nextKey } from '../sums/key-range.ts'
import { idBytes } from '../sums/tally.ts'
import type { CaptureReading } from './capture-reading.ts'
import type { CaptureTaking } from './capture-taking.ts'
import type { CopiesCalls } from './copies-calls.ts'
import { CopiesError } from './copies-error.ts'
import type { HeldCaptures } from './held-captures.ts'
import type { PieceReading } from './piece-reading.ts'
import { sentCopy } from './sent-copy.ts'
import type { Traffic } from './traffic.ts'
import { type FetchedPage, type Outcome, writeFlags, writeOutcomes, writePage } from './wire/answers.ts'
import { type Arc, capturesMax, readCopiesQuestion, type SentCapture, type Want } from './wire/questions.ts'

/** What the rest of this peer says to some questions. */
export interface DeskAdvisers {
  /** Drawn at the start: who believes in what was before must learn that it is over. */
  readonly life: Uint8Array
  /** The owner of these arcs says that we have all that lies there. */
  believe(owner: PeerId, arcs: readonly Arc[], splitsId: string): void
  isComplete(arc: Arc, splitsId: string): boolean
  /** Whether this peer is to keep what it holds of our arc beyond the copies that are wanted. */
  isSpareWanted(peer: PeerId, arc: Arc): boolean
  /** Which of these are here for good, and will be for a while. */
  promise(keys: readonly Uint8Array[]): Promise<boolean[]>
}

interface Needs {
  held: HeldCaptures
  calls: CopiesCalls
  taking: CaptureTaking
  reading: CaptureReading
  pieces: PieceReading
  traffic: Traffic
  advisers: DeskAdvisers
}

const pageBytesMax = 1024 * 1024
/** Of the roster, at a time. */
const entriesAtOnce = 256
/** An answer ends when so many entries were gone through for it: some 50 ms. */
const entriesMax = 20_000

export class CaptureDesk {
  readonly #needs: Needs
  /** Captures that are being taken. */
  readonly #underWay = new Set<Promise<Outcome[]>>()
  #leaving = new AbortController()

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** We are about to leave: nothing is taken any more, and nobody is told what we have. Resolves when all that was being taken is
   * here; what comes in pieces is cut off. */
  async withdraw(): Promise<void> {
    this.#leaving.abort(new CopiesError('copies-leaving', 'This peer is about to leave for good.'))
    await Promise.allSettled(this.#underWay)
  }

  /** We stay after all. */
  resume(): void {
    this.#leaving = new AbortController()
  }

  async answer(from: PeerId, bytes: Uint8Array, context: CallContext): Promise<Uint8Array> {
    const { held, pieces, advisers, traffic } = this.#needs
    const question = readCopiesQuestion(bytes)
    switch (question.kind) {
      case 'compare':
        this.#leaving.signal.throwIfAborted()
        return answerQuestion(held.sums, question.bytes)
      case 'give':
        return writeOutcomes(await this.#take(from, question.captures, context.signal))
      case 'fetch':
        return writePage(await this.#page(question, context.signal))
      case 'piece': {
        const piece = await pieces.read(from, question)
        traffic.countOut(piece.bytes.length)
        return writePiece(piece)
      }
      case 'confirm':
        return writeFlags(await advisers.promise(question.keys))
      case 'tell':
        if (Buffer.compare(question.life, advisers.life) === 0)
          advisers.believe(from, question.arcs, question.splitsId)
        return advisers.life
      case 'life':
        return advisers.life
      case 'complete':
        return writeFlags([advisers.isComplete(question.arc, question.splitsId)])
      case 'spare':
        return writeFlags([advisers.isSpareWanted(from, question.arc)])
    }
  }

  async #take(from: PeerId, captures: readonly SentCapture[], asked: AbortSignal): Promise<Outcome[]> {
    const { taking, traffic } = this.#needs
    this.#leaving.signal.throwIfAborted()
    for (const { bytes } of captures) traffic.countIn(bytes?.length ?? 0)
    const isInPieces = captures.some(({ bytes }) => bytes === undefined)
    const signal = isInPieces ? AbortSignal.any([asked, this.#leaving.signal]) : asked
    const outcomes = taking.take(
      captures.map((capture) => ({
        key: capture.key,
        isLarge: capture.bytes === undefined,
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

  async #page(
    { wants, isWhole, bytesMax }: { wants: readonly Want[]; isWhole: boolean; bytesMax: number },
    signal: AbortSignal,
  ): Promise<FetchedPage> {
    const { reading, traffic } = this.#needs
    const limit = Math.min(bytesMax, pageBytesMax)
    const captures: SentCapture[] = []
    let size = 0
    const search = new Search()
    for await (const { key, capture } of reading.all(this.#keysOf(wants, search), isWhole)) {
      signal.throwIfAborted()
      if (capture === undefined) continue
      const length = capture.bytes?.length ?? 0
      const isFull = captures.length >= capturesMax || size + length > limit
      if (captures.length > 0 && isFull)
        return { captures, next: { want: search.wantOf.get(key)!, from: key } }
      captures.push(capture)
      size += length
      traffic.countOut(length)
    }
    return { captures, next: search.stoppedAt }
  }

  /** Of what is wanted and here. */
  *#keysOf(wants: readonly Want[], search: Search): Iterable<Uint8Array> {
    for (const [want, { range, ids }] of wants.entries()) {
      const wanted = ids && new Set(ids.map(textOfId))
      for (const key of this.#keysIn(range)) {
        if (++search.count > entriesMax) {
          search.stoppedAt = { want, from: key }
          return
        }
        if (wanted !== undefined && !wanted.delete(textOfId(key.subarray(-idBytes)))) continue
        search.wantOf.set(key, want)
        yield key
        if (wanted?.size === 0) break
      }
    }
  }

  /** A page at a time: an iteration must not outlive what is awaited between. */
  *#keysIn({ from, to }: Want['range']): Iterable<Uint8Array> {
    for (let start = from; ; ) {
      const entries = [
        ...this.#needs.held.roster.entries({
          ...(start.length > 0 && { from: start }),
          ...(to && { to }),
          limit: entriesAtOnce,
        }),
      ]
      for (const { key } of entries) yield key
      if (entries.length < entriesAtOnce) return
      start = nextKey(entries.at(-1)!.key)
    }
  }
}

/** How far a search for wanted captures has come. */
class Search {
  count = 0
  readonly wantOf = new Map<Uint8Array, number>()
  stoppedAt: FetchedPage['next']
}
