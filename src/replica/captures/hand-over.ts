// Hands over what we hold and are not to keep: to its owner what that lacks; and drops it when it is one copy too many.
//
// Dropped is a capture only when every peer of its replica set has just said that it has it for good and keeps it, there are as
// many of them as there are to be copies, and its owner needs no spare there, or we need the room. Who gave its word on a
// site does not drop anything of that site for a while: two that drop at once cannot have relied on each other.

import { PolyhistorError } from '../../errors.ts'
import { type RingKey, ringKeyBytes, ringKeyFromBytes, ringKeyToBytes } from '../../record/ring-key.ts'
import type { Clock, Timer } from '../../world/clock.ts'
import type { Log } from '../../world/log.ts'
import type { PeerId } from '../../world/network.ts'
import { allKeys, boundBehind, type KeyRange, lowestBound, nextKey } from '../sums/key-range.ts'
import type { Comparing } from './comparing.ts'
import type { CopiesCalls } from './copies-calls.ts'
import { CopiesError } from './copies-error.ts'
import type { HeldCaptures } from './held-captures.ts'
import { type CopyPlaces, type FoundOwner, placeOf } from './places.ts'
import type { Promises } from './promises.ts'

export interface HandOverOptions {
  /** How many copies there are to be: r. */
  copies: number
  /** How many peers must have a capture before it counts as kept. */
  copiesMin: number
  everyMs: number
  isShortOfRoom(): boolean
}

interface Needs {
  held: HeldCaptures
  places: CopyPlaces
  clock: Clock
  log: Log
  calls: CopiesCalls
  comparing: Comparing
  promises: Promises
  pace(bytes: number): Promise<void>
}

/** What we hold of one owner's arc. */
interface Stretch {
  readonly first: RingKey
  readonly range: KeyRange
  /** undefined: nobody is found now. */
  readonly found: FoundOwner | undefined
}

/** How far handing over everything has come. */
export interface HandOverProgress {
  readonly entries: number
  /** Of those: seen to, whether others had them already or were given them. */
  readonly done: number
  /** What had to be sent for it. */
  readonly sentBytes: number
  /** How many entries were given to whom. */
  readonly taken: ReadonlyMap<PeerId, number>
}

/** The ring is let come to rest first. */
const restMs = 5_000
const entriesAtOnce = 256
/** Handed over in one go; a step that was cut off is compared again. */
const stepEntries = 1_024
/** How far we look for a peer that would keep a copy in our place. */
const stepsMax = 64

export class HandOver {
  readonly #needs: Needs
  readonly #options: HandOverOptions
  readonly #stop = new AbortController()
  #unlisten: (() => void) | undefined
  #timer: Timer | undefined
  #walking: Promise<void> | undefined
  /** The ring, or how sites are split, changed since the walk began. */
  #isChanged = false
  #dropped = 0

  constructor(needs: Needs, options: HandOverOptions) {
    this.#needs = needs
    this.#options = options
  }

  start(): void {
    const { places } = this.#needs
    const walkSoon = () => {
      this.#isChanged = true
      if (this.#walking === undefined) this.#plan(restMs)
    }
    const unlisten = [places.onChange(walkSoon), places.splits?.onChange(walkSoon)]
    this.#unlisten = () => {
      for (const stop of unlisten) stop?.()
    }
    this.#plan(restMs)
  }

  /** Captures dropped so far. */
  get dropped(): number {
    return this.#dropped
  }

  async close(): Promise<void> {
    this.#unlisten?.()
    this.#timer?.cancel()
    this.#stop.abort()
    await this.#walking
  }

  /** For leaving for good: whoever is to keep what we hold without us gets what it lacks. Nobody drops a copy of it meanwhile
   * because we have one. */
  async handOverAll(
    signal: AbortSignal,
    tell: (progress: HandOverProgress) => void = () => {},
  ): Promise<void> {
    const { promises } = this.#needs
    try {
      await promises.withhold(signal)
      await this.#giveAll(signal, tell)
    } catch (error) {
      promises.resume()
      throw error
    }
  }

  async #giveAll(signal: AbortSignal, tell: (progress: HandOverProgress) => void): Promise<void> {
    const { held } = this.#needs
    const all = held.sums.sumOf(allKeys).count
    const taken = new Map<PeerId, number>()
    const so = { done: 0, sentBytes: 0 }
    const telling = () => tell({ entries: Math.max(all, so.done), ...so, taken: new Map(taken) })
    const whenSent = (peer: PeerId, entries: number, bytes: number) => {
      if (entries > 0) taken.set(peer, (taken.get(peer) ?? 0) + entries)
      so.sentBytes += bytes
      telling()
    }
    let lacking = 0
    for await (const { range, found } of this.#stretches(signal)) {
      // Who has failed once is not waited for at every step.
      const targets = new Set(found && (await this.#withoutUs(found)))
      const wanted = this.#wanted()
      for (const { step, count } of this.#steps(range)) {
        for (const peer of [...targets]) {
          const isGiven = await this.#give(peer, step, signal, (...sent) => whenSent(peer, ...sent))
          signal.throwIfAborted()
          if (!isGiven) targets.delete(peer)
        }
        if (found === undefined || targets.size < wanted) lacking += count
        so.done += count
        telling()
      }
    }
    if (lacking > 0)
      throw new CopiesError(
        'copies-too-few',
        `${lacking} of ${Math.max(all, so.done)} entries that are here could not be given to enough others`,
      )
  }

  /** How many must have what we leave behind: all that are to, of those who are there. Those who are only away count, too: who is
   * cut off from all others must not go as if there were none. */
  #wanted(): number {
    const { places } = this.#needs
    const { copies, copiesMin } = this.#options
    const there = Math.min(copies, places.peers().length)
    return Math.max(there, Math.min(copiesMin, places.members().length))
  }

  *#steps({ from, to }: KeyRange): Iterable<{ step: KeyRange; count: number }> {
    const { sums } = this.#needs.held
    for (let start = from; ; ) {
      const entries = [...sums.entries({ from: start, to }, stepEntries)]
      if (entries.length === 0) return
      const end = entries.length < stepEntries ? to : nextKey(entries.at(-1)!.key)
      yield { step: { from: start, to: end }, count: entries.length }
      if (entries.length < stepEntries || end === undefined) return
      start = end
    }
  }

  #plan(delayMs: number): void {
    if (this.#stop.signal.aborted) return
    this.#timer?.cancel()
    this.#timer = this.#needs.clock.after(delayMs, () => {
      this.#isChanged = false
      this.#walking = this.#walk().finally(() => {
        this.#walking = undefined
        this.#plan(this.#isChanged ? restMs : this.#options.everyMs)
      })
    })
  }

  async #walk(): Promise<void> {
    const { signal } = this.#stop
    const { places } = this.#needs
    try {
      for await (const { first, range, found } of this.#stretches(signal)) {
        if (found === undefined || places.fullSet(first).includes(places.self)) continue
        if (found.owner.peer !== places.self) await this.#letGo({ first, range, found }, signal)
      }
    } catch (error) {
      if (!signal.aborted && !(error instanceof PolyhistorError)) throw error
    }
  }

  async *#stretches(signal: AbortSignal): AsyncGenerator<Stretch> {
    const { held, places } = this.#needs
    for (let from: Uint8Array | undefined = lowestBound; from !== undefined; ) {
      signal.throwIfAborted()
      const [entry] = held.sums.entries({ from, to: undefined }, 1)
      if (entry === undefined) return
      const first = placeOf(places, entry.key)
      // Of a split site a bucket at a time; up to the next of them everything lies in the order of the ring.
      const bucket = places.splits?.bucketAround(entry.key)
      const found = await places.lookup(first).catch((error: unknown) => {
        if (error instanceof PolyhistorError) return undefined
        throw error
      })
      // Where nobody is found now the next site may do better.
      const last: RingKey = found === undefined ? first : found.owner.position
      const arcEnd = last < first ? undefined : boundBehind(last)
      const to = bucket === undefined ? earlier(arcEnd, places.splits?.nextBucketAfter(entry.key)) : bucket.to
      const start = bucket?.from ?? ringKeyToBytes(first)
      yield { first, range: { from: start, to }, found }
      from = to
    }
  }

  async #letGo({ first, range, found }: Stretch & { found: FoundOwner }, signal: AbortSignal): Promise<void> {
    const { calls, log, places } = this.#needs
    const owner = found.owner.peer
    try {
      if (!(await this.#give(owner, range, signal))) return
      const replicas = found.replicas.map(({ peer }) => peer)
      if (replicas.length < this.#options.copies || replicas.includes(places.self)) return
      const arc = { after: first, upTo: found.owner.position }
      if (!this.#options.isShortOfRoom() && (await calls.isSpareWanted(owner, arc, signal))) return
      const dropped = await this.#drop(range, replicas, signal)
      if (dropped > 0) log.info({ dropped, owner }, 'Copies dropped that enough others keep')
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
      log.debug({ err: error, owner }, 'Handing over was cut off')
    }
  }

  /** Whether it has all that we hold there. */
  async #give(
    peer: PeerId,
    range: KeyRange,
    signal: AbortSignal,
    whenSent: (entries: number, bytes: number) => void = () => {},
  ): Promise<boolean> {
    const { comparing } = this.#needs
    const pace = (bytes: number) => {
      whenSent(0, bytes)
      return this.#needs.pace(bytes)
    }
    try {
      const report = await comparing.compare(peer, [range], { direction: 'give', signal, pace })
      whenSent(report.given, 0)
      return report.failed === 0 && !report.isFull
    } catch (error) {
      if (error instanceof PolyhistorError) return false
      throw error
    }
  }

  async #drop(range: KeyRange, replicas: readonly PeerId[], signal: AbortSignal): Promise<number> {
    const { held, calls, promises } = this.#needs
    let dropped = 0
    for (let { from } = range; ; ) {
      const entries = [...held.sums.entries({ from, to: range.to }, entriesAtOnce)]
      const keys = entries.map(({ key }) => key).filter((key) => !promises.isGiven(key))
      if (keys.length > 0) {
        const words = await Promise.all(replicas.map((peer) => calls.confirm(peer, keys, signal)))
        const cursors = keys
          .filter((_, index) => words.every((flags) => flags[index]))
          .map((key) => held.roster.cursorOf(key))
          .filter((cursor) => cursor !== undefined)
        dropped += await held.drop(cursors)
        this.#dropped += cursors.length
      }
      if (entries.length < entriesAtOnce) return dropped
      from = nextKey(entries.at(-1)!.key)
    }
  }

  /** Who is to keep it when we are gone: those who are now, and the next on the ring. */
  async #withoutUs(found: FoundOwner): Promise<PeerId[]> {
    const { places } = this.#needs
    const targets = new Set(found.replicas.map(({ peer }) => peer))
    targets.delete(places.self)
    let place = found.owner.position
    for (let step = 0; targets.size < this.#options.copies && step < stepsMax; step++) {
      const next = boundBehind(place) ?? new Uint8Array(ringKeyBytes)
      const { owner } = await places.lookup(ringKeyFromBytes(next))
      if (owner.peer !== places.self) targets.add(owner.peer)
      place = owner.position
      if (place === found.owner.position) break
    }
    return [...targets]
  }
}

/** Of two ends, of which the ring's end is none. */
function earlier(one: Uint8Array | undefined, other: Uint8Array | undefined): Uint8Array | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return Buffer.compare(one, other) <= 0 ? one : other
}
