// Delivery: walks round the ring again and again, and sends each owner the links that wait for it.
//
// A walk goes from key to key in ring order (Herodotus 4.4.3): the owner of the first waiting key gets all links in its arcs, and
// answers where its arc ends and who follows, so that the walk continues without a lookup. The ring is asked only for keys of
// which nothing is known. When a walk begins: walk-timing.ts; what goes into a batch: batch-selection.ts.
//
// Invariants: entries leave the outbox only when their owner has acknowledged them. At most `inFlightMax` batches are under way,
// `perPeerMax` to one peer; a peer that is busy or did not answer is skipped, so that it does not block others, and so are sites
// that are not ready at their owner. Whatever is skipped is retried later.

import { PolyhistorError } from '../../errors.ts'
import type { RingKey } from '../../model/ring-key.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { PeerId } from '../../platform/network/network.ts'
import type { Random } from '../../platform/random.ts'
import { keyAfter } from '../../platform/storage/key-value.ts'
import type { Arc } from './arcs.ts'
import { BackOffs } from './back-offs.ts'
import { isUnreadable, joined, sendInParts } from './bad-links.ts'
import type { BatchSender, Outcome } from './batch-sender.ts'
import { BatchSelection, type Load } from './outbox/batch-selection.ts'
import type { Outbox } from './outbox/outbox.ts'
import {
  entryEnd,
  entryKeyBytes,
  entryStart,
  type OutboxEntry,
  ringKeyOfEntry,
} from './outbox/outbox-entry.ts'
import { OwnerCache } from './owner-cache.ts'
import type { Owners } from './owners.ts'
import { Pace } from './pace.ts'
import { WalkTiming } from './walk-timing.ts'

export interface DeliveryOptions {
  /** Characters of hrefs in a batch. More compress better, are lost together, and keep both sides longer from all else. A walk
   * begins when there is half of that for each owner: few have so much more than others that it needs a second, small batch. */
  readonly batchCharsMax: number
  /** How long a link may wait for more when a batch was sent just before. Longer makes larger batches, which cost less per
   * link. */
  readonly ageMsMax: number
  readonly inFlightMax: number
  readonly perPeerMax: number
  /** How long a peer is left alone that did not answer: at first, and at most. */
  readonly patienceFirstMs: number
  readonly patienceLongestMs: number
}

interface Needs {
  readonly clock: Clock
  readonly random: Random
  readonly owners: Owners
  readonly outbox: Outbox
  readonly batchSender: BatchSender
  readonly log: Log
  /** Called when these have left the outbox. */
  onRemoved(entries: readonly OutboxEntry[]): void
  /** Called when it cannot go on: the outbox has failed. */
  onFailure(error: unknown): void
}

/** How long a walk waits for an answer that may tell who comes next, before it asks the ring. */
const walkWaitMs = 1_000
const lookupAgainMs = 1_000
/** A site is mostly ready within a second of being asked for. */
const putOffFirstMs = 300
const putOffLongestMs = 5_000

interface UnderWay {
  readonly peer: PeerId
  readonly tellsArc: boolean
  readonly ended: Promise<void>
}

export class Delivery {
  readonly #needs: Needs
  readonly #options: DeliveryOptions
  readonly #ownerCache: OwnerCache
  readonly #selection: BatchSelection
  readonly #timing: WalkTiming
  readonly #pace: Pace
  readonly #backOffs: BackOffs<PeerId>
  readonly #refusals: BackOffs<PeerId>
  /** Sites that their owners were not ready for. */
  readonly #putOff: BackOffs<RingKey>
  readonly #underWay = new Set<UnderWay>()
  readonly #counts = { batches: 0, links: 0, failures: 0, refusedLinks: 0, asideLinks: 0 }
  /** A peer was skipped that can be served when a batch under way has ended. */
  #hasPassedBusy = false
  #isClosed = false
  #running: Promise<void> = Promise.resolve()

  constructor(needs: Needs, options: DeliveryOptions) {
    const { outbox, owners, clock } = needs
    const { batchCharsMax, ageMsMax, patienceFirstMs: firstMs, patienceLongestMs: longestMs } = options
    this.#needs = needs
    this.#options = options
    this.#ownerCache = new OwnerCache(owners)
    this.#putOff = new BackOffs(needs, { firstMs: putOffFirstMs, longestMs: putOffLongestMs })
    const putOff = (): Iterable<RingKey> => this.#putOff.leftAlone()
    this.#selection = new BatchSelection({ outbox, ownerCache: this.#ownerCache, putOff }, batchCharsMax)
    this.#timing = new WalkTiming(clock, {
      ageMsMax,
      enoughChars: () => (batchCharsMax / 2) * Math.max(1, this.#ownerCache.ownerCount),
      hasWaiting: () => outbox.links > 0,
    })
    this.#pace = new Pace(clock, ageMsMax)
    this.#backOffs = new BackOffs(needs, { firstMs, longestMs })
    this.#refusals = new BackOffs(needs, { firstMs, longestMs })
  }

  get counts(): Readonly<
    Record<'batches' | 'links' | 'failures' | 'refusedLinks' | 'asideLinks' | 'lookups', number>
  > {
    return { ...this.#counts, lookups: this.#ownerCache.lookups }
  }

  get silentPeers(): number {
    return this.#backOffs.size
  }

  start(): void {
    this.#timing.noteAdded(0)
    this.#running = this.#run().catch((error: unknown) => this.#needs.onFailure(error))
  }

  /** Links of so many characters were put into the outbox. */
  added(chars: number): void {
    this.#timing.noteAdded(chars)
  }

  /** Resolves when nothing is under way any more. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#timing.close()
    await this.#running
    await Promise.all(this.#endings())
  }

  async #run(): Promise<void> {
    for (;;) {
      const { isEnough } = await this.#timing.due()
      if (this.#isClosed) return
      this.#hasPassedBusy = false
      await this.#walk(isEnough)
    }
  }

  async #walk(isEnough: boolean): Promise<void> {
    let from: Buffer | undefined = Buffer.alloc(entryKeyBytes)
    while (from !== undefined && !this.#isClosed) from = await this.#step(from, isEnough)
  }

  /** Serves what waits first at or after this entry; gives where to go on. */
  async #step(from: Buffer, isEnough: boolean): Promise<Buffer | undefined> {
    const first = this.#needs.outbox.firstAt(from)
    if (first === undefined) return undefined
    const same = this.#selection.underWayAt(first)
    if (same !== undefined) {
      // What came meanwhile may lie in between.
      this.#timing.scheduleIn(this.#options.ageMsMax)
      return keyAfter(same.last)
    }
    const key = ringKeyOfEntry(first)
    const putOffUntilMs = this.#putOff.untilMs(key)
    if (putOffUntilMs !== undefined) {
      this.#timing.scheduleAt(putOffUntilMs)
      return entryEnd(key)
    }
    const arc = await this.#arcAt(key)
    if (arc === undefined) return this.#pastUnknown(key)
    // Its answer tells how the walk goes on, where that is not known yet: so then it is served.
    const nextMs = arc.isConfirmed ? this.#pace.untilMs(arc.peer) : undefined
    if (this.#mustPass(arc.peer) || (nextMs !== undefined && !isEnough)) return this.#past(arc, nextMs)
    while (this.#underWay.size >= this.#options.inFlightMax) await Promise.race(this.#endings())
    const load = this.#selection.choose(arc, first)
    if (nextMs !== undefined && load.chars < this.#options.batchCharsMax / 2) return this.#past(arc, nextMs)
    if (load.isRepeated) this.#timing.scheduleIn(this.#options.ageMsMax)
    if (load.entries.length > 0) this.#send(load, arc)
    return keyAfter(load.spans[0]?.last ?? first)
  }

  /** The owner of a key: by what is known, by what an answer under way will tell, or by asking the ring. */
  async #arcAt(key: RingKey): Promise<Arc | undefined> {
    const known = this.#ownerCache.known(key)
    if (known !== undefined) return known
    const telling = [...this.#underWay].filter(({ tellsArc }) => tellsArc).map(({ ended }) => ended)
    if (telling.length > 0) await Promise.race([Promise.all(telling), this.#needs.clock.sleep(walkWaitMs)])
    return this.#ownerCache.known(key) ?? (await this.#ownerCache.find(key))
  }

  /** No owner is known: skip it. */
  #pastUnknown(key: RingKey): Buffer | undefined {
    this.#timing.scheduleIn(lookupAgainMs)
    const start = this.#ownerCache.startAfter(key)
    return start === undefined ? undefined : entryStart(start)
  }

  /** On to the next arc; this one's owner may be served again by then. */
  #past(arc: Arc, nextMs: number | undefined): Buffer {
    if (nextMs !== undefined) this.#timing.scheduleAt(nextMs)
    return entryEnd(arc.upTo)
  }

  #mustPass(peer: PeerId): boolean {
    const untilMs = this.#backOffs.untilMs(peer)
    if (untilMs !== undefined) {
      this.#timing.scheduleAt(untilMs)
      // It may be gone for good: ask again who owns this when we come here next.
      this.#ownerCache.forgetPeer(peer)
      return true
    }
    const count = [...this.#underWay].filter((underWay) => underWay.peer === peer).length
    if (count < this.#options.perPeerMax) return false
    this.#hasPassedBusy = true
    return true
  }

  #send(load: Load, arc: Arc): void {
    this.#selection.begin(load)
    if (load.isCut) this.#pace.release(arc.peer)
    else this.#pace.noteSent(arc.peer)
    const underWay: UnderWay = {
      peer: arc.peer,
      tellsArc: !arc.isConfirmed,
      ended: this.#deliver(load, arc)
        .catch((error: unknown) => this.#needs.onFailure(error))
        .then(() => {
          this.#selection.end(load)
          this.#underWay.delete(underWay)
          if (this.#hasPassedBusy) this.#timing.scheduleIn(0)
        }),
    }
    this.#underWay.add(underWay)
  }

  async #deliver(load: Load, arc: Arc): Promise<void> {
    const outcome = await this.#sendTo(load, arc)
    if (outcome === undefined) return
    this.#backOffs.noteSuccess(arc.peer)
    this.#selection.noteAnswer(arc.peer)
    if (outcome.arc !== undefined) this.#ownerCache.learn(arc.peer, outcome.arc)
    for (const { ringKey, owner } of outcome.refused) this.#ownerCache.correct(ringKey, owner)
    // Two peers that take each other for the owner must not pass links back and forth without a pause.
    if (outcome.refused.length > 0) this.#timing.scheduleAt(this.#refusals.noteFailure(arc.peer))
    else this.#refusals.noteSuccess(arc.peer)
    for (const site of new Set(outcome.later)) this.#timing.scheduleAt(this.#putOff.noteFailure(site))
    for (const { ringKey } of outcome.taken) this.#putOff.noteSuccess(ringKey)
    if (outcome.refused.length + outcome.later.length > 0) this.#pace.release(arc.peer)
    await this.#needs.outbox.remove(outcome.taken)
    this.#counts.batches++
    for (const { links } of outcome.taken) this.#counts.links += links.length
    this.#counts.refusedLinks += outcome.refusedLinks
    this.#needs.onRemoved(outcome.taken)
  }

  /** undefined when the peer did not answer, or not as it should. */
  async #sendTo(load: Load, arc: Arc): Promise<Outcome | undefined> {
    const { peer } = arc
    try {
      return await this.#sendReadable(load.entries, arc)
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
      this.#counts.failures++
      this.#selection.noteFailure(peer, load)
      this.#pace.release(peer)
      this.#ownerCache.forgetPeer(peer)
      this.#timing.scheduleAt(this.#backOffs.noteFailure(peer))
      return undefined
    }
  }

  async #sendReadable(entries: readonly OutboxEntry[], { peer, isConfirmed }: Arc): Promise<Outcome> {
    const sendTo = (part: readonly OutboxEntry[]): Promise<Outcome> =>
      this.#sendPart(part, peer, !isConfirmed)
    try {
      return await sendTo(entries)
    } catch (error) {
      if (!isUnreadable(error)) throw error
      return sendInParts(entries, sendTo, (link) => {
        this.#counts.asideLinks++
        this.#needs.log.warn(
          { peer, url: link.href, jobId: link.jobId },
          'The owner of a link cannot read it',
        )
      })
    }
  }

  /** A site may have been moved to us while its links waited here: whoever the ring gives it to would send them back. */
  async #sendPart(entries: readonly OutboxEntry[], peer: PeerId, wantsArc: boolean): Promise<Outcome> {
    const { batchSender, owners } = this.#needs
    const own = peer === owners.self ? [] : entries.filter(({ ringKey }) => owners.isOwner(ringKey))
    if (own.length === 0) return batchSender.sendBatch(peer, entries, { wantsArc })
    const others = entries.filter((entry) => !own.includes(entry))
    const here = await batchSender.sendBatch(owners.self, own, { wantsArc: false })
    if (others.length === 0) return here
    const there = await batchSender.sendBatch(peer, others, { wantsArc })
    return joined(entries, [here, there])
  }

  #endings(): Promise<void>[] {
    return [...this.#underWay].map(({ ended }) => ended)
  }
}
