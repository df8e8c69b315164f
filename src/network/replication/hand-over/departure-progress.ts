// How far leaving has come, over all passes: what a later one goes through again has been seen to.

import type { PeerId } from '../../../platform/network/network.ts'

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

export class DepartureProgress {
  readonly #tell: (progress: HandOverProgress) => void
  readonly #taken = new Map<PeerId, number>()
  #entries = 0
  #done = 0
  #doneInPass = 0
  #sentBytes = 0

  constructor(tell: (progress: HandOverProgress) => void) {
    this.#tell = tell
  }

  get entries(): number {
    return Math.max(this.#entries, this.#done)
  }

  /** Another pass over so many. Told at once: where nothing is kept, nothing else would be. */
  begin(entries: number): void {
    this.#entries = entries
    this.#doneInPass = 0
    this.#report()
  }

  seenTo(count: number): void {
    this.#doneInPass += count
    this.#done = Math.max(this.#done, this.#doneInPass)
    this.#report()
  }

  sent(peer: PeerId, entries: number, bytes: number): void {
    if (entries > 0) this.#taken.set(peer, (this.#taken.get(peer) ?? 0) + entries)
    this.#sentBytes += bytes
    this.#report()
  }

  #report(): void {
    const [entries, done, sentBytes] = [this.entries, this.#done, this.#sentBytes]
    this.#tell({ entries, done, sentBytes, taken: new Map(this.#taken) })
  }
}
