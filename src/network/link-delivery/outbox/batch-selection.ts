// Loading: chooses what goes into the next batch to an owner, and knows what is under way.
//
// Invariants: no entry is in two loads at once, as long as arcs stay as they are. A load that was not answered is chosen again
// as it was, so that a receiver that took it knows it; what has come since waits for the next one. Sites that are put off are
// in no load.

import { LruCache } from '../../../model/lru-cache.ts'
import type { RingKey } from '../../../model/ring-key.ts'
import type { PeerId } from '../../../platform/network/network.ts'
import type { Arc } from '../arcs.ts'
import type { OwnerCache } from '../owner-cache.ts'
import type { Outbox, Selection, Span } from './outbox.ts'
import { entryEnd, entryStart, type OutboxEntry, ringKeyOfEntry } from './outbox-entry.ts'

/** Entries of one owner, from one or more of its arcs. */
export interface Load extends Selection {
  readonly entries: readonly OutboxEntry[]
  readonly isRepeated: boolean
  readonly chars: number
  /** More waits than fits. */
  readonly isCut: boolean
}

const unansweredMax = 1_000

export class BatchSelection {
  readonly #outbox: Outbox
  readonly #ownerCache: OwnerCache
  readonly #putOff: () => Iterable<RingKey>
  readonly #charsMax: number
  readonly #underWay = new Set<Load>()
  readonly #unanswered = new LruCache<PeerId, Selection>({ max: unansweredMax })

  constructor(
    needs: { outbox: Outbox; ownerCache: OwnerCache; putOff: () => Iterable<RingKey> },
    charsMax: number,
  ) {
    this.#outbox = needs.outbox
    this.#putOff = needs.putOff
    this.#ownerCache = needs.ownerCache
    this.#charsMax = charsMax
  }

  /** What waits in the arc from this entry on, and, while there is room, in further arcs of the same owner. */
  choose(arc: Arc, first: Buffer): Load {
    const repeated = this.#repeated(arc.peer, first)
    if (repeated !== undefined) return repeated
    const sequenceMax = this.#outbox.sequence
    const entries: OutboxEntry[] = []
    const spans: Span[] = []
    let charsLeft = this.#charsMax
    let isCut = false
    const putOff = new Set(this.#putOff())
    for (const part of [arc, ...this.#ownerCache.furtherOf(arc)]) {
      const start = part === arc ? first : this.#outbox.firstAt(entryStart(part.first))
      if (start === undefined) break
      const site = ringKeyOfEntry(start)
      if (site > part.upTo || putOff.has(site) || this.underWayAt(start) !== undefined) continue
      const reading = this.#outbox.read(start, this.#endOf(part, start, putOff), charsLeft)
      const last = reading.entries.at(-1)
      // Of a further arc there may be one entry that is too large.
      if (last === undefined || (part !== arc && reading.chars > charsLeft)) continue
      entries.push(...reading.entries)
      spans.push({ first: start, last: last.key })
      charsLeft -= reading.chars
      isCut = reading.isCut
      if (isCut || charsLeft <= 0) break
    }
    return { entries, spans, sequenceMax, isRepeated: false, chars: this.#charsMax - charsLeft, isCut }
  }

  begin(load: Load): void {
    this.#underWay.add(load)
  }

  end(load: Load): void {
    this.#underWay.delete(load)
  }

  noteAnswer(peer: PeerId): void {
    this.#unanswered.delete(peer)
  }

  noteFailure(peer: PeerId, { spans, sequenceMax }: Load): void {
    this.#unanswered.set(peer, { spans, sequenceMax })
  }

  /** What is under way around this entry. */
  underWayAt(key: Buffer): Span | undefined {
    return this.#spans().find(({ first, last }) => key.compare(first) >= 0 && key.compare(last) <= 0)
  }

  /** The load that begins here and was not answered, if all of it is still this peer's. */
  #repeated(peer: PeerId, first: Buffer): Load | undefined {
    const selection = this.#unanswered.get(peer)
    if (!selection?.spans[0]?.first.equals(first)) return undefined
    const keys = selection.spans.flatMap((span) => [span.first, span.last])
    if (keys.some((key) => this.#ownerCache.known(ringKeyOfEntry(key))?.peer !== peer)) return undefined
    const entries = this.#outbox.readAgain(selection)
    // What has come since is left out of it.
    return { ...selection, entries, isRepeated: true, chars: this.#charsMax, isCut: true }
  }

  /** Where a load that begins here must end: with the arc, and before what is under way or put off. */
  #endOf(arc: Arc, first: Buffer, putOff: ReadonlySet<RingKey>): Buffer {
    let end = entryEnd(arc.upTo)
    const starts = [...this.#spans().map((span) => span.first), ...[...putOff].map(entryStart)]
    for (const start of starts) {
      if (start.compare(first) > 0 && start.compare(end) < 0) end = start
    }
    return end
  }

  #spans(): Span[] {
    return [...this.#underWay].flatMap(({ spans }) => spans)
  }
}
