// Rest: whether places may be taken and given up here: nobody near us has come or gone for a while, nobody near us is away, and nothing that
// we are to keep, here or with others, lacks copies.

import type { RingKey } from '../../model/ring-key.ts'
import type { Clock } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network/network.ts'
import type { OwnArc } from '../replication/captures/places.ts'
import type { Contact } from '../ring/ring.ts'
import { keptArcs } from './kept-change.ts'

interface Needs {
  readonly self: PeerId
  readonly clock: Clock
  readonly replicas: number
  readonly places: {
    positions(): readonly Contact[]
    ownArcs(): readonly OwnArc[]
    onChange(listener: () => void): () => void
    /** This peer has no places. */
    isSpare(): boolean
  }
  /** How many places we have. */
  placesTaken(): number
  /** Copies that are wanted of what is ours, and are not there. */
  lacking(): number
  /** Whether we have all that lies on an arc that we are to keep. */
  covers(arc: { readonly after: RingKey; readonly upTo: RingKey }): boolean
}

/** What was found counts for so long: it takes a look at all that is kept here. */
const knownMs = 2_000

export class Rest {
  readonly #needs: Needs
  readonly #calmMs: number
  readonly #unlisten: () => void
  /** Who keeps what near us, as it was last looked at; when it had become so. */
  #seen = ''
  #sinceMs: number
  #changedMs: number | undefined
  #known: { readonly isSettled: boolean; readonly atMs: number } | undefined

  constructor(needs: Needs, calmMs: number) {
    this.#needs = needs
    this.#calmMs = calmMs
    this.#sinceMs = needs.clock.monotonicMs()
    this.#changedMs = this.#sinceMs
    this.#unlisten = needs.places.onChange(() => {
      this.#changedMs = needs.clock.monotonicMs()
      this.#known = undefined
    })
  }

  isSettled(): boolean {
    const nowMs = this.#needs.clock.monotonicMs()
    if (this.#known === undefined || nowMs - this.#known.atMs > knownMs)
      this.#known = { isSettled: this.#look(nowMs), atMs: nowMs }
    return this.#known.isSettled
  }

  close(): void {
    this.#unlisten()
  }

  #look(nowMs: number): boolean {
    const { places, self, replicas, placesTaken, lacking, covers } = this.#needs
    if (places.isSpare()) return false
    const ring = [...places.positions()].sort((one, other) => (one.place < other.place ? -1 : 1))
    const kept = keptArcs(ring, self, replicas)
    this.#note(kept.map(({ after, upTo, keepers }) => [after, upTo, ...keepers].join()).join(' '))
    if (nowMs - this.#sinceMs < this.#calmMs) return false
    const own = places.ownArcs()
    const isWhole = own.length === placesTaken() && own.every(({ replicas: now, full }) => areSame(now, full))
    return isWhole && kept.every(covers) && lacking() === 0
  }

  #note(seen: string): void {
    const changedMs = this.#changedMs
    this.#changedMs = undefined
    if (seen === this.#seen) return
    this.#seen = seen
    // What changed without a word has changed just now.
    this.#sinceMs = changedMs ?? this.#needs.clock.monotonicMs()
  }
}

function areSame(ones: readonly PeerId[], others: readonly PeerId[]): boolean {
  return ones.length === others.length && ones.every((peer, at) => peer === others[at])
}
