// Sends new captures to every peer of their replica set, as soon as they are stored here.
//
// A capture is safe when its whole replica set has it on disk; or, after a timeout, as many as must. Peers that could not be
// reached get it later, by comparison. The replica set is read again as long as callers wait: a peer that dies meanwhile is
// replaced by the next one that the ring names.

import { PolyhistorError, unlessFails } from '../../../errors.ts'
import type { RingKey } from '../../../model/ring-key.ts'
import { Batchers } from '../../../platform/batcher.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { PeerId } from '../../../platform/network/network.ts'
import { acknowledgementsNeeded } from '../copies/acknowledgement.ts'
import type { CaptureSender, GivenOutcome } from './capture-sender.ts'
import { CopiesError } from './copies-error.ts'
import { type CopyPlaces, placeOf } from './places.ts'

interface SpreadOptions {
  /** So many must have it, ourselves included if we are of the set. */
  copiesMin: number
  /** So long all of the set are waited for. */
  patienceMs: number
  /** So long those that must have it are waited for. */
  giveUpMs: number
}

interface Needs {
  places: CopyPlaces
  clock: Clock
  giving: CaptureSender
  /** How many peers take part, ourselves included; undefined while that is not known. */
  participants(): number | undefined
  /** The peer is to have it, and could not be given it. */
  miss(peer: PeerId, key: Uint8Array): void
}

const retryMs = 500
/** The first goes at once, what comes soon after it goes together: a call costs both sides more than a capture does, the other a flush
 * of its disk, too, and nobody is held up who waits. */
const portions = { itemsMax: 256, everyMs: 500, enough: 32, batchesMax: 2 }

/** Of one capture. */
class Progress {
  readonly holders: Set<PeerId>
  readonly underWay = new Map<PeerId, Promise<void>>()
  readonly retryAtMs = new Map<PeerId, number>()
  /** It is not here any more: taken down, perhaps. */
  isGone = false

  constructor(self: PeerId) {
    this.holders = new Set([self])
  }
}

export class Spreading {
  readonly #needs: Needs
  readonly #options: SpreadOptions
  readonly #giving: Batchers<PeerId, Uint8Array, GivenOutcome>
  readonly #stop = new AbortController()
  /** Of those that wait. */
  readonly #wakes = new Set<() => void>()
  #isLeaving = false

  constructor(needs: Needs, options: SpreadOptions) {
    this.#needs = needs
    this.#options = options
    this.#giving = new Batchers(needs, portions, (peer, keys) => this.#givePortion(peer, keys))
  }

  /** Resolves when it is safe. Rejects with 'copies-too-few' when it is not for too long, and with 'copies-leaving': it is kept here
   * all the same. */
  async spread(key: Uint8Array): Promise<void> {
    const { places, clock } = this.#needs
    // Our own copy would count, and go with us.
    if (this.#isLeaving) throw new CopiesError('copies-leaving', 'This peer is about to leave for good.')
    // While it is spread its site may be split.
    const place = (): RingKey => placeOf(places, key)
    const startMs = clock.monotonicMs()
    const progress = new Progress(places.self)
    for (;;) {
      const set = await this.#setOf(place())
      const nowMs = clock.monotonicMs()
      const missing = set?.filter((peer) => !progress.holders.has(peer))
      const have = (set?.length ?? 0) - (missing?.length ?? 0)
      const isEnough = have >= this.#needed(set?.length ?? 0, place())
      if ((isEnough && missing?.length === 0) || progress.isGone) return
      if (isEnough && nowMs - startMs >= this.#options.patienceMs) {
        for (const peer of missing!) this.#needs.miss(peer, key)
        return
      }
      if (nowMs - startMs >= this.#options.giveUpMs) throw this.#tooFew(have)
      for (const peer of missing ?? []) this.#give(peer, key, progress, nowMs)
      await this.#pause(progress)
    }
  }

  /** We are about to leave: nothing new is spread. What is being spread was here before, and is handed over. */
  async withdraw(): Promise<void> {
    this.#isLeaving = true
  }

  /** We stay after all. */
  resume(): void {
    this.#isLeaving = false
  }

  close(): void {
    this.#stop.abort()
    for (const wake of [...this.#wakes]) wake()
  }

  /** Those who are only away count: who is cut off from all others must not take itself for all there are, nor a newcomer those
   * whom it has met. */
  #needed(present: number, place: RingKey): number {
    const { places, participants } = this.#needs
    const { copiesMin } = this.#options
    const known = Math.max(present, places.fullSet(place).length)
    const peers = known >= copiesMin ? known : Math.max(known, participants() ?? copiesMin)
    return acknowledgementsNeeded(copiesMin, peers)
  }

  async #setOf(key: RingKey): Promise<readonly PeerId[] | undefined> {
    const { places } = this.#needs
    const own = places.replicaSet(key)
    if (own !== undefined) return own
    return (await unlessFails(places.lookup(key)))?.replicas.map(({ peer }) => peer)
  }

  #give(peer: PeerId, key: Uint8Array, progress: Progress, nowMs: number): void {
    if (progress.underWay.has(peer) || nowMs < (progress.retryAtMs.get(peer) ?? 0)) return
    const end = (outcome: GivenOutcome): void => {
      progress.underWay.delete(peer)
      if (outcome === 'gone') progress.isGone = true
      if (outcome === 'kept' || outcome === 'known' || outcome === 'taken-down') progress.holders.add(peer)
      else progress.retryAtMs.set(peer, this.#needs.clock.monotonicMs() + retryMs)
    }
    progress.underWay.set(peer, this.#giving.add(peer, key).then(end))
  }

  /** `failed` when the peer cannot be reached, or cannot take it. */
  async #givePortion(peer: PeerId, keys: readonly Uint8Array[]): Promise<readonly GivenOutcome[]> {
    const { signal } = this.#stop
    try {
      return await this.#needs.giving.give(peer, keys, { signal })
    } catch (error) {
      if (!(error instanceof PolyhistorError) && !signal.aborted) throw error
      return keys.map(() => 'failed')
    }
  }

  /** Until something has come of what is under way, or it is time to look again. */
  async #pause({ underWay }: Progress): Promise<void> {
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        timer.cancel()
        this.#wakes.delete(wake)
        resolve()
      }
      const timer = this.#needs.clock.after(retryMs, wake)
      this.#wakes.add(wake)
      for (const giving of underWay.values()) void giving.then(wake)
      if (this.#stop.signal.aborted) wake()
    })
    if (this.#stop.signal.aborted) throw this.#tooFew(0)
  }

  #tooFew(have: number): PolyhistorError {
    return new CopiesError(
      'copies-too-few',
      `Only ${have} of the peers that are to keep this capture have it; ${this.#options.copiesMin} must.`,
    )
  }
}
