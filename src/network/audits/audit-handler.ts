// Answers the challenges of other peers. Each of them has a budget, in challenges and in bytes read for them; one at a time is worked on,
// and a few wait: whoever asks for more is refused, for audits may take a small part of the disk's time and no more.

import { PolyhistorError } from '../../errors.ts'
import { AnsweringTurns } from '../../platform/calls/answering-turns.ts'
import type { CallService } from '../../platform/calls/call-services.ts'
import type { Clock } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { SerialQueue } from '../../platform/serial-queue.ts'
import { TokenBuckets } from '../announcements/token-buckets.ts'
import { type AuditedCaptures, runChain } from './audit-chain.ts'
import { type AuditAnswer, type AuditQuestion, auditAnswer, auditQuestion } from './audit-messages.ts'

/** Those that wait, and the one that is worked on. */
const turns = { ofAll: 16, ofEach: 2 }
const busy = ['audit-busy', 'This peer has enough challenges to answer.'] as const
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
  readonly #turns = new AnsweringTurns(turns, ...busy)
  readonly #queue = new SerialQueue()

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
    if (!this.#pings.take(from, 1, pings)) throw refusal()
    if (question.kind === 'spare') await this.#needs.spareHeard?.(from)
    if (question.kind !== 'challenge') return { kind: 'pong' }
    const { captures, self } = this.#needs
    const sizes = question.keys.map((key) => captures.sizeOf(key) ?? 0)
    const mean = sizes.reduce((sum, size) => sum + size, 0) / Math.max(1, sizes.length)
    const isDear = !this.#read.take(from, Math.min(this.#bytes.burst, mean * question.steps), this.#bytes)
    if (isDear) throw refusal()
    const run = () => this.#queue.run(() => runChain(captures, { prover: self, ...question }))
    const { digest, lacking } = await this.#turns.run(from, run)
    return { kind: 'shown', digest, lacking: [...lacking].sort((one, other) => one - other) }
  }
}

function refusal(): PolyhistorError {
  return new PolyhistorError(...busy, { retry: 'later' })
}
