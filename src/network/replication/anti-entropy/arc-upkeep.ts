// Arc upkeep: keeps the copies of the arcs that we own in sync: every peer of an arc's replica set gets what we hold, and we what
// it holds.
//
// Compares with each such peer when it appears or our arcs change, when a capture could not be sent to it, and periodically; arcs
// with the fewest copies first. A peer that has everything is told so, repeatedly while it is true.
//
// We hold all of an arc ourselves when we have all that those hold who are to keep it and are there, and
// - one of them had all, by its own word; or
// - nobody is missed who is to keep it; or
// - we had all when the arc became ours.
// So what a new peer has is fetched first, and what it lacks is sent after that.

import { PolyhistorError } from '../../../errors.ts'
import { backOffMs } from '../../../model/back-off.ts'
import type { Clock, Timer } from '../../../platform/clock.ts'
import type { Log } from '../../../platform/log.ts'
import type { PeerId } from '../../../platform/network/network.ts'
import { PeriodicTask } from '../../../platform/periodic-task.ts'
import type { CopiesCalls } from '../captures/copies-calls.ts'
import { CopiesError } from '../captures/copies-error.ts'
import { type CopyPlaces, type OwnArc, rangesOn } from '../captures/places.ts'
import { RepairQueue } from '../copies/repair-queue.ts'
import type { KeyRange } from '../sums/key-range.ts'
import { type Completeness, claimMs } from './completeness.ts'
import { KeyRangeSet } from './key-range-set.ts'
import { OwnedKeys } from './owned-keys.ts'
import type { CompareOptions, CompareReport, Reconciler } from './reconciler.ts'

interface UpkeepOptions {
  /** Peers that have all are compared with again after this. */
  compareEveryMs: number
  /** Comparisons at once. */
  jobsMax: number
}

interface Needs {
  places: CopyPlaces
  clock: Clock
  log: Log
  calls: CopiesCalls
  reconciler: Reconciler
  completeness: Completeness
  pace(bytes: number): Promise<void>
}

/** What we know of another peer that keeps copies of ours. */
interface Member {
  /** Which start of it all this is about; undefined before it was asked. */
  life: Uint8Array | undefined
  /** Of which of our keys we have all that it held. */
  readonly heard: KeyRangeSet
  /** Of which of them it holds all that we hold. */
  readonly complete: KeyRangeSet
  /** By arc: when it was last compared, and how much it was found to lack then. */
  readonly compared: Map<string, { atMs: number; missing: number }>
  /** How often it turned out that it may lack something that was not compared, ever. */
  misses: number
  failures: number
  retryAtMs: number
  isBusy: boolean
}

interface Job {
  readonly arc: OwnArc
  readonly peer: PeerId
}

/** What an arc's copies are like. */
export interface ArcState {
  readonly arc: OwnArc
  readonly ranges: readonly KeyRange[]
  /** How much each of the others that are there lacks; undefined before it was compared. */
  readonly missing: readonly (number | undefined)[]
}

const lookMs = 1_000
const backOff = { firstMs: 1_000, longestMs: 60_000 }
/** A peer without room is not asked again for so long. */
const fullMs = 60_000

export class ArcUpkeep {
  readonly #needs: Needs
  readonly #options: UpkeepOptions
  readonly #members = new Map<PeerId, Member>()
  readonly #owned = new OwnedKeys()
  readonly #stop = new AbortController()
  readonly #running = new Set<Promise<void>>()
  /** They are asked for many times in a look. */
  readonly #ranges = new WeakMap<OwnArc, { ranges: readonly KeyRange[]; splitsId: string }>()
  readonly #names = new WeakMap<OwnArc, string>()
  #arcs: readonly OwnArc[] = []
  #queueLength = 0
  #unlisten: (() => void) | undefined
  #timer: Timer | undefined
  #telling: PeriodicTask | undefined

  constructor(needs: Needs, options: UpkeepOptions) {
    this.#needs = needs
    this.#options = options
  }

  start(): void {
    const { places } = this.#needs
    const unlisten = [places.onChange(() => this.#look()), places.splits?.onChange(() => this.#look())]
    this.#unlisten = () => {
      for (const stop of unlisten) stop?.()
    }
    this.#look()
    this.#telling = new PeriodicTask(this.#needs, claimMs / 3, () => this.#tellAll(), { firstMs: 0 })
  }

  /** Comparisons that wait for their turn, and those under way. */
  get queueLength(): number {
    return this.#queueLength + this.#running.size
  }

  /** A capture could not be given to a peer that is to have it. */
  miss(peer: PeerId, key: Uint8Array): void {
    const arc = this.#arcs.find((own) => new KeyRangeSet(this.#rangesOf(own)).has(key))
    const member = this.#members.get(peer)
    if (arc === undefined || member === undefined) return
    for (const range of this.#rangesOf(arc)) member.complete.remove(range)
    member.misses++
    const last = member.compared.get(this.#nameOf(arc))
    if (last !== undefined) last.missing++
  }

  /** Whether it was found to hold this. */
  isHolder(peer: PeerId, key: Uint8Array): boolean {
    return this.#members.get(peer)?.complete.has(key) ?? false
  }

  states(): ArcState[] {
    const present = new Set(this.#needs.places.peers())
    return this.#arcs.map((arc) => ({
      arc,
      ranges: this.#rangesOf(arc),
      missing: arc.full
        .filter((peer) => present.has(peer))
        .map((peer) => {
          const member = this.#members.get(peer)
          if (member === undefined) return undefined
          return this.#isComplete(member, arc) ? 0 : member.compared.get(this.#nameOf(arc))?.missing
        }),
    }))
  }

  async close(): Promise<void> {
    this.#unlisten?.()
    this.#timer?.cancel()
    void this.#telling?.close()
    this.#stop.abort()
    await Promise.all(this.#running)
  }

  get #splitsId(): string {
    return this.#needs.places.splits?.id ?? ''
  }

  #rangesOf(arc: OwnArc): readonly KeyRange[] {
    const splitsId = this.#splitsId
    let known = this.#ranges.get(arc)
    if (known?.splitsId !== splitsId) {
      known = { ranges: rangesOn(this.#needs.places, arc), splitsId }
      this.#ranges.set(arc, known)
    }
    return known.ranges
  }

  #nameOf(arc: OwnArc): string {
    let name = this.#names.get(arc)
    if (name === undefined) this.#names.set(arc, (name = `${arc.after} ${arc.upTo}`))
    return name
  }

  #isComplete(member: Member, arc: OwnArc): boolean {
    return this.#rangesOf(arc).every((range) => member.complete.covers(range))
  }

  #look(): void {
    if (this.#stop.signal.aborted) return
    this.#timer?.cancel()
    this.#timer = this.#needs.clock.after(lookMs, () => this.#look())
    const present = new Set(this.#needs.places.peers())
    this.#meet(present)
    for (const arc of this.#arcs) this.#judge(arc, present)
    this.#begin()
  }

  /** Notes what the ring says now. */
  #meet(present: ReadonlySet<PeerId>): void {
    const { places, completeness } = this.#needs
    this.#arcs = places.ownArcs()
    this.#owned.update(
      this.#arcs.flatMap((arc) => this.#rangesOf(arc)),
      completeness,
    )
    const wanted = new Set(this.#arcs.flatMap(({ full }) => full).filter((peer) => present.has(peer)))
    for (const [peer, member] of this.#members) {
      // A peer that comes back may have lost anything.
      if (!wanted.has(peer) && !member.isBusy) this.#members.delete(peer)
      else for (const keys of [member.heard, member.complete]) keys.keepOnly(this.#owned.all)
    }
    for (const peer of wanted) if (!this.#members.has(peer)) this.#members.set(peer, newMember())
    const names = this.#arcs.map((arc) => this.#nameOf(arc))
    for (const { compared } of this.#members.values())
      for (const name of compared.keys()) if (!names.includes(name)) compared.delete(name)
  }

  /** Whether we hold all of it. */
  #judge(arc: OwnArc, present: ReadonlySet<PeerId>): void {
    const { places, completeness } = this.#needs
    const ranges = this.#rangesOf(arc)
    const others = arc.full.filter((peer) => peer !== places.self)
    for (const range of ranges) this.#owned.alone[others.length === 0 ? 'add' : 'remove'](range)
    const isHeard = (peer: PeerId): boolean => {
      const heard = this.#members.get(peer)?.heard
      return heard !== undefined && ranges.every((range) => heard.covers(range))
    }
    const wasComplete = ranges.every((range) => this.#owned.inherited.covers(range))
    const holdsAll = others.filter((peer) => !wasComplete || present.has(peer)).every(isHeard)
    for (const range of ranges) completeness.own[holdsAll ? 'add' : 'remove'](range)
  }

  #begin(): void {
    const queue = new RepairQueue<Job>()
    for (const job of this.#due()) queue.put(job, this.#copiesOf(job.arc))
    while (this.#running.size < this.#options.jobsMax) {
      const job = queue.take(({ peer }) => !this.#members.get(peer)!.isBusy)
      if (job === undefined) break
      const running = this.#run(job).finally(() => {
        this.#running.delete(running)
        this.#look()
      })
      this.#running.add(running)
    }
    this.#queueLength = queue.size
  }

  *#due(): Iterable<Job> {
    const nowMs = this.#needs.clock.monotonicMs()
    for (const arc of this.#arcs) {
      for (const peer of arc.full) {
        const member = this.#members.get(peer)
        if (member === undefined || nowMs < member.retryAtMs) continue
        const atMs = member.compared.get(this.#nameOf(arc))?.atMs ?? Number.NEGATIVE_INFINITY
        const isOld = nowMs - atMs >= this.#options.compareEveryMs
        if (isOld || !this.#isComplete(member, arc)) yield { arc, peer }
      }
    }
  }

  /** That can be read now. */
  #copiesOf(arc: OwnArc): number {
    let copies = 1
    for (const peer of arc.full) {
      const member = this.#members.get(peer)
      if (member !== undefined && this.#isComplete(member, arc)) copies++
    }
    return copies
  }

  async #run({ arc, peer }: Job): Promise<void> {
    const { clock, log } = this.#needs
    const member = this.#members.get(peer)!
    member.isBusy = true
    try {
      const isEqual = await this.#compare(arc, peer, member)
      member.failures = isEqual ? 0 : member.failures + 1
    } catch (error) {
      if (!(error instanceof PolyhistorError)) {
        if (this.#stop.signal.aborted) return
        throw error
      }
      log.debug({ err: error, peer }, 'A comparison was cut off')
      member.failures++
      if (error.code === 'copies-no-room') member.retryAtMs = clock.monotonicMs() + fullMs
    } finally {
      member.isBusy = false
    }
    const waitMs = backOffMs(backOff, member.failures)
    member.retryAtMs = Math.max(member.retryAtMs, clock.monotonicMs() + waitMs)
  }

  async #compare(arc: OwnArc, peer: PeerId, member: Member): Promise<boolean> {
    const { calls, reconciler, completeness, clock, log, pace } = this.#needs
    const { signal } = this.#stop
    const ranges = this.#rangesOf(arc)
    meetAgain(member, await calls.life(peer, signal))
    const isVouching =
      !completeness.covers(arc) && (await calls.isComplete(peer, arc, this.#splitsId, signal))
    const missesBefore = member.misses
    const options = { signal, pace }
    const fetched = await this.#fetch(peer, ranges, options)
    const compared = { atMs: Number.NEGATIVE_INFINITY, missing: fetched.lacking }
    member.compared.set(this.#nameOf(arc), compared)
    if (fetched.fetched > 0) {
      log.info({ peer, captures: fetched.fetched }, 'Captures fetched that were missing here')
      this.#doubtOthers(peer, ranges)
    }
    if (fetched.failed > 0) return false
    for (const range of ranges) {
      member.heard.add(range)
      if (isVouching) this.#owned.inherited.add(range)
    }
    this.#judge(arc, new Set(this.#needs.places.peers()))
    if (fetched.lacking > 0) {
      for (const range of ranges) member.complete.remove(range)
      const given = await reconciler.compare(peer, ranges, {
        ...options,
        onProgress: (count) => {
          compared.missing = Math.max(0, compared.missing - count)
        },
      })
      compared.missing = given.isFull ? fetched.lacking - given.given : given.failed
      if (given.given > 0) log.info({ peer, captures: given.given }, 'Captures given that were missing there')
      if (given.failed > 0 || given.isFull) return false
    }
    compared.atMs = clock.monotonicMs()
    // What could not be given to it meanwhile may not have been looked at.
    if (member.misses === missesBefore) for (const range of ranges) member.complete.add(range)
    return true
  }

  /** What came from one peer the others may lack: those who had as much as we had are compared again. */
  #doubtOthers(peer: PeerId, ranges: readonly KeyRange[]): void {
    for (const [other, member] of this.#members) {
      if (other === peer) continue
      for (const range of ranges) member.complete.remove(range)
      // For a comparison that is under way.
      member.misses++
    }
  }

  /** What we lack. Where there is no room for it, the other gets what it lacks all the same. */
  async #fetch(peer: PeerId, ranges: readonly KeyRange[], options: CompareOptions): Promise<CompareReport> {
    const { reconciler } = this.#needs
    try {
      return await reconciler.compare(peer, ranges, { ...options, direction: 'fetch' })
    } catch (error) {
      if (!(error instanceof CopiesError) || error.code !== 'copies-no-room') throw error
      await reconciler.compare(peer, ranges, { ...options, direction: 'give' })
      throw error
    }
  }

  /** Tells every peer that has all of an arc of ours, if we do, too. */
  #tellAll(): void {
    for (const [peer, member] of this.#members) void this.#tell(peer, member)
  }

  async #tell(peer: PeerId, member: Member): Promise<void> {
    const { calls, completeness } = this.#needs
    const { life } = member
    if (life === undefined) return
    const arcs = this.#arcs.filter(
      (arc) => arc.full.includes(peer) && this.#isComplete(member, arc) && completeness.covers(arc),
    )
    try {
      const { signal } = this.#stop
      if (meetAgain(member, await calls.tell(peer, { arcs, splitsId: this.#splitsId, life }, signal)))
        this.#look()
    } catch (error) {
      // What it was told runs out by itself.
      if (!(error instanceof PolyhistorError) && !this.#stop.signal.aborted) throw error
    }
  }
}

function newMember(): Member {
  return {
    life: undefined,
    heard: new KeyRangeSet(),
    complete: new KeyRangeSet(),
    compared: new Map(),
    misses: 0,
    failures: 0,
    retryAtMs: 0,
    isBusy: false,
  }
}

/** Whether it was started again, perhaps with another disk: nothing that was known of it holds then. */
function meetAgain(member: Member, life: Uint8Array): boolean {
  if (member.life !== undefined && Buffer.compare(member.life, life) === 0) return false
  member.life = life
  for (const keys of [member.heard, member.complete]) keys.keepOnly([])
  member.compared.clear()
  return true
}
