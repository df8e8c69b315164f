// Step exchange: what the parts of one try of a run tell each other, step by step, by calls.
//
// A part goes on when it has the messages of all others and they have its own; so nobody is more than a step ahead, and at most two
// steps lie here. Calls that fail are made again until somebody ends the try: who is gone is for the coordinator to decide.
//
// Bounded: pieces and bytes that one part, and all together, may have here. What comes twice counts once.

import { PolyhistorError } from '../../errors.ts'
import { type BackOff, backOffMs } from '../../model/back-off.ts'
import type { CallService } from '../../platform/calls/call-services.ts'
import type { Clock } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network/network.ts'
import type { Pieces, RankExchange } from '../../rank/rank-parts.ts'
import { piecesMax, type RankPiece, type RankPlan, rankQuestion } from './rank-questions.ts'

interface Needs {
  readonly calls: Pick<CallService, 'call'>
  readonly clock: Clock
  readonly self: PeerId
}

interface Heard {
  readonly pieces: (Uint8Array | undefined)[]
  missing: number
}

const answerMs = 10_000
const backOff: BackOff = { firstMs: 100, longestMs: 2_000 }
const piecesAtOnce = 4
const partBytesMax = 64 * 1024 * 1024
const allBytesMax = 512 * 1024 * 1024
const nothing = new Uint8Array()

export class StepExchange implements RankExchange {
  readonly #needs: Needs
  readonly #plan: RankPlan
  readonly #ended = new AbortController()
  /** By step, then part. */
  readonly #heard = new Map<number, Map<number, Heard>>()
  #bytes = 0
  #step = -1
  #waiting: PromiseWithResolvers<void> | undefined

  constructor(needs: Needs, plan: RankPlan) {
    this.#needs = needs
    this.#plan = plan
  }

  get step(): number {
    return Math.max(0, this.#step)
  }

  /** Parts whose messages of this step have not come. */
  lacking(): number[] {
    const heard = this.#heard.get(this.step)
    return this.#others().filter((part) => heard?.get(part)?.missing !== 0)
  }

  /** Whoever waits gives up. */
  end(reason: Error): void {
    this.#ended.abort(reason)
    this.#waiting?.reject(reason)
    this.#heard.clear()
  }

  async swap(step: number, ours: readonly Pieces[]): Promise<readonly Pieces[]> {
    this.#ended.signal.throwIfAborted()
    this.#step = step
    this.#heard.delete(step - 1)
    this.#bytes = this.#bytesHere()
    const told = this.#others().map((part) => this.#tell(part, ours[part]!))
    await Promise.all([this.#wait(), ...told])
    const heard = this.#heard.get(step)
    return this.#plan.participants.map((_, part) =>
      (heard?.get(part)?.pieces ?? []).filter((piece) => piece !== undefined && piece.length > 0),
    ) as Pieces[]
  }

  /** Refuses with an error that passes what cannot be taken yet. */
  accept(from: PeerId, { step, piece, pieces, bytes }: RankPiece): void {
    const part = this.#plan.participants.indexOf(from)
    if (part === -1 || from === this.#needs.self)
      throw new PolyhistorError('rank-no-part', 'This peer takes no part')
    // Told again, for the answer was lost.
    if (step < this.#step) return
    if (step > this.#step + 1 || this.#ended.signal.aborted) throw tooEarly()
    let parts = this.#heard.get(step)
    if (parts === undefined) this.#heard.set(step, (parts = new Map()))
    let heard = parts.get(part)
    if (heard === undefined)
      parts.set(part, (heard = { pieces: new Array(pieces).fill(undefined), missing: pieces }))
    if (pieces !== heard.pieces.length || piece >= pieces)
      throw new PolyhistorError('rank-malformed', 'Pieces of another message')
    if (heard.pieces[piece] !== undefined) return
    const here = heard.pieces.reduce((sum, other) => sum + (other?.length ?? 0), 0)
    if (here + bytes.length > partBytesMax || this.#bytes + bytes.length > allBytesMax)
      throw new PolyhistorError('rank-too-large', 'There is no room for so much')
    heard.pieces[piece] = bytes
    heard.missing--
    this.#bytes += bytes.length
    if (heard.missing === 0 && this.lacking().length === 0) this.#waiting?.resolve()
  }

  async #wait(): Promise<void> {
    if (this.lacking().length === 0) return
    this.#waiting = Promise.withResolvers()
    await this.#waiting.promise
    this.#waiting = undefined
  }

  async #tell(part: number, message: Pieces): Promise<void> {
    const pieces = message.length === 0 ? [nothing] : message
    if (pieces.length > piecesMax)
      throw new PolyhistorError('rank-too-large', 'There are more links than peers may tell each other')
    const step = this.#step
    let next = 0
    const teller = async (): Promise<void> => {
      while (next < pieces.length) {
        const piece = next++
        await this.#tellPiece(part, { step, piece, pieces: pieces.length, bytes: pieces[piece]! })
      }
    }
    await Promise.all(Array.from({ length: Math.min(piecesAtOnce, pieces.length) }, teller))
  }

  async #tellPiece(part: number, piece: Omit<RankPiece, 'run' | 'round'>): Promise<void> {
    const { calls, clock } = this.#needs
    const { signal } = this.#ended
    const { run, round, participants } = this.#plan
    const bytes = rankQuestion.encode({ kind: 'piece', run, round, ...piece })
    for (let failures = 1; ; failures++) {
      try {
        await calls.call(participants[part]!, bytes, { deadlineMs: answerMs, signal, channel: 'bulk' })
        return
      } catch (error) {
        signal.throwIfAborted()
        if (!(error instanceof PolyhistorError)) throw error
        await clock.sleep(backOffMs(backOff, failures), signal)
      }
    }
  }

  #others(): number[] {
    const self = this.#plan.participants.indexOf(this.#needs.self)
    return this.#plan.participants.map((_, part) => part).filter((part) => part !== self)
  }

  #bytesHere(): number {
    let bytes = 0
    for (const parts of this.#heard.values())
      for (const { pieces } of parts.values()) for (const piece of pieces) bytes += piece?.length ?? 0
    return bytes
  }
}

export function tooEarly(): PolyhistorError {
  return new PolyhistorError('rank-too-early', 'This peer is not that far yet', { retry: 'later' })
}
