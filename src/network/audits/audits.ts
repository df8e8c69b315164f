// Audits: peers that keep the same places challenge each other, at random times, to show that they have what they are to have.
//
// In a round each of them is challenged once (audit-plan.ts), about captures that both should hold (audit-chain.ts). A wrong answer, a
// late one (audit-deadline.ts), or one that lacks what a comparison found there counts against the peer (audit-scores.ts); what is lacking
// is compared again, so that it is given anew. Whoever does not answer a ping is away, and not judged; nor is anybody while this machine
// itself stood still. Both sides read for it at a bounded rate. Newcomers that keep a spare copy are challenged like the others, and what
// came of it is noted for them, too (src/network/screening/): they have to show nearly all of it, and to be there.

import { PolyhistorError } from '../../errors.ts'
import { LruCache } from '../../model/lru-cache.ts'
import type { AuditStatus } from '../../model/peer-status.ts'
import type { RingKey } from '../../model/ring-key.ts'
import type { CallService } from '../../platform/calls/call-services.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { PeriodicTask } from '../../platform/periodic-task.ts'
import type { Random } from '../../platform/random.ts'
import type { CopyPlaces } from '../replication/captures/places.ts'
import type { RangeSums } from '../replication/sums/range-sums.ts'
import { type AuditedCaptures, runChain } from './audit-chain.ts'
import { answerMsMax, auditDeadlineMs } from './audit-deadline.ts'
import {
  type AuditAnswer,
  type AuditQuestion,
  auditAnswer,
  auditQuestion,
  nonceBytes,
} from './audit-messages.ts'
import { planRound } from './audit-plan.ts'
import type { AuditOutcome, AuditScores } from './audit-scores.ts'
import { countedPlaces } from './counted-places.ts'

interface Needs {
  readonly calls: CallService
  readonly captures: AuditedCaptures
  readonly sums: RangeSums
  /** As the ring has them, with those that are excluded. */
  readonly places: CopyPlaces
  readonly scores: AuditScores
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** Whether the peer was found to hold what lies there, or says so of itself. */
  isClaimed(peer: PeerId, key: Uint8Array): boolean
  /** The peer lacks it: to be compared and given again. */
  repair(peer: PeerId, key: Uint8Array): void
  /** Newcomers that keep a spare copy. */
  readonly spares?: SpareKeepers | undefined
  /** Resolves when so many bytes more may be read. */
  pace(bytes: number): Promise<void>
}

interface SpareKeepers {
  spares(): readonly {
    readonly peer: PeerId
    readonly arc: { readonly after: RingKey; readonly upTo: RingKey }
  }[]
  isSpare(peer: PeerId): boolean
  /** Whether it was there and showed what it is to have. */
  audited(peer: PeerId, isShown: boolean): Promise<void>
}

export interface AuditsOptions {
  /** In which everybody is challenged once. */
  readonly roundMs: number
  readonly steps: number
}

export type AuditsStatus = Omit<AuditStatus, 'excluded' | 'peers'>

const optionsDefault: AuditsOptions = { roundMs: 3_600_000, steps: 32 }
const pingMs = 3_000
/** One may be lost. */
const pingsMax = 3
/** A timer of our own that comes so late says that this machine stood still. */
const [tickMs, stillMs] = [50, 200]
/** Of the keys: some may be rotten and under repair, or just dropped. */
const lackingShareMax = 0.05
const peersMax = 4_096

export class Audits {
  readonly #needs: Needs
  readonly #options: AuditsOptions
  readonly #counted: CopyPlaces
  readonly #task: PeriodicTask
  readonly #stop = new AbortController()
  /** By peer: the shortest round trip. */
  readonly #roundTripMs = new LruCache<PeerId, number>({ max: peersMax })
  #round: { peer: PeerId; keys: Uint8Array[] }[] = []
  /** So many there were at its beginning. */
  #planned = 0
  #status = { rounds: 0, audits: 0, right: 0, wrong: 0, late: 0, lacking: 0, void: 0, bytesRead: 0 }

  constructor(needs: Needs, options: Partial<AuditsOptions> = {}) {
    this.#needs = needs
    this.#options = { ...optionsDefault, ...options }
    this.#counted = countedPlaces(needs.places, needs.scores)
    const firstMs = this.#options.roundMs * needs.random.fraction()
    this.#task = new PeriodicTask(needs, this.#options.roundMs, () => this.#next(), { firstMs })
  }

  get status(): AuditsStatus {
    return this.#status
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.#task.close()
  }

  async #next(): Promise<void> {
    const { captures, random } = this.#needs
    if (this.#round.length === 0) {
      const isShowable = (key: Uint8Array) => captures.sizeOf(key) !== undefined
      const spares = () => this.#needs.spares?.spares() ?? []
      this.#round = planRound({ ...this.#needs, counted: this.#counted, isShowable, spares })
      this.#planned = this.#round.length
      if (this.#planned > 0) this.#status = { ...this.#status, rounds: this.#status.rounds + 1 }
    }
    // So that nobody knows when.
    const pauseMs = (this.#options.roundMs / Math.max(1, this.#planned)) * 2 * random.fraction()
    const next = this.#round.pop()
    if (next !== undefined) await this.#audit(next.peer, next.keys)
    this.#task.runIn(pauseMs)
  }

  async #audit(peer: PeerId, keys: readonly Uint8Array[]): Promise<void> {
    const { scores, spares, log } = this.#needs
    const isSpare = spares?.isSpare(peer) ?? false
    let outcome: AuditOutcome = 'void'
    try {
      outcome = keys.length === 0 ? await this.#lookFor(peer) : await this.#judge(peer, keys, isSpare)
    } catch (error) {
      if (this.#stop.signal.aborted) return
      if (!(error instanceof PolyhistorError)) throw error
    }
    this.#status = { ...this.#status, audits: this.#status.audits + 1, [outcome]: this.#status[outcome] + 1 }
    const wasExcluded = scores.isExcluded(peer)
    await scores.note(peer, outcome)
    if (isSpare) await spares!.audited(peer, outcome === 'right')
    if (outcome !== 'right' && outcome !== 'void') log.info({ peer, outcome }, 'An audit failed')
    if (!wasExcluded && scores.isExcluded(peer))
      log.warn({ peer }, 'A peer failed too many audits: its copies do not count any more')
  }

  /** Nothing lies where it would keep something: whether it is there is all that can be seen. */
  async #lookFor(peer: PeerId): Promise<AuditOutcome> {
    await this.#ping(peer)
    return 'right'
  }

  async #judge(peer: PeerId, keys: readonly Uint8Array[], isSpare: boolean): Promise<AuditOutcome> {
    const { captures, random, pace } = this.#needs
    const { steps } = this.#options
    const chain = { prover: peer, nonce: random.bytes(nonceBytes), steps, keys }
    const mean = keys.reduce((sum, key) => sum + (captures.sizeOf(key) ?? 0), 0) / keys.length
    await pace(mean * steps)
    const roundTripMs = await this.#ping(peer)
    const watch = new StillnessWatch(this.#needs.clock)
    const startMs = this.#needs.clock.monotonicMs()
    const answer = await this.#challenge(peer, {
      kind: 'challenge',
      nonce: chain.nonce,
      steps,
      keys: [...keys],
    })
    const tookMs = this.#needs.clock.monotonicMs() - startMs
    const stoodStill = watch.end()
    if (answer === undefined) {
      // Away, or unwilling: a ping tells which.
      await this.#ping(peer)
      return stoodStill ? 'void' : 'late'
    }
    const lacking = new Set(answer.lacking.filter((index) => index < keys.length))
    // Before it is compared again: from then on it is not known to hold them.
    const claimed = [...lacking].filter((index) => this.#needs.isClaimed(peer, keys[index]!)).length
    for (const index of lacking) this.#needs.repair(peer, keys[index]!)
    const own = await runChain(captures, chain, lacking)
    this.#status = { ...this.#status, bytesRead: this.#status.bytesRead + own.readBytes }
    // What we cannot read ourselves we cannot judge by.
    if (own.lacking.size > lacking.size) return 'void'
    if (Buffer.compare(own.digest, answer.digest) !== 0) return 'wrong'
    if (claimed > Math.max(1, lackingShareMax * keys.length)) return 'lacking'
    const lackingMax = isSpare ? Math.max(1, lackingShareMax * keys.length) : keys.length - 1
    if (lacking.size === keys.length || lacking.size > lackingMax) return 'void'
    const isLate = tookMs > auditDeadlineMs({ steps, readBytes: own.readBytes, roundTripMs })
    return isLate ? (stoodStill ? 'void' : 'late') : 'right'
  }

  /** The shortest round trip so far. Throws when it does not answer. */
  async #ping(peer: PeerId): Promise<number> {
    let startMs = this.#needs.clock.monotonicMs()
    for (let tries = 1; ; tries++) {
      try {
        await this.#ask(peer, { kind: 'ping' }, pingMs)
        break
      } catch (error) {
        if (!(error instanceof PolyhistorError) || tries === pingsMax) throw error
        startMs = this.#needs.clock.monotonicMs()
      }
    }
    const tookMs = this.#needs.clock.monotonicMs() - startMs
    const shortestMs = Math.min(tookMs, this.#roundTripMs.get(peer) ?? Number.POSITIVE_INFINITY)
    this.#roundTripMs.set(peer, shortestMs)
    return shortestMs
  }

  async #challenge(
    peer: PeerId,
    question: AuditQuestion,
  ): Promise<Extract<AuditAnswer, { kind: 'shown' }> | undefined> {
    try {
      const answer = await this.#ask(peer, question, answerMsMax)
      return answer.kind === 'shown' ? answer : undefined
    } catch (error) {
      if (!(error instanceof PolyhistorError) || this.#stop.signal.aborted) throw error
      return undefined
    }
  }

  async #ask(peer: PeerId, question: AuditQuestion, deadlineMs: number): Promise<AuditAnswer> {
    const { signal } = this.#stop
    return auditAnswer.decode(
      await this.#needs.calls.call(peer, auditQuestion.encode(question), { deadlineMs, signal }),
    )
  }
}

/** Whether this machine, or process, stood still meanwhile. */
class StillnessWatch {
  readonly #clock: Clock
  #lastMs: number
  #longestMs = 0
  #timer: { cancel(): void }

  constructor(clock: Clock) {
    this.#clock = clock
    this.#lastMs = clock.monotonicMs()
    this.#timer = clock.after(tickMs, () => this.#tick())
  }

  end(): boolean {
    this.#timer.cancel()
    this.#note()
    return this.#longestMs > stillMs
  }

  #tick(): void {
    this.#note()
    this.#timer = this.#clock.after(tickMs, () => this.#tick())
  }

  #note(): void {
    const nowMs = this.#clock.monotonicMs()
    this.#longestMs = Math.max(this.#longestMs, nowMs - this.#lastMs)
    this.#lastMs = nowMs
  }
}
