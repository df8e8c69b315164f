// Answers the challenges of other peers. Each of them has a budget, in challenges and in bytes read for them; one at a time is worked on,
// and a few wait: whoever asks for more is refused, for audits may take a small part of the disk's time and no more.

import { PolyhistorError } from '../../errors.ts'
import type { CallService } from '../../platform/calls/call-services.ts'
import type { Clock } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { TokenBuckets } from '../announcements/token-buckets.ts'
import { type AuditedCaptures, runChain } from './audit-chain.ts'
import { type AuditAnswer, type AuditQuestion, auditAnswer, auditQuestion } from './audit-messages.ts'

const perPeerMax = 2
const waitingMax = 16
const pings = { burst: 20, perMinute: 60 }

export interface AuditHandlerOptions {
  /** Bytes a second that answering one peer may read, over time. */
  readonly bytesPerSecond: number
}

interface Needs {
  readonly self: PeerId
  readonly captures: AuditedCaptures
  readonly clock: Clock
  /** This one says that it keeps a spare copy. */
  spareHeard?(peer: PeerId): Promise<void>
}

export class AuditHandler {
  readonly #needs: Needs
  readonly #bytes: { burst: number; perMinute: number }
  readonly #pings: TokenBuckets
  readonly #read: TokenBuckets
  readonly #waiting = new Map<PeerId, number>()
  #last: Promise<unknown> = Promise.resolve()
  #underWay = 0

  constructor(needs: Needs & { readonly calls: CallService }, { bytesPerSecond }: AuditHandlerOptions) {
    this.#needs = needs
    // What a minute gives may be read at once, and one challenge always.
    this.#bytes = { burst: Math.max(60 * bytesPerSecond, 64_000_000), perMinute: 60 * bytesPerSecond }
    this.#pings = new TokenBuckets(() => needs.clock.monotonicMs())
    this.#read = new TokenBuckets(() => needs.clock.monotonicMs())
    needs.calls.answer(async (from, bytes) =>
      auditAnswer.encode(await this.#answer(from, auditQuestion.decode(bytes))),
    )
  }

  async #answer(from: PeerId, question: AuditQuestion): Promise<AuditAnswer> {
    if (!this.#pings.take(from, 1, pings)) throw busy()
    if (question.kind === 'spare') await this.#needs.spareHeard?.(from)
    if (question.kind !== 'challenge') return { kind: 'pong' }
    const waiting = this.#waiting.get(from) ?? 0
    const { captures, self } = this.#needs
    const sizes = question.keys.map((key) => captures.sizeOf(key) ?? 0)
    const mean = sizes.reduce((sum, size) => sum + size, 0) / Math.max(1, sizes.length)
    const isDear = !this.#read.take(from, Math.min(this.#bytes.burst, mean * question.steps), this.#bytes)
    if (waiting >= perPeerMax || this.#underWay >= waitingMax || isDear) throw busy()
    this.#waiting.set(from, waiting + 1)
    this.#underWay++
    const turn = this.#last.catch(() => {}).then(() => runChain(captures, { prover: self, ...question }))
    this.#last = turn
    try {
      const { digest, lacking } = await turn
      return { kind: 'shown', digest, lacking: [...lacking].sort((one, other) => one - other) }
    } finally {
      this.#underWay--
      const left = this.#waiting.get(from)! - 1
      if (left === 0) this.#waiting.delete(from)
      else this.#waiting.set(from, left)
    }
  }
}

function busy(): PolyhistorError {
  return new PolyhistorError('audit-busy', 'This peer has enough challenges to answer.', { retry: 'later' })
}
