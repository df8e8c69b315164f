// Cuts of a simulated archive's network, one at a time, and what may be promised while there is one.
//
// Who is cut off for so long that it takes the others to be gone for good makes as many copies as it still knows peers; and a
// newcomer that joins a part of a torn network knows nobody of the other part. So of what they acknowledge nothing more is
// asked than that it is kept by one, until all have met again.

import type { PeerId } from '../../src/platform/network/network.ts'
import { Halves } from '../halves.ts'
import type { SimulatedArchive } from './simulated-archive.ts'

export interface CutsOptions {
  /** Whoever is missed for longer may be taken to be gone. */
  readonly patienceMsMin: number
  /** How long peers may go on as they did in a cut that has ended. */
  readonly mendingMs: number
}

export class Cuts {
  readonly figures = { cuts: 0, longCuts: 0 }
  readonly #archive: SimulatedArchive
  readonly #options: CutsOptions
  readonly #halves: Halves
  #sinceMs = 0
  /** Until all have met again after a long one. */
  #mendedAtMs = 0
  /** Who was there when the last one began. */
  #present: ReadonlySet<PeerId> = new Set()

  constructor(archive: SimulatedArchive, options: CutsOptions) {
    this.#archive = archive
    this.#options = options
    this.#halves = new Halves(archive.world)
  }

  /** About this share of the peers is cut off from all others for so long. */
  cut(share: number, durationMs: number): void {
    if (this.#halves.isCut) return
    this.figures.cuts++
    if (durationMs > this.#options.patienceMsMin) this.figures.longCuts++
    this.#sinceMs = this.#nowMs
    const peers = this.#archive.peers.map(({ name }) => name)
    this.#present = new Set(peers)
    this.#halves.cut(peers, share)
    this.#archive.world.simulation.schedule(durationMs, () => this.#heal())
  }

  /** How many copies an acknowledgement by this peer speaks of, of those that it would speak of without cuts. */
  promised(copiesMin: number, owner: PeerId): number {
    const isStranger = this.#halves.isCut && !this.#present.has(owner)
    return isStranger || this.#isLong || this.#nowMs < this.#mendedAtMs ? 1 : copiesMin
  }

  #heal(): void {
    const isMet = !this.#isLong && this.#archive.peers.every(({ name }) => this.#present.has(name))
    if (!isMet) this.#mendedAtMs = this.#nowMs + this.#options.mendingMs
    this.#halves.heal()
  }

  get #nowMs(): number {
    return this.#archive.world.simulation.nowMs
  }

  /** Some may have been missed for a while when it began. */
  get #isLong(): boolean {
    return this.#halves.isCut && this.#nowMs - this.#sinceMs > this.#options.patienceMsMin / 2
  }
}
