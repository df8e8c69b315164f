// Delivery: walks round the ring, again and again, and brings each owner the links that wait for it.
//
// A walk begins when links have waited for `ageMsMax`, or when there are enough of them for a full batch to each owner that
// is known (Herodotus 4.4.3). It goes from key to key in the order of the ring: who owns the first key that waits takes all
// in its arc, and says where that arc ends and who comes next, so that the walk goes on without a lookup. Only where nothing
// is known of a key, the ring is asked.
//
// Invariants: entries leave the outbox only when their owner has acknowledged them. At most `inFlightMax` batches are under
// way, `perPeerMax` to one peer; a peer that is busy, or that did not answer lately, is passed over, so that it holds up
// nobody else. No entry is in two batches at once while arcs stay as they are; where it is, it comes twice, which does no
// harm.

import { PolyhistorError } from '../errors.ts'
import type { RingKey } from '../record/ring-key.ts'
import type { Clock, Timer } from '../world/clock.ts'
import type { PeerId } from '../world/network.ts'
import type { Random } from '../world/random.ts'
import { type Arc, Arcs } from './arcs.ts'
import type { Courier, Outcome } from './courier.ts'
import type { Outbox, Selection, Span } from './outbox.ts'
import {
  after,
  entryEnd,
  entryKeyBytes,
  entryStart,
  type OutboxEntry,
  ringKeyOfEntry,
} from './outbox-entry.ts'
import type { OwnArc, Owner, Owners } from './owners.ts'
import { PeerPatience } from './peer-patience.ts'

export interface DeliveryOptions {
  /** Characters of hrefs in a batch. More compress better and are lost together. */
  readonly batchCharsMax: number
  /** How long a link may wait for company. */
  readonly ageMsMax: number
  readonly inFlightMax: number
  readonly perPeerMax: number
  readonly patienceFirstMs: number
  readonly patienceLongestMs: number
}

interface Needs {
  readonly clock: Clock
  readonly random: Random
  readonly owners: Owners
  readonly outbox: Outbox
  readonly courier: Courier
  /** Called when entries have left the outbox. */
  onRoom(): void
  /** Called when it cannot go on: the outbox has failed. */
  onFailure(error: unknown): void
}

const arcsMax = 4_096
const unansweredMax = 1_000
/** How long a walk waits for an answer that may tell who comes next, before it asks the ring. */
const walkWaitMs = 1_000
const lookupAgainMs = 1_000

/** What one batch carries: entries of one owner, from one or more of its arcs. */
interface Load extends Selection {
  readonly entries: readonly OutboxEntry[]
}

interface UnderWay {
  readonly spans: readonly Span[]
  readonly peer: PeerId
  readonly wantsArc: boolean
  readonly ended: Promise<void>
}

export class Delivery {
  readonly #needs: Needs
  readonly #options: DeliveryOptions
  readonly #arcs = new Arcs(arcsMax)
  readonly #patience: PeerPatience
  readonly #refusals: PeerPatience
  readonly #underWay = new Set<UnderWay>()
  /** Loads of which it is not known whether they were taken: sent again as they were, so that the receiver knows them. */
  readonly #unanswered = new Map<PeerId, Selection>()
  readonly counts = { batches: 0, links: 0, lookups: 0, failures: 0, refusedLinks: 0 }
  #freshChars = 0
  #freshSinceMs = Number.POSITIVE_INFINITY
  #againAtMs = Number.POSITIVE_INFINITY
  /** Entries were passed over that can be served when something that is under way has ended. */
  #hasPassedSome = false
  #isClosed = false
  #wake: () => void = () => {}
  #running: Promise<void> = Promise.resolve()

  constructor(needs: Needs, options: DeliveryOptions) {
    this.#needs = needs
    this.#options = options
    const { patienceFirstMs: firstMs, patienceLongestMs: longestMs } = options
    this.#patience = new PeerPatience(needs, { firstMs, longestMs })
    this.#refusals = new PeerPatience(needs, { firstMs, longestMs })
  }

  get silentPeers(): number {
    return this.#patience.size
  }

  start(): void {
    if (this.#needs.outbox.links > 0) this.#freshSinceMs = this.#needs.clock.monotonicMs()
    this.#running = this.#run().catch((error: unknown) => this.#needs.onFailure(error))
  }

  /** Links of so many characters were put into the outbox. */
  added(chars: number): void {
    this.#freshChars += chars
    this.#freshSinceMs = Math.min(this.#freshSinceMs, this.#needs.clock.monotonicMs())
    this.#wake()
  }

  /** Resolves when nothing is under way any more. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#wake()
    await this.#running
    await Promise.all([...this.#underWay].map(({ ended }) => ended))
  }

  async #run(): Promise<void> {
    while (!this.#isClosed) {
      await this.#due()
      if (this.#isClosed) return
      this.#freshChars = 0
      this.#freshSinceMs = Number.POSITIVE_INFINITY
      this.#againAtMs = Number.POSITIVE_INFINITY
      this.#hasPassedSome = false
      await this.#walk()
    }
  }

  async #due(): Promise<void> {
    const { clock } = this.#needs
    for (;;) {
      const waitMs = this.#dueMs() - clock.monotonicMs()
      if (waitMs <= 0 || this.#isClosed) return
      let timer: Timer | undefined
      await new Promise<void>((resolve) => {
        this.#wake = resolve
        if (waitMs !== Number.POSITIVE_INFINITY) timer = clock.after(waitMs, resolve)
      })
      timer?.cancel()
    }
  }

  #dueMs(): number {
    if (this.#needs.outbox.links === 0) return Number.POSITIVE_INFINITY
    const { batchCharsMax, ageMsMax } = this.#options
    if (this.#freshChars >= batchCharsMax * Math.max(1, this.#arcs.size)) return 0
    return Math.min(this.#freshSinceMs + ageMsMax, this.#againAtMs)
  }

  #comeAgainAt(ms: number): void {
    this.#againAtMs = Math.min(this.#againAtMs, ms)
    this.#wake()
  }

  async #walk(): Promise<void> {
    let from: Buffer | undefined = Buffer.alloc(entryKeyBytes)
    while (from !== undefined && !this.#isClosed) from = await this.#step(from)
  }

  /** Serves what waits first at or after this entry; gives where to go on. */
  async #step(from: Buffer): Promise<Buffer | undefined> {
    const first = this.#needs.outbox.firstAt(from)
    if (first === undefined) return undefined
    const same = this.#spanWith(first)
    if (same !== undefined) return this.#pastUnderWay(same)
    const key = ringKeyOfEntry(first)
    const arc = await this.#arcAt(key)
    if (arc === undefined) return this.#pastUnknown(key)
    const untilMs = this.#patience.untilMs(arc.peer)
    if (untilMs !== undefined) {
      this.#comeAgainAt(untilMs)
      // It may be gone for good: ask again who owns this when we come here next.
      this.#arcs.forgetPeer(arc.peer)
      return entryEnd(arc.upTo)
    }
    if (this.#countTo(arc.peer) >= this.#options.perPeerMax) {
      this.#hasPassedSome = true
      return entryEnd(arc.upTo)
    }
    while (this.#underWay.size >= this.#options.inFlightMax) await Promise.race(this.#endings())
    const load = this.#loadFor(arc, first)
    if (load.entries.length > 0) this.#send(load, arc)
    return after(load.spans[0]?.last ?? first)
  }

  /** The owner of a key: by what is known, by what an answer under way will tell, or by asking the ring. */
  async #arcAt(key: RingKey): Promise<Arc | undefined> {
    const { owners, clock } = this.#needs
    const known = this.#arcs.at(key)
    if (known !== undefined) return known
    const own = owners.arcOf(key)
    if (own !== undefined) {
      this.#learn(owners.self, own)
      return this.#arcs.at(key)
    }
    const telling = [...this.#underWay].filter(({ wantsArc }) => wantsArc).map(({ ended }) => ended)
    if (telling.length > 0) {
      await Promise.race([Promise.all(telling), clock.sleep(walkWaitMs)])
      const told = this.#arcs.at(key)
      if (told !== undefined) return told
    }
    try {
      this.counts.lookups++
      this.#learnFrom(key, await owners.ownerOf(key))
      return this.#arcs.at(key)
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
      return undefined
    }
  }

  /** Nobody owns it for now: others need not wait for that. */
  #pastUnknown(key: RingKey): Buffer | undefined {
    this.#comeAgainAt(this.#needs.clock.monotonicMs() + lookupAgainMs)
    const start = this.#arcs.startAfter(key)
    return start === undefined ? undefined : entryStart(start)
  }

  /** What came meanwhile and lies between entries that are under way is served later. */
  #pastUnderWay({ last }: Span): Buffer {
    this.#comeAgainAt(this.#needs.clock.monotonicMs() + this.#options.ageMsMax)
    return after(last)
  }

  /** What waits in the arc from here on, and, while there is room, in further arcs of the same owner. */
  #loadFor(arc: Arc, first: Buffer): Load {
    const { outbox } = this.#needs
    const unanswered = this.#unansweredBy(arc.peer, first)
    if (unanswered !== undefined) return unanswered
    const sequenceMax = outbox.sequence
    const entries: OutboxEntry[] = []
    const spans: Span[] = []
    let charsLeft = this.#options.batchCharsMax
    for (const part of [arc, ...this.#arcs.furtherOf(arc)]) {
      const start = part === arc ? first : outbox.firstAt(entryStart(part.first))
      if (start === undefined) break
      if (ringKeyOfEntry(start) > part.upTo || this.#spanWith(start) !== undefined) continue
      const reading = outbox.read(start, this.#endOf(part, start), charsLeft)
      const last = reading.entries.at(-1)
      // Of a further arc there may be one entry that is too large.
      if (last === undefined || (part !== arc && reading.chars > charsLeft)) continue
      entries.push(...reading.entries)
      spans.push({ first: start, last: last.key })
      charsLeft -= reading.chars
      if (reading.isCut || charsLeft <= 0) break
    }
    return { entries, spans, sequenceMax }
  }

  /** The load that begins here and was not answered, if all of it is still this peer's. */
  #unansweredBy(peer: PeerId, first: Buffer): Load | undefined {
    const selection = this.#unanswered.get(peer)
    if (!selection?.spans[0]?.first.equals(first)) return undefined
    const keys = selection.spans.flatMap((span) => [span.first, span.last])
    if (keys.some((key) => this.#arcs.at(ringKeyOfEntry(key))?.peer !== peer)) return undefined
    this.#comeAgainAt(this.#needs.clock.monotonicMs() + this.#options.ageMsMax)
    return { ...selection, entries: this.#needs.outbox.readAgain(selection) }
  }

  /** Where a load that begins here must end: with the arc, and before what is under way already. */
  #endOf(arc: Arc, first: Buffer): Buffer {
    let end = entryEnd(arc.upTo)
    for (const span of this.#spansUnderWay()) {
      if (span.first.compare(first) > 0 && span.first.compare(end) < 0) end = span.first
    }
    return end
  }

  #spanWith(key: Buffer): Span | undefined {
    return this.#spansUnderWay().find(({ first, last }) => key.compare(first) >= 0 && key.compare(last) <= 0)
  }

  #spansUnderWay(): Span[] {
    return [...this.#underWay].flatMap(({ spans }) => spans)
  }

  #send(load: Load, arc: Arc): void {
    const underWay: UnderWay = {
      spans: load.spans,
      peer: arc.peer,
      wantsArc: !arc.isConfirmed && arc.peer !== this.#needs.owners.self,
      ended: this.#deliver(load, arc)
        .catch((error: unknown) => this.#needs.onFailure(error))
        .then(() => {
          this.#underWay.delete(underWay)
          if (this.#hasPassedSome) this.#comeAgainAt(this.#needs.clock.monotonicMs())
        }),
    }
    this.#underWay.add(underWay)
  }

  async #deliver(load: Load, arc: Arc): Promise<void> {
    const { owners, outbox } = this.#needs
    const outcome = await this.#bring(load, arc)
    if (outcome === undefined) return
    this.#patience.answered(arc.peer)
    this.#unanswered.delete(arc.peer)
    if (outcome.arc !== undefined) this.#learn(arc.peer, outcome.arc)
    for (const { ringKey, owner } of outcome.refused) {
      this.#arcs.forgetKey(ringKey)
      if (owner !== undefined && owners.isPlaceOf(owner.peer, owner.upTo)) this.#learnFrom(ringKey, owner)
    }
    // Two that take each other for the owner are not to pass links to and fro as fast as they can.
    if (outcome.refused.length > 0) this.#comeAgainAt(this.#refusals.failed(arc.peer))
    else this.#refusals.answered(arc.peer)
    await outbox.remove(outcome.taken)
    this.counts.batches++
    for (const { links } of outcome.taken) this.counts.links += links.length
    this.counts.refusedLinks += outcome.refusedLinks
    this.#needs.onRoom()
  }

  /** undefined when the peer did not answer, or not as it should. */
  async #bring(load: Load, arc: Arc): Promise<Outcome | undefined> {
    const { peer, isConfirmed } = arc
    try {
      return await this.#needs.courier.bring(peer, load.entries, { wantsArc: !isConfirmed })
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
      this.counts.failures++
      this.#noteUnanswered(peer, { spans: load.spans, sequenceMax: load.sequenceMax })
      this.#arcs.forgetPeer(peer)
      this.#comeAgainAt(this.#patience.failed(peer))
      return undefined
    }
  }

  #noteUnanswered(peer: PeerId, selection: Selection): void {
    this.#unanswered.set(peer, selection)
    if (this.#unanswered.size > unansweredMax) this.#unanswered.delete(this.#unanswered.keys().next().value!)
  }

  #learn(peer: PeerId, { after, upTo, following }: OwnArc): void {
    const { owners } = this.#needs
    if (!owners.isPlaceOf(peer, upTo)) return
    this.#arcs.addAfter(after, peer, upTo)
    let before = upTo
    for (const next of following) {
      // Round the ring once, and no further.
      if (next.upTo === upTo || !owners.isPlaceOf(next.peer, next.upTo)) return
      owners.learn(next.peer, next.addresses)
      this.#arcs.addNext(before, next.peer, next.upTo)
      before = next.upTo
    }
  }

  #learnFrom(key: RingKey, { peer, upTo, addresses }: Owner): void {
    this.#needs.owners.learn(peer, addresses)
    this.#arcs.addFrom(key, peer, upTo)
  }

  #countTo(peer: PeerId): number {
    let count = 0
    for (const underWay of this.#underWay) if (underWay.peer === peer) count++
    return count
  }

  #endings(): Promise<void>[] {
    return [...this.#underWay].map(({ ended }) => ended)
  }
}
