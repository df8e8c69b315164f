// Hand-over: sends captures that we hold outside our arcs to their owner, and drops them when they are surplus. For leaving the
// network see departure.ts.
//
// A capture is dropped only when every peer of its replica set has just promised to keep it, and has proved that it has it
// (possession.ts), none of them is new in the network, they are as many as there should be copies, and the owner needs no spare
// here, or we need the room. A peer that gave such a promise for a site drops nothing of that site for a while (promises.ts): so
// two peers cannot both drop a copy by relying on each other.

import { PolyhistorError } from '../../../errors.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { Log } from '../../../platform/log.ts'
import type { PeerId } from '../../../platform/network/network.ts'
import { PeriodicTask } from '../../../platform/periodic-task.ts'
import type { Reconciler } from '../anti-entropy/reconciler.ts'
import { type Stretch, stretchesOf } from '../anti-entropy/stretches.ts'
import type { CopiesCalls } from '../captures/copies-calls.ts'
import type { HeldCaptures } from '../captures/held-captures.ts'
import type { CopyPlaces, FoundOwner } from '../captures/places.ts'
import { type KeyRange, nextKey } from '../sums/key-range.ts'
import type { Possession } from './possession.ts'
import type { Promises } from './promises.ts'

interface HandOverOptions {
  /** How many copies there are to be: r. */
  copies: number
  everyMs: number
  isShortOfRoom(): boolean
  /** This peer has no places, and all that it holds is spare. */
  isSpare?(): boolean
}

export interface HandOverNeeds {
  held: HeldCaptures
  places: CopyPlaces
  clock: Clock
  log: Log
  calls: CopiesCalls
  reconciler: Reconciler
  promises: Promises
  possession: Pick<Possession, 'areProven'>
  pace(bytes: number): Promise<void>
}

/** The ring is let come to rest first. */
const restMs = 5_000
const entriesAtOnce = 256

export class HandOver {
  readonly #needs: HandOverNeeds
  readonly #options: HandOverOptions
  readonly #stop = new AbortController()
  #unlisten: (() => void) | undefined
  #walks: PeriodicTask | undefined
  #dropped = 0

  constructor(needs: HandOverNeeds, options: HandOverOptions) {
    this.#needs = needs
    this.#options = options
  }

  start(): void {
    const { places } = this.#needs
    const walks = new PeriodicTask(this.#needs, this.#options.everyMs, () => this.#walk(), {
      firstMs: restMs,
    })
    const walkSoon = () => walks.runIn(restMs)
    const unlisten = [places.onChange(walkSoon), places.splits?.onChange(walkSoon)]
    this.#unlisten = () => {
      for (const stop of unlisten) stop?.()
    }
    this.#walks = walks
  }

  /** Captures dropped so far. */
  get dropped(): number {
    return this.#dropped
  }

  async close(): Promise<void> {
    this.#unlisten?.()
    this.#stop.abort()
    await this.#walks?.close()
  }

  async #walk(): Promise<void> {
    const { signal } = this.#stop
    const { places } = this.#needs
    try {
      for await (const { first, range, found } of stretchesOf(this.#needs, signal)) {
        if (found === undefined || places.fullSet(first).includes(places.self)) continue
        if (found.owner.peer !== places.self) await this.#letGo({ first, range, found }, signal)
      }
    } catch (error) {
      if (!signal.aborted && !(error instanceof PolyhistorError)) throw error
    }
  }

  async #letGo({ first, range, found }: Stretch & { found: FoundOwner }, signal: AbortSignal): Promise<void> {
    const { calls, reconciler, log, places, pace } = this.#needs
    const owner = found.owner.peer
    try {
      if (!(await reconciler.giveAll(owner, range, { signal, pace }))) return
      const replicas = found.replicas.map(({ peer }) => peer)
      if (replicas.length < this.#options.copies || replicas.includes(places.self)) return
      if (replicas.some((peer) => places.isYoung(peer))) return
      const arc = { after: first, upTo: found.owner.position }
      const isWanted = async () =>
        this.#options.isSpare?.() || (await calls.isSpareWanted(owner, arc, signal))
      if (!this.#options.isShortOfRoom() && (await isWanted())) return
      const dropped = await this.#drop(range, replicas, signal)
      if (dropped > 0) log.info({ dropped, owner }, 'Copies dropped that enough others keep')
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
      log.debug({ err: error, owner }, 'Handing over was cut off')
    }
  }

  async #drop(range: KeyRange, replicas: readonly PeerId[], signal: AbortSignal): Promise<number> {
    const { held, promises, possession } = this.#needs
    let dropped = 0
    for (let { from } = range; ; ) {
      const entries = [...held.sums.entries({ from, to: range.to }, entriesAtOnce)]
      const keys = entries.map(({ key }) => key).filter((key) => !promises.isGiven(key))
      if (keys.length > 0) {
        const claimed = await this.#confirmed(keys, replicas, signal)
        const areProven = await possession.areProven(replicas, claimed, signal)
        const proven = claimed.filter((_, index) => areProven[index])
        // Proofs take a while: the promises must be recent.
        const confirmed = await this.#confirmed(proven, replicas, signal)
        const cursors = confirmed
          .map((key) => held.roster.cursorOf(key))
          .filter((cursor) => cursor !== undefined)
        dropped += await held.drop(cursors)
        this.#dropped += cursors.length
      }
      if (entries.length < entriesAtOnce) return dropped
      from = nextKey(entries.at(-1)!.key)
    }
  }

  /** Those that all of them say they have, and keep. */
  async #confirmed(
    keys: readonly Uint8Array[],
    replicas: readonly PeerId[],
    signal: AbortSignal,
  ): Promise<Uint8Array[]> {
    if (keys.length === 0) return []
    const words = await Promise.all(replicas.map((peer) => this.#needs.calls.confirm(peer, keys, signal)))
    return keys.filter((_, index) => words.every((flags) => flags[index]))
  }
}
